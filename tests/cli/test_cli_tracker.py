"""The case that started the project, end to end."""

from __future__ import annotations

import re

import pytest
from command_line import TRACKER, check_json, kubelint

NODES = TRACKER / "nodes.yaml"
HEAD = "0/10 nodes are available: 1 Insufficient nvidia.com/gpu, 9 node(s) didn't match Pod's node affinity/selector. "
TAIL = "preemption: 0/10 nodes are available: 1 No preemption victims found for incoming pod, 9 Preemption is not helpful for scheduling."


@pytest.fixture
def manifest(tmp_path):
    """The tracker's Deployment with something replaced."""

    def write(*replacements):
        text = (TRACKER / "tracker.yaml").read_text()
        for old, new in replacements:
            assert old in text
            text = text.replace(old, new, 1)
        path = tmp_path / "manifest.yaml"
        path.write_text(text)
        return path

    return write


def strategy(text):
    return ("  replicas: 1\n", f"  replicas: 1\n  strategy: {text}\n")


def test_the_deadlock_is_found_with_the_schedulers_text_to_the_letter():
    ran = check_json(TRACKER / "tracker.yaml", "--inventory", NODES)
    assert ran.code == 1
    assert ran.codes == ["KLG101", "KLG301"]
    deadlock = next(finding for finding in ran.json["findings"] if finding["code"] == "KLG101")
    assert deadlock["severity"] == "error"
    assert deadlock["certainty"] == "certain"
    assert deadlock["scheduler"] == HEAD + "no new claims to deallocate, " + TAIL
    assert deadlock["object"] == "Deployment/vision/object-tracker"
    assert deadlock["trace"]
    lines = (TRACKER / "tracker.yaml").read_text().splitlines()
    assert lines[deadlock["line"] - 1] == "spec:"
    related = {(place["path"].rpartition("/")[2], place["message"]) for place in deadlock["related"]}
    assert ("tracker.yaml", "each pod takes 1 nvidia.com/gpu") in related
    assert ("tracker.yaml", "only tracker-node can take it") in related
    assert ("nodes.yaml", "tracker-node has 1 nvidia.com/gpu") in related
    assert [fix["verified"] for fix in deadlock["fixes"]] == [True, True]


def test_before_1_34_the_text_is_that_of_the_release(tmp_path):
    nodes = tmp_path / "nodes.yaml"
    nodes.write_text(NODES.read_text().replace("v1.34.1+k3s1", "v1.33.5+k3s1"))
    deadlock = check_json(TRACKER / "tracker.yaml", "--inventory", nodes).json["findings"][0]
    assert deadlock["scheduler"] == HEAD + TAIL


@pytest.mark.parametrize("form", ["nodes.yaml", "inventory.yaml"])
def test_both_forms_of_the_inventory_give_the_same_finding(form):
    findings = check_json(TRACKER / "tracker.yaml", "-i", TRACKER / form).json["findings"]
    raw = check_json(TRACKER / "tracker.yaml", "-i", NODES).json["findings"]
    keys = ("code", "message", "path", "line", "column", "scheduler", "trace", "fixes", "fingerprint")
    assert [[finding[key] for key in keys] for finding in findings] == [
        [finding[key] for key in keys] for finding in raw
    ]


@pytest.mark.parametrize(
    "text",
    ["{rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}", "{type: Recreate}", "{rollingUpdate: {maxSurge: 0}}"],
)
def test_a_strategy_that_lets_the_old_pod_go_first_has_no_deadlock(manifest, text):
    assert check_json(manifest(strategy(text)), "-i", NODES).serious == []


def test_a_second_gpu_on_the_node_has_no_deadlock(tmp_path):
    nodes = tmp_path / "nodes.yaml"
    text = NODES.read_text().replace("nvidia.com/gpu: '1'", "nvidia.com/gpu: '2'")
    nodes.write_text(text.replace("nvidia.com/gpu.count: '1'", "nvidia.com/gpu.count: '2'"))
    assert check_json(TRACKER / "tracker.yaml", "-i", nodes).serious == []


def test_two_replicas_on_one_gpu_are_missing_capacity_and_no_deadlock(manifest):
    ran = check_json(manifest(("replicas: 1", "replicas: 2")), "-i", NODES)
    assert ran.serious == ["KLG109"]
    found = next(finding for finding in ran.json["findings"] if finding["code"] == "KLG109")
    assert "only 1 of 2 replicas can run" in found["message"]


def test_a_node_without_a_gpu_is_unschedulable_and_no_deadlock(manifest):
    ran = check_json(manifest(("hostname: tracker-node", "hostname: worker-1")), "-i", NODES)
    assert "KLG201" in ran.codes
    assert "KLG101" not in ran.codes


def test_every_fix_that_is_offered_makes_the_finding_go_away(tmp_path):
    path = TRACKER / "tracker.yaml"
    deadlock = check_json(path, "-i", NODES).json["findings"][0]
    lines = path.read_text().splitlines(keepends=True)
    for fix in deadlock["fixes"]:
        (edit,) = fix["edits"]
        assert (edit["line"], edit["column"]) == (edit["endLine"], edit["endColumn"])
        at = sum(len(line) for line in lines[: edit["line"] - 1]) + edit["column"] - 1
        text = "".join(lines)
        fixed = tmp_path / "fixed.yaml"
        fixed.write_text(text[:at] + edit["text"] + text[at:])
        assert check_json(fixed, "-i", NODES).serious == []


def test_all_formats_tell_the_same_findings_on_the_same_lines(tmp_path):
    arguments = ["check", TRACKER / "tracker.yaml", "-i", NODES]
    ran = kubelint(
        *arguments,
        *("--verbose", "--output-format", "text", "--output-format", "json", "--output-file", tmp_path / "j"),
        *("--output-format", "sarif", "--output-file", tmp_path / "s"),
        *("--output-format", "github", "--output-file", tmp_path / "g"),
    )
    assert ran.code == 1
    import json

    told = [(found["code"], found["line"]) for found in json.loads((tmp_path / "j").read_text())["findings"]]
    sarif = json.loads((tmp_path / "s").read_text())["runs"][0]["results"]
    assert [(r["ruleId"], r["locations"][0]["physicalLocation"]["region"]["startLine"]) for r in sarif] == told
    github = re.findall(r"^::\w+ .*?line=(\d+).*?title=(KLG\d+)", (tmp_path / "g").read_text(), re.MULTILINE)
    assert [(code, int(line)) for line, code in github] == told
    text = re.findall(r"\[(KLG\d+)\].*?--> \S+?:(\d+):", ran.out, re.DOTALL)
    assert [(code, int(line)) for code, line in text] == told


def test_the_fixed_manifest_is_clean():
    ran = kubelint("check", "examples/tracker/fixed.yaml", "-i", "examples/tracker/nodes.yaml")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "Checked 1 file, 3 documents, 1 workload against 10 nodes: all is well.\n"
