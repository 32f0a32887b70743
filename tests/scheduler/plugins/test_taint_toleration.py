"""TaintToleration: the tables of its specification."""

from __future__ import annotations

import pytest
from plugin_objects import node, pod, verdicts

U, UU = "Unschedulable", "UnschedulableAndUnresolvable"


def taint(key, value="", effect="NoSchedule"):
    return {"key": key, "value": value, "effect": effect}


@pytest.mark.parametrize(
    ("tolerations", "taints", "named"),
    [
        ([], [taint("a", "b", "PreferNoSchedule")], None),
        ([], [taint("a"), taint("b", "x", "NoExecute")], "a: "),
        ([{"key": "a", "operator": "Exists"}], [taint("a", "1"), taint("b", "2")], "b: 2"),
        ([{"key": "a", "operator": "Exists", "effect": "NoSchedule"}], [taint("a", "1", "NoExecute")], "a: 1"),
        ([{"operator": "Exists", "effect": "NoSchedule"}], [taint("x"), taint("y", effect="NoExecute")], "y: "),
        ([{"key": "a", "value": "x"}], [taint("a", "x"), taint("a", "x", "NoExecute")], None),
        ([{"key": "a", "operator": "Equal", "value": ""}], [taint("a")], None),
        ([{"key": "a", "value": "y"}], [taint("a", "x")], "a: x"),
    ],
)
@pytest.mark.parametrize("version", ["1.34", "1.35"])
def test_the_first_untolerated_taint_is_named_before_1_35(tolerations, taints, named, version):
    text = "node(s) had untolerated taint(s)" if version == "1.35" else f"node(s) had untolerated taint {{{named}}}"
    verdict = None if named is None else (UU, text)
    assert verdicts(pod(tolerations=tolerations), node("n", taints=taints), version=version) == {"n": verdict}
