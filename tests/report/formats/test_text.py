from __future__ import annotations

import re

import pytest
from report_samples import DEADLOCK, REPORTS, report

from kubelint_gpu.messages.display import cells
from kubelint_gpu.report.content import Options
from kubelint_gpu.report.formats.text import render
from kubelint_gpu.values import replace


def text(found, **options):
    return "".join(render(found, Options(**options)))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("tracker", {}),
        ("tracker", {"color": True, "unicode": True}),
        ("several", {"width": 40}),
        ("several", {"width": 120, "unicode": True}),
        ("odd", {}),
        ("odd", {"unicode": True}),
        ("odd", {"width": 40, "unicode": True}),
        ("no-sources", {}),
    ],
)
def test_the_whole_report_is_as_expected(name, options, expected):
    parts = [name, str(options.get("width", 80)), *sorted({"color", "unicode"} & set(options))]
    expected(f"text-{'-'.join(parts)}.txt", text(REPORTS[name], **options))


def test_no_finding_gives_one_line_that_says_what_was_checked():
    assert text(report()) == "Checked 3 files, 4 documents, 3 workloads against 10 nodes: all is well.\n"


def test_colour_changes_nothing_but_colour(any_report):
    colored = text(any_report, color=True, unicode=True)
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == text(any_report, unicode=True)


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("unicode", [False, True])
def test_no_line_is_wider_than_the_terminal_unless_one_token_is(any_report, width, unicode):
    for line in text(any_report, width=width, unicode=unicode).splitlines():
        assert cells(line) <= width or len(line.split()) == 1 or " --> " in line, line


def test_without_unicode_the_report_is_ascii(any_report):
    assert text(any_report).isascii()


def test_what_is_only_possible_says_so():
    shown = text(REPORTS["several"])
    assert "one way it can happen" in shown
    assert "(possible, not certain)" in shown


@pytest.mark.parametrize(
    ("kinds", "hint"),
    [
        ((0,), "--fix repairs 1 of them."),
        ((1,), "--fix --unsafe-fixes repairs 1 of them."),
        ((0, 1), "--fix repairs 1 of them, --fix --unsafe-fixes 1 more."),
    ],
)
def test_the_last_line_says_how_to_apply_the_fixes(kinds, hint):
    findings = [replace(DEADLOCK, fixes=(DEADLOCK.fixes[kind],)) for kind in kinds]
    assert text(report(*findings)).splitlines()[-1] == hint
    assert hint not in text(report(*findings), fix_hints=False)
