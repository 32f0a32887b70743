"""`python -m docs.catalogue`: fills in the blocks of all rule pages, then writes `docs/rules/` anew."""

from __future__ import annotations

from docs.catalogue.blocks import filled
from docs.catalogue.site import FOLDER, site
from kubelint_gpu.findings.catalogue import PAGE, folders


def main() -> None:
    """Write every page."""
    for folder in folders().values():
        path = folder / PAGE
        path.write_text(filled(folder, path.read_text(encoding="utf-8")), encoding="utf-8")
    FOLDER.mkdir(exist_ok=True)
    pages = site()
    for stale in sorted(FOLDER.glob("*.md")):
        if stale.name not in pages:
            stale.unlink()
    for name, text in pages.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
