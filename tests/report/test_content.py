from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_samples import PAGE, PICTURE, WALKED
from report_samples import DEADLOCK, REPORTS, odd, place, report

from kubelint_gpu.findings.finding import Place, Related
from kubelint_gpu.report.content import NEAR, Mark, Options, groups, headline, object_name
from kubelint_gpu.report.format_names import FORMATS, renderer
from kubelint_gpu.report.page import render
from kubelint_gpu.values import replace

WILD = st.text(st.characters(), max_size=60)


def output(name, found, **options):
    return "".join(renderer(name)(found, Options(**options)))


def wild(message, path):
    return report(
        odd(1, 1, 2, message, path, scheduler=message, related=(Related(place(path, 1, 1, 2), message),)), sources={}
    )


def parsed(xml):
    return ET.fromstring(xml.encode())  # noqa: S314 our own output, never a stranger's


@pytest.mark.parametrize("name", ["json", "sarif", "github", "gitlab", "junit"])
def test_the_whole_output_is_as_expected(name, expected):
    expected(f"{name}.txt", output(name, REPORTS["several"]))


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_every_format_ends_with_a_line_end_or_is_empty(name, any_report):
    shown = output(name, any_report)
    assert shown == "" or shown.endswith("\n")


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_every_format_is_utf8_and_cannot_steer_a_terminal(name, any_report):
    shown = output(name, any_report, unicode=True)
    assert shown.encode().decode() == shown
    assert all(char == "\n" or char.isprintable() for char in shown)


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_the_order_of_arrival_does_not_matter(name):
    findings = list(REPORTS["several"].findings) + list(REPORTS["odd"].findings)
    findings += [replace(DEADLOCK, fixes=()), replace(DEADLOCK, scheduler=None)]
    shuffled = random.Random(7).sample(findings, len(findings))
    assert output(name, report(*findings)) == output(name, report(*shuffled))


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_ten_thousand_findings_are_written_in_small_pieces(name):
    findings = [odd(1 + number, 1, 2, path="many.yaml") for number in range(10_000)]
    pieces = list(renderer(name)(report(*findings, sources={}), Options()))
    assert max(map(len, pieces)) < 4096
    # GitHub's limits: annotations of one step, bytes of a job summary; a page and a terminal show the worst
    assert len(pieces) >= {"github": 11, "markdown": 5_000, "html": 1_000, "text": 1_000}.get(name, 9_990)


def test_an_unknown_format_is_a_key_error():
    with pytest.raises(KeyError, match="yaml"):
        renderer("yaml")


def test_the_table_of_formats_imports_none_of_them():
    code = (
        "import sys, kubelint_gpu.report.format_names as f\n"
        "print([m for m, _ in f.FORMATS.values() if m in sys.modules], 'json' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[] False\n"


def test_gitlab_reads_severity_place_and_fingerprint():
    issues = json.loads(output("gitlab", REPORTS["several"]))
    assert [(issue["severity"], issue["fingerprint"]) for issue in issues] == [
        ("major", "88bb"),
        ("critical", "77aa"),
        ("critical", "2f6c1a7be0d94c55"),
        ("info", "99cc"),
    ]
    assert issues[0]["location"] == {"path": "deploy/batch.yaml", "lines": {"begin": 1, "end": 5}}
    assert output("gitlab", report()) == "[]\n"


def test_junit_counts_what_it_holds(any_report):
    root = parsed(output("junit", any_report))
    for node in [root, *root.iter("testsuite")]:
        assert int(node.get("tests")) == len(list(node.iter("testcase"))) > 0
        assert int(node.get("failures")) == len(list(node.iter("failure")))
        assert int(node.get("errors")) == len(list(node.iter("error")))


def test_junit_lets_notes_pass_and_fails_the_rest():
    cases = parsed(output("junit", REPORTS["several"])).iter("testcase")
    assert {case.get("name").split()[0]: case[0].tag for case in cases} == {
        "KLG107": "failure",
        "KLG302": "failure",
        "KLG101": "failure",
        "KLG203": "system-out",
    }


def test_junit_calls_undecided_an_error():
    root = parsed(output("junit", REPORTS["undecided"]))
    assert [case.find("error") is not None for case in root.iter("testcase")] == [True]
    assert root.get("errors") == "1"


def test_junit_without_findings_has_one_test_that_passes():
    assert [len(case) for case in parsed(output("junit", report())).iter("testcase")] == [0]


@given(WILD, WILD)
def test_junit_is_xml_whatever_the_input_says(message, path):
    root = parsed(output("junit", wild(message, path)))
    assert root.find("testsuite/testcase/failure") is not None


def shown(found):
    return "".join(render(found, Options()))


def data(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])


def test_a_story_without_a_picture_has_no_controls():
    page = shown(report(DEADLOCK))
    assert "walk" not in page[page.index("<body>") : page.index("<script")]
    assert data(page) == {}


def test_stage_data_has_a_moment_for_each_step():
    found = data(shown(replace(PAGE, findings=(WALKED,))))["p1"]
    assert found["steps"] == list(PICTURE.steps)
    assert len(found["moments"]) == len(PICTURE.moments)


def at(line, path="a.yaml", column=1, end_line=None, end_column=5):
    return Place(path, line, column, end_line or line, end_column)


def finding(*related, at_line=10):
    return replace(DEADLOCK, place=at(at_line), related=tuple(Related(place, text) for place, text in related))


def lines(found):
    return [[(mark.place.line, mark.label, mark.primary) for mark in group] for group in found]


def test_places_of_one_screen_are_one_snippet_by_line():
    found = groups(finding((at(10 + NEAR), "below"), (at(3), "above"), (at(10), "here")))
    assert lines(found) == [[(3, "above", False), (10, "here", True), (10 + NEAR, "below", False)]]


def test_what_is_farther_away_or_in_another_file_stands_apart_and_behind():
    found = groups(finding((at(200), "far"), (at(11, "0.yaml"), "other")))
    assert [[label for _, label, _ in group] for group in lines(found)][1:] == [["far"], ["other"]]
    assert found[0][0].primary


def test_what_is_said_of_one_place_is_joined_and_silence_names_the_object():
    assert lines(groups(finding((at(10), "one"), (at(10), "two")))) == [[(10, "one; two", True)]]
    bare = finding()
    assert lines(groups(bare)) == [[(10, object_name(bare), True)]]


def test_of_many_sentences_about_a_place_ten_are_shown():
    label = lines(groups(finding(*[(at(10), str(number)) for number in range(1000)])))[0][0][1]
    assert label == "0; 1; 2; 3; 4; 5; 6; 7; 8; 9; and 990 more"


@pytest.mark.parametrize(
    ("message", "named"),
    [
        ("the rollout never ends: the new pod waits, held by Deployment b/b", True),
        ("the rollout of Deployment ml/ab never ends", True),
        ("the rollout of Deployment ml/a never ends", False),
        ("rolled out together, Deployments ml/a, ml/b block each other", False),
        ("Deployments ml/b and ml/a block each other", False),
        ("StatefulSet ml/a has the same selector", True),
        ("of the pods of b, a and c one waits", True),
        ("Deployment a: no node", False),
        ("Deployment/ml/a is here twice", False),
    ],
)
def test_a_headline_names_the_object_once(message, named):
    told = headline(replace(DEADLOCK, object="Deployment/ml/a", message=message))
    assert told == (f"Deployment ml/a: {message}" if named else message)
    assert headline(replace(DEADLOCK, object="", message=message)) == message


def test_an_end_before_the_first_column_shows_no_part_of_its_line():
    assert Mark(at(3, end_line=5, end_column=1), "").last_line == 4
    assert Mark(at(3, end_line=5, end_column=2), "").last_line == 5
    assert Mark(at(3, end_line=3, end_column=1), "").last_line == 3
