"""`python -m docs.catalogue`: writes all that is generated from the folders of rules and the table of kinds.

That is `fixed/` of each rule, the blocks of its page, and the tables in docs/rules.md and docs/kinds.md.
"""

from __future__ import annotations

from pathlib import Path

from docs.catalogue import kinds
from docs.catalogue.blocks import filled
from docs.catalogue.example import examples, fixed
from docs.catalogue.readme import RULES, listed
from kubelint_gpu.findings.catalogue import PAGE, folders


def main() -> None:
    """Write every file."""
    for folder in folders().values():
        wanted = {f"{example.name}.yaml": fixed(example) for example in examples(folder, "bad")}
        for stale in (folder / "fixed").glob("*.yaml"):
            if wanted.get(stale.name) is None:
                stale.unlink()
        for name, data in wanted.items():
            if data is not None:
                _write(folder / "fixed" / name, data)
        page = folder / PAGE
        _write(page, filled(folder, page.read_text(encoding="utf-8")).encode())
    _write(RULES, listed(RULES.read_text(encoding="utf-8")).encode())
    _write(kinds.KINDS, kinds.listed(kinds.KINDS.read_text(encoding="utf-8")).encode())


def _write(path: Path, data: bytes) -> None:
    if not path.exists() or path.read_bytes() != data:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        print(path)  # noqa: T201 - says what has changed


if __name__ == "__main__":
    main()
