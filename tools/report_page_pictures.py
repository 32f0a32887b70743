"""The pictures of the report page in docs/: run from the repository with Chromium installed.

python tools/report_page_pictures.py
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
MOST_BYTES = 200_000
TRACKER = ("examples/tracker/tracker.yaml", "examples/tracker/nodes.yaml")
TWO = ("examples/two-deployments/manifest.yaml", "examples/two-deployments/inventory.yaml")
NEIGHBOUR = ("examples/evicted-neighbour/manifest.yaml", "examples/evicted-neighbour/inventory.yaml")
PICTURES = (
    # file, what is checked, width, height, dark, steps forward, what the picture begins with
    ("report-page.png", TRACKER, 1280, 1000, False, 3, "body"),
    ("report-page-steps.png", TWO, 1000, 760, True, 5, ".player"),
    ("report-page-fixes.png", TRACKER, 1280, 900, False, 0, ".circle"),
    ("report-page-phone.png", NEIGHBOUR, 390, 1100, True, 3, ".player"),
)


def main() -> None:
    """Take every picture anew."""
    sys.path.insert(0, str(ROOT / "tests" / "page"))
    from browser import Browser, chromium

    program = chromium()
    if program is None:
        sys.exit("Chromium is missing: apt-get install chromium")
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, Browser(program) as browser:
        page = Path(folder) / "report.html"
        for name, (manifest, inventory), width, height, dark, steps, selector in PICTURES:
            check = ["check", manifest, "--inventory", inventory, "--output-format", "html", "--output-file", str(page)]
            subprocess.run([sys.executable, "-m", "kubelint_gpu", *check], cwd=ROOT, check=False)  # noqa: S603 itself
            browser.open(page, width, height, dark=dark)
            for _ in range(steps):
                browser.click(".player .next")
            top = f"document.querySelector('{selector}').getBoundingClientRect().top + scrollY"
            browser.eval(f"window.scrollTo(0, Math.max(0, {top} - 60))")
            browser.screenshot(IMAGES / name, full=False)
            size = (IMAGES / name).stat().st_size
            sys.stdout.write(f"{name}: {size} bytes\n")
            if size > MOST_BYTES:
                sys.exit(f"{name} is larger than {MOST_BYTES} bytes")


if __name__ == "__main__":
    main()
