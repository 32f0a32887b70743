"""JSON: the keys of the contract."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from report_samples import DEADLOCK, REPORTS, odd, place, report

from kubelint_gpu.findings.finding import Related, Summary
from kubelint_gpu.report.content import Options
from kubelint_gpu.report.format_names import renderer

KEYS = "code name severity certainty moment message path line column endLine endColumn object objects scheduler related trace fixes fingerprint"
WILD = st.text(st.characters(), max_size=60)


def output(name, found, **options):
    return "".join(renderer(name)(found, Options(**options)))


def wild(message, path):
    return report(
        odd(1, 1, 2, message, path, scheduler=message, related=(Related(place(path, 1, 1, 2), message),)), sources={}
    )


def test_json_has_the_keys_of_the_contract_in_their_order():
    found = json.loads(output("json", report(DEADLOCK)))
    assert list(found) == ["version", "findings", "decided", "summary"]
    finding = found["findings"][0]
    assert list(finding) == KEYS.split()
    assert list(finding["related"][0]) == ["path", "line", "column", "endLine", "endColumn", "message"]
    assert list(finding["trace"][0]) == ["step", "actor", "message"]
    assert list(finding["fixes"][0]) == ["title", "safety", "verified", "edits"]
    assert list(finding["fixes"][0]["edits"][0]) == ["path", "line", "column", "endLine", "endColumn", "text"]
    summary = "files documents workloads nodes errors warnings notes ignored baseline undecided seconds"
    assert list(found["summary"]) == summary.split()


def test_json_closes_the_trace_with_the_wait_cycle():
    finding = json.loads(output("json", report(DEADLOCK)))["findings"][0]
    assert [(step["step"], step["actor"]) for step in finding["trace"][3:]] == [
        (4, "deployment-controller"),
        (5, "cycle"),
        (6, "cycle"),
    ]
    assert [step["message"] for step in finding["trace"][4:]] == list(DEADLOCK.cycle)


def test_json_is_indented_by_two_as_a_whole():
    shown = output("json", REPORTS["tracker"])
    again = json.dumps(json.loads(shown), indent=2, ensure_ascii=False) + "\n"
    assert shown == again


def test_json_without_findings_has_an_empty_array():
    shown = output("json", report(summary=Summary(files=1, seconds=2)))
    assert json.loads(shown)["findings"] == []
    assert '"seconds": 2.000\n' in shown


@given(WILD, WILD)
def test_json_gives_back_any_text(message, path):
    shown = output("json", wild(message, path))
    finding = json.loads(shown.encode())["findings"][0]

    def held(text):
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

    assert [finding["message"], finding["path"]] == [held(message), held(path)]


def test_json_has_the_remarks_about_the_run_if_there_are_any():
    assert "remarks" not in json.loads(output("json", report()))
    assert json.loads(output("json", report(summary=Summary(remarks=("a", "b")))))["remarks"] == ["a", "b"]


def test_json_names_the_helm_that_rendered_charts():
    assert "helm" not in json.loads(output("json", report()))
    assert json.loads(output("json", report(summary=Summary(helm="v3.1.0"))))["helm"] == "v3.1.0"
