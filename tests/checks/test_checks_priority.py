"""What is said of the PriorityClass that a workload names."""

from __future__ import annotations

import pytest
from checks_units import deployment, findings

CLASSES = "priorityClasses:\n  - {name: gpu-serving, value: 1000}\n"
NODES = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
nodes:
  - {name: gpu-1, allocatable: {cpu: 16, memory: 64Gi}, gpus: {model: L4, count: 4}}
"""


def told(name, inventory):
    (found,) = findings(deployment(pod=f"priorityClassName: {name}"), inventory, "KLG302")
    return found


def test_nobody_can_declare_another_class_that_is_named_like_those_of_the_system():
    found = told("system-cluster-criticalx", NODES)
    assert (found.severity, found.certainty) == ("error", "certain")
    assert found.message.endswith("system-cluster-critical and system-node-critical may begin with system-)")
    assert [one.title for one in found.fixes] == ["use PriorityClass system-cluster-critical"]
    assert told("team-critical", NODES).certainty == "possible"
    assert " cannot exist: " in told("system-cluster-criticalx", "").message
    assert findings(deployment(pod="priorityClassName: team-critical"), "", "KLG302") == []


@pytest.mark.parametrize("name", ["gsp-critical", "critical"])
def test_a_class_that_is_only_a_little_alike_is_not_proposed(name):
    found = told(name, NODES + CLASSES)
    assert (found.help, found.fixes) == ((), ())
    assert told("gpu-servign", NODES + CLASSES).help == ("did you mean gpu-serving?",)


@pytest.mark.parametrize(
    ("policy", "alone", "beside"),
    [
        ("Never", "any pod with a class above 0", "any pod with a class above 0"),
        ("PreemptLowerPriority", "pods of class serving", "Deployment serving/other beside it"),
    ],
)
def test_a_class_that_never_preempts_is_no_threat(policy, alone, beside):
    inventory = f"{NODES}priorityClasses:\n  - {{name: serving, value: 1000, preemptionPolicy: {policy}}}\n"
    mine, other = deployment().replace("      priorityClassName: serving\n", ""), deployment(name="other")
    for text, told in ((mine, alone), (f"{mine}---\n{other}", beside)):
        (found,) = findings(text, inventory, "KLG301")
        assert f", and {told} can evict them" in found.message
        classes = [one.message for one in found.related if one.message.startswith("class ")]
        assert classes == ["class serving has value 1000"] * (policy != "Never")
