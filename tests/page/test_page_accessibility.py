"""The page as axe-core judges it (WCAG 2.2 A and AA, and best practices), on a desk and on a phone, light and dark."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

AXE = Path(sys.executable).parent.parent / "outside" / "npm" / "node_modules" / "axe-core" / "axe.min.js"
LOOKS = tuple((width, dark) for width in (1280, 390) for dark in (False, True))


def judged(browser, page):
    """What axe-core finds wrong in each look, at the first step and at the last one, all findings unfolded."""
    source = AXE.read_text(encoding="utf-8")
    seen = {}
    for width, dark in LOOKS:
        browser.open(page, width, 900, dark=dark)
        browser.eval("document.querySelectorAll('details').forEach(one => { one.open = true; }); 0")
        browser.eval(f"{source}; 0")
        for moment in ("first", "last"):
            found = json.loads(browser.eval(_RUN))
            seen[f"{width} {'dark' if dark else 'light'} {moment}"] = found
            if browser.eval("document.querySelector('.player .next') !== null"):
                browser.click(".player input[type=range]")
                browser.press("End")
    return seen


_RUN = """axe.run(document, {resultTypes: ['violations']}).then(found => JSON.stringify({
    passes: found.passes.length > 20,
    violations: found.violations.map(one => `${one.id}: ${one.nodes[0].html.slice(0, 120)}`),
}))"""


def several_clusters():
    from page_samples import CLUSTER, PAGE

    from kubelint_gpu.values import replace

    return replace(PAGE, clusters=(CLUSTER, replace(CLUSTER, name="other")))


def nothing_found():
    from report_samples import report

    return report()


@pytest.mark.parametrize("sample", [several_clusters, nothing_found])
def test_axe_finds_nothing_wrong(seen, sample):
    from kubelint_gpu.report.content import Options
    from kubelint_gpu.report.page import render

    found = seen(f"axe_{sample.__name__}", "".join(render(sample(), Options())), judged, needs=AXE)
    assert len(found) == 2 * len(LOOKS)
    assert {look: one["violations"] for look, one in found.items() if one["violations"]} == {}
    assert all(one["passes"] for one in found.values())


def test_axe_finds_what_is_wrong(seen):
    """A page without names, language and contrast: the check itself is awake."""
    wrong = "<!DOCTYPE html><html><body><p style='color:#aaa;background:#fff'>grey</p><button></button></body></html>"
    found = seen("axe_awake", wrong, judged, needs=AXE)
    ids = {one.partition(":")[0] for one in found["1280 light first"]["violations"]}
    assert {"html-has-lang", "color-contrast", "button-name", "document-title"} <= ids
