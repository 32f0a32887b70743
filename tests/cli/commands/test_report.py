"""`kubelint-gpu report merge` as it is called."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from report_samples import REPORTS

from kubelint_gpu.cli.commands.report import NotMergeable, merged
from kubelint_gpu.cli.main import main
from kubelint_gpu.report.content import Options
from kubelint_gpu.report.formats import json as json_format

ONE = {
    "version": "1",
    "findings": [],
    "summary": {"errors": 0, "warnings": 0, "notes": 0, "workloads": 1, "nodes": 3, "seconds": 1.5},
}


def test_a_link_of_the_checkout_that_leads_outside_is_not_followed(tmp_path, monkeypatch):
    folder = tmp_path / "checkout"
    (folder / ".git").mkdir(parents=True)
    (tmp_path / "report.json").write_text('{"version": "1", "secret": 1}')
    (folder / "report.json").symlink_to("../report.json")
    monkeypatch.chdir(folder)
    ran = CliRunner().invoke(main, ["report", "merge", "report.json"])
    assert ran.exit_code != 0
    assert "it is a link of the checkout, or lies behind one, that leads outside" in ran.output
    assert "secret" not in ran.output


def found(line, severity="error", **more):
    place = {"path": "a.yaml", "line": line, "column": 1, "endLine": line, "endColumn": 2}
    return {**place, "code": "KLG101", "object": "", "message": "", "fingerprint": "", "severity": severity, **more}


def of(*reports):
    return json.loads("".join(merged(reports)))


def test_findings_are_told_once_in_the_order_of_places():
    one = {**ONE, "findings": [found(9), found(2, "note")]}
    two = {**ONE, "findings": [found(2, "note"), found(1, "warning")]}
    both = of(one, two)
    assert [each["line"] for each in both["findings"]] == [1, 2, 9]
    assert {name: both["summary"][name] for name in ("errors", "warnings", "notes")} == {
        "errors": 1, "warnings": 1, "notes": 1
    }  # fmt: skip
    assert of(two, one) == both


def test_what_each_job_counted_of_its_own_is_added_and_what_all_saw_is_not():
    summary = of(ONE, {**ONE, "summary": {**ONE["summary"], "seconds": 2.0}})["summary"]
    assert (summary["workloads"], summary["nodes"], summary["seconds"]) == (2, 3, 2.0)


def test_a_job_that_failed_fails_the_whole():
    assert "failed" not in of(ONE, ONE)
    assert of(ONE, {**ONE, "failed": "no such file"})["failed"] == "no such file"


@pytest.mark.parametrize(
    ("reports", "text"),
    [
        (({**ONE}, {**ONE, "version": "2"}), "they are of different releases"),
        ((ONE, {"runs": []}), "all be JSON reports, or all SARIF"),
        (({"findings": []},), "no report of kubelint-gpu: KeyError"),
        (({"runs": []},), "no report of kubelint-gpu: IndexError"),
        (({"x": 1},), "all be JSON reports"),
    ],
)
def test_what_is_no_report_is_refused_and_why(reports, text):
    with pytest.raises(NotMergeable, match=text):
        "".join(merged(reports))


def test_a_report_merged_with_itself_has_the_same_findings():
    whole = json.loads("".join(json_format.render(REPORTS["several"], Options())))
    assert of(whole, whole)["findings"] == of(whole)["findings"]


def test_a_remark_that_several_jobs_make_is_told_once():
    assert "remarks" not in of(ONE, ONE)
    assert of({**ONE, "remarks": ["a", "b"]}, {**ONE, "remarks": ["a"]}, ONE)["remarks"] == ["a", "b"]
    assert of(ONE, {**ONE, "helm": "v3.1.0"})["helm"] == "v3.1.0"
