"""What makes a run fail, and what it says of questions that it did not decide."""

from __future__ import annotations

import json
import shutil
import xml.etree.ElementTree as ET

import pytest
from command_line import ROOT, TRACKED, check_json, kubelint

NOT_JUDGED = ROOT / "rules" / "KLG000-not-judged"
CUT_SHORT = ("too-many-placements.yaml", "-i", "inventory.yaml", "--effort", "low")
WHY = "the work of one run was used up"
# a claim of which no inventory says what devices there are: the rollout is undecided, and nothing else is found
OPEN = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: chat, namespace: serving}
spec:
  selector: {matchLabels: {app: chat}}
  template:
    metadata: {labels: {app: chat}}
    spec:
      priorityClassName: serving
      resourceClaims: [{name: gpu, resourceClaimTemplateName: gpu}]
      containers:
        - name: main
          image: registry.example.com/main:1
          readinessProbe: {httpGet: {path: /, port: 80}}
          resources: {claims: [{name: gpu}], requests: {cpu: 1, memory: 1Gi}, limits: {memory: 1Gi}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: gpu, namespace: serving}
spec:
  spec:
    devices:
      requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}]
"""
NODES = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.34"
nodes:
  - {name: node-1, allocatable: {cpu: 8, memory: 64Gi}}
priorityClasses:
  - {name: serving, value: 1000}
"""


@pytest.fixture
def cut_short(tmp_path):
    """A folder where a run with little effort uses up its work."""
    for name in ("bad/too-many-placements.yaml", "inventory.yaml"):
        shutil.copy(NOT_JUDGED / name, tmp_path)
    return tmp_path


@pytest.fixture
def left_open(tmp_path):
    (tmp_path / "a.yaml").write_text(OPEN)
    (tmp_path / "nodes.yaml").write_text(NODES)
    return "a.yaml", "-i", "nodes.yaml", "--ignore", "KLG702"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ((), 0),
        (("--fail-on", "warning"), 0),
        (("--fail-on", "note"), 1),
        (("--fail-on", "undecided"), 1),
        (("--fail-on", "undecided", "--min-severity", "error"), 1),
        (("--fail-on", "undecided", "--select", "KLG101"), 1),
        (("--fail-on", "undecided", "--ignore", "KLG107"), 0),
        (("--fail-on", "undecided", "--exit-zero"), 0),
        (("--min-severity", "note"), 0),
    ],
)
def test_an_undecided_question_fails_only_if_that_is_asked_for_and_is_never_silent(left_open, options, code, tmp_path):
    ran = kubelint("check", *left_open, *options, cwd=tmp_path)
    assert ran.code == code, ran.out
    assert "1 undecided: what decides it is not known" in " ".join(ran.out.split())


@pytest.mark.parametrize(
    ("options", "shown", "code"),
    [
        (("--fail-on", "error"), ["KLG101", "KLG301"], 1),
        (("--fail-on", "error", "--select", "KLG301"), ["KLG301"], 0),
        (("--fail-on", "note", "--select", "KLG301"), ["KLG301"], 1),
        (("--fail-on", "note", "--select", "KLG301", "--min-severity", "error"), [], 1),
        (("--select", "KLG301", "--min-severity", "error", "--fail-on", "error"), [], 0),
    ],
)
def test_the_threshold_does_not_depend_on_what_is_shown(options, shown, code):
    ran = check_json("examples/tracker/tracker.yaml", "-i", "examples/tracker/nodes.yaml", *options)
    assert (ran.codes, ran.code) == (shown, code)


def test_the_closing_line_counts_what_is_not_shown():
    arguments = ("examples/tracker/tracker.yaml", "-i", "examples/tracker/nodes.yaml", "--select", "KLG301")
    ran = kubelint("check", *arguments, "--min-severity", "error")
    assert "nothing to report (1 not shown)" in ran.out


def test_an_unknown_threshold_is_a_usage_error():
    assert kubelint("check", "-", "--fail-on", "everything", stdin=TRACKED.encode()).code == 2


def test_every_format_says_what_is_undecided_and_why(left_open, tmp_path):
    names = ("html", "github", "text", "concise", "markdown", "json", "sarif", "junit", "gitlab")
    outputs = [word for name in names for word in ("--output-format", name, "--output-file", name)]
    kubelint("check", *left_open, "--ignore", "KLG107", *outputs, cwd=tmp_path)

    def written(name):
        return (tmp_path / name).read_text()

    told = "1 question is undecided: what decides it is not known"
    for name in ("html", "github"):
        assert told in written(name), name
    for name in ("text", "concise", "markdown"):
        assert "1 undecided: what decides it is not known" in " ".join(written(name).split()), name
    assert json.loads(written("json"))["undecided"] == [{"reason": "what decides it is not known", "count": 1}]
    (run,) = json.loads(written("sarif"))["runs"]
    (notification,) = run["invocations"][0]["toolExecutionNotifications"]
    assert (notification["level"], notification["message"]["text"]) == ("warning", f"{told}.")
    (error,) = ET.fromstring(written("junit")).iter("error")  # noqa: S314 our own output
    assert error.get("message") == told
    (issue,) = json.loads(written("gitlab"))
    assert (issue["check_name"], issue["description"]) == ("undecided", told)


def test_a_finding_says_itself_that_it_is_undecided(left_open, tmp_path):
    (found,) = check_json(*left_open, cwd=tmp_path).json["findings"]
    assert (found["code"], found["undecided"]) == ("KLG107", "what decides it is not known")


@pytest.mark.parametrize(
    ("options", "shown", "code"),
    [
        ((), [("KLG000", "warning")], 1),
        (("--select", "not-judged"), [("KLG000", "warning")], 1),
        (("--ignore", "KLG000"), [], 0),
        (("--ignore", "KLG000", "--fail-on", "undecided"), [], 0),
        (("--min-severity", "error", "--fail-on", "error"), [], 0),
    ],
)
def test_what_is_cut_short_is_a_rule_like_any_other(cut_short, options, shown, code):
    ran = check_json(*CUT_SHORT, *options, cwd=cut_short)
    assert ([(one["code"], one["severity"]) for one in ran.json["findings"]], ran.code) == (shown, code)
    assert ran.json["undecided"] == [{"reason": WHY, "count": 1}]


@pytest.mark.parametrize(("severity", "code"), [("error", 1), ("note", 0), ("off", 0)])
def test_the_configuration_sets_the_severity_of_what_is_cut_short(cut_short, severity, code):
    settings = cut_short / "settings.yaml"
    settings.write_text(f"severity:\n  KLG000: {severity}\n")
    ran = check_json(*CUT_SHORT, "--config", settings, cwd=cut_short)
    assert [one["severity"] for one in ran.json["findings"]] == [severity] * (severity != "off")
    assert ran.code == code


def test_the_rule_is_listed_and_explained():
    assert "KLG000 not-judged" in kubelint("explain", "KLG000").out
    assert "KLG000" in kubelint("rules").out
