"""Elements are closed, and input stays text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_samples import CLOSING, NASTY, PAGE
from report_samples import REPORTS, Text, odd, place, report
from tags import Tags, data

from kubelint_gpu.findings.finding import Fix, Related, TextEdit
from kubelint_gpu.report.content import Options
from kubelint_gpu.report.page import render

WILD = st.text(st.characters(), max_size=60)


def shown(found):
    return "".join(render(found, Options()))


def skeleton(page):
    """Which elements with which attributes there are: text of the input must not change it."""
    return [(tag, sorted(attrs)) for tag, attrs in Tags(page).found]


@pytest.mark.parametrize("name", sorted(REPORTS))
def test_every_element_is_closed(name):
    assert Tags(shown(REPORTS[name])).open == []


def test_names_that_are_markup_stay_text():
    page = shown(PAGE)
    found = Tags(page)
    assert [tag for tag, _ in found.found if tag == "img"] == []
    assert [tag for tag, _ in found.found].count("script") == 2
    assert not [attrs for _, attrs in found.found if any(name.startswith("on") for name in attrs)]
    assert NASTY not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert data(page)["p2"]["nodes"][0]["name"] == NASTY
    assert data(page)["p2"]["pods"][0][2] == CLOSING


@settings(max_examples=60)
@given(WILD, WILD)
def test_no_text_of_the_input_changes_the_page(message, path):
    def page_of(message, path):
        finding = odd(
            1,
            1,
            2,
            message,
            path,
            scheduler=message,
            name=message,
            help=(message,),
            related=(Related(place(path, 2, 1, 2), message),),
            fixes=(Fix(message, "safe", verified=True, edits=(TextEdit(place(path, 1, 1, 1), "x"),)),),
        )
        return shown(report(finding, sources={path: Text(f"one {' '.join(message.split())}"), "plain": Text("one")}))

    related = page_of(message or "m", path or "p")
    assert skeleton(related) == skeleton(page_of("plain message", "p"))
