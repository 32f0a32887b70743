"""The plugins that look at one node alone: the tables of their specification."""

from __future__ import annotations

import pytest
from plugin_objects import node, pod, verdicts

U, UU = "Unschedulable", "UnschedulableAndUnresolvable"
CORDONED = (UU, "node(s) were unschedulable")
UNSCHEDULABLE = "node.kubernetes.io/unschedulable"


def taint(key, value="", effect="NoSchedule"):
    return {"key": key, "value": value, "effect": effect}


@pytest.mark.parametrize(
    ("tolerations", "verdict"),
    [
        ([], CORDONED),
        ([{"key": UNSCHEDULABLE, "operator": "Exists"}], None),
        ([{"operator": "Exists"}], None),
        ([{"key": UNSCHEDULABLE, "operator": "Exists", "effect": "NoExecute"}], CORDONED),
    ],
)
def test_a_cordoned_node_takes_those_that_tolerate_its_taint(tolerations, verdict):
    cordoned = node("n", unschedulable=True, taints=[taint(UNSCHEDULABLE)])
    assert verdicts(pod(tolerations=tolerations), cordoned) == {"n": verdict}


@pytest.mark.parametrize(
    ("name", "verdict"), [("", None), ("n1", None), ("N1", (UU, "node(s) didn't match the requested node name"))]
)
def test_a_pod_that_names_its_node_goes_nowhere_else(name, verdict):
    assert verdicts(pod(nodeName=name), node("n1")) == {"n1": verdict}
