from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from report_samples import DEADLOCK, MAY_STICK, REPORTS, odd, report

from kubelint_gpu.findings.finding import Summary
from kubelint_gpu.report.content import Options
from kubelint_gpu.report.formats.github import PER_KIND, render

COMMAND = re.compile(r"::(error|warning|notice) ((?:\w+=[^,:\n]*)(?:,\w+=[^,:\n]*)*)::([^\n]*)\n")


def lines(found):
    return list(render(found, Options()))


def properties(line):
    return dict(entry.split("=", 1) for entry in COMMAND.fullmatch(line)[2].split(","))


def many(severity, count):
    return [odd(1 + number, 1, 2, path=f"{severity}.yaml", severity=severity) for number in range(count)]


def test_an_annotation_names_place_code_and_name():
    assert properties(lines(report(DEADLOCK))[0]) == {
        "file": "deploy/tracker.yaml",
        "line": "7",
        "endLine": "7",
        "col": "3",
        "endColumn": "14",
        "title": "KLG101 rollout-deadlock",
    }


def test_a_place_of_several_lines_has_no_columns():
    assert set(properties(lines(report(MAY_STICK))[0])) == {"file", "line", "endLine", "title"}


def test_the_body_tells_related_places_and_the_scheduler():
    body = COMMAND.fullmatch(lines(report(DEADLOCK))[0])[3].split("%0A")
    assert body[4] == "cluster/nodes.yaml:5:46: tracker-node has 1 GPU"
    assert body[5].startswith("scheduler: 0/10 nodes are available: ")


def test_the_worst_comes_first():
    kinds = [COMMAND.fullmatch(line)[1] for line in lines(REPORTS["several"])]
    assert kinds == ["error", "error", "warning", "notice"]


def test_separators_and_line_ends_of_the_input_are_escaped():
    line = lines(report(odd(1, 1, 2, "50%\r\n::error::x", "a:b,c%\n.yaml")))[0]
    assert properties(line)["file"] == "a%3Ab%2Cc%25%0A.yaml"
    assert COMMAND.fullmatch(line)[3] == "50%25%0D%0A::error::x"


@given(st.text(st.characters(), max_size=60), st.text(st.characters(), max_size=60))
def test_no_input_can_begin_a_command_of_its_own(message, path):
    found = lines(report(odd(1, 1, 2, message, path, name=path)))
    assert [bool(COMMAND.fullmatch(line)) for line in found] == [True]


def test_ten_of_a_kind_are_shown_and_the_rest_is_counted():
    shown = lines(report(*many("error", 12), *many("warning", 3), *many("note", 30)))
    kinds = [COMMAND.fullmatch(line)[1] for line in shown]
    assert [kinds.count(kind) for kind in ("error", "warning", "notice")] == [PER_KIND, 3, PER_KIND]
    assert shown[-1] == "::notice title=kubelint-gpu::23 more of 45 findings are not shown here\n"


def test_ten_of_each_kind_need_no_counting():
    found = [finding for kind in ("error", "warning", "note") for finding in many(kind, PER_KIND)]
    assert len(lines(report(*found))) == 3 * PER_KIND


def test_no_finding_says_nothing():
    assert lines(report()) == []


def test_remarks_about_the_run_are_one_notice_and_take_the_place_of_a_note():
    found = report(*many("note", PER_KIND), summary=Summary(notes=PER_KIND, remarks=("a 100%.", "b.")))
    assert lines(report(summary=Summary(remarks=("a 100%.", "b.")))) == [
        "::notice title=kubelint-gpu::a 100%25.%0Ab.\n"
    ]
    assert sum(line.startswith("::notice") for line in lines(found)) == PER_KIND
