"""One run, followed through every format: the same findings, at the same places, whatever reads them."""

from __future__ import annotations

import json
import re

import pytest
from command_line import TRACKER, check_json, kubelint

ARGUMENTS = (TRACKER / "tracker.yaml", "-i", TRACKER / "nodes.yaml")


@pytest.fixture(scope="module")
def found():
    return check_json(*ARGUMENTS).json


def written(name):
    return kubelint("check", *ARGUMENTS, "--output-format", name).out


def test_sarif_has_the_same_findings(found):
    run = json.loads(written("sarif"))["runs"][0]
    results = [
        (
            result["ruleId"],
            result["level"],
            result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            result["locations"][0]["physicalLocation"]["region"]["startLine"],
            result["locations"][0]["physicalLocation"]["region"]["startColumn"],
            result["partialFingerprints"]["kubelintGpu/v1"],
            len(result.get("fixes", [])),
        )
        for result in run["results"]
    ]
    assert sorted(results) == sorted(
        (
            one["code"],
            one["severity"],
            one["path"],
            one["line"],
            one["column"],
            one["fingerprint"],
            sum(bool(fix["edits"]) for fix in one["fixes"]),
        )
        for one in found["findings"]
    )
    for result in run["results"]:
        sentence = result["message"]["text"].split("\n")[0].rstrip(".").lower()
        assert any(sentence.endswith(one["message"].rstrip(".").lower()) for one in found["findings"])


def test_github_has_the_same_findings(found):
    lines = written("github").splitlines()
    kinds = {"error": "error", "warning": "warning", "note": "notice"}
    assert sorted(
        re.match(r"::(\w+) file=(.*?),line=(\d+),.*title=(KLG\d+)", line).groups() for line in lines
    ) == sorted((kinds[one["severity"]], one["path"], str(one["line"]), one["code"]) for one in found["findings"])


def test_text_has_the_same_findings(found):
    """But for notes, which are shown if nothing is worse."""
    shown = written("text")
    worse = [one for one in found["findings"] if one["severity"] != "note"]
    assert sorted(re.findall(r"^(error|warning|note)\[(KLG\d+)\]", shown, re.MULTILINE)) == sorted(
        (one["severity"], one["code"]) for one in worse
    )
    for one in worse:
        assert f"--> {one['path']}:{one['line']}:{one['column']}\n" in shown


def test_nothing_follows_a_document_on_standard_output(tmp_path):
    """Even with statistics of another format, fixes and warnings: what a program reads ends where its document ends."""
    (tmp_path / "a.yaml").write_text((TRACKER / "tracker.yaml").read_text())
    (tmp_path / "broken.yaml").write_text("a: [")
    for name in ("json", "sarif", "gitlab"):
        ran = kubelint("check", "a.yaml", "broken.yaml", "missing.yaml", "--fix", "--output-format", name, cwd=tmp_path)
        json.loads(ran.out)
        assert "missing.yaml" in ran.err
        assert ran.code == 2


def test_each_inventory_is_a_category_of_its_own(tmp_path):
    """GitHub replaces the alerts of a category by those of its next upload."""
    for name, expected in (("east.yaml", "east.yaml"), ("a b/wést.yaml", "a-b/w-st.yaml")):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text((TRACKER / "nodes.yaml").read_text())
        ran = kubelint("check", TRACKER / "fixed.yaml", "-i", name, "--output-format", "sarif", cwd=tmp_path)
        assert json.loads(ran.out)["runs"][0]["automationDetails"] == {"id": f"kubelint-gpu/{expected}/"}
    ran = kubelint("check", TRACKER / "fixed.yaml", "--isolated", "--output-format", "sarif", cwd=tmp_path)
    assert json.loads(ran.out)["runs"][0]["automationDetails"] == {"id": "kubelint-gpu/"}
