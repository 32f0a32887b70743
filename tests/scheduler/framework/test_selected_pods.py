"""Pods that a selector matches: found by their labels where there are many, the same as by looking at each."""

from __future__ import annotations

import pytest
from plugin_objects import node, pod

from kubelint_gpu.budget import PLACEMENT
from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.kube.values.selectors import read_label_selector
from kubelint_gpu.scheduler import Snapshot, read_cluster
from kubelint_gpu.scheduler.framework.selected_pods import placed_matching

MANY = PLACEMENT.few_groups + 20
SELECTORS = (
    {},
    {"matchLabels": {"app": "a3"}},
    {"matchLabels": {"app": "a3", "team": "t1"}},
    {"matchExpressions": [{"key": "app", "operator": "In", "values": ["a1", "a2", "nobody"]}]},
    {"matchExpressions": [{"key": "team", "operator": "NotIn", "values": ["t0"]}]},
    {"matchExpressions": [{"key": "absent", "operator": "DoesNotExist"}]},
)


@pytest.mark.parametrize("count", [10, MANY])
@pytest.mark.parametrize("selector", SELECTORS)
@pytest.mark.parametrize("namespaces", [None, frozenset({"default"})])
def test_the_pods_are_those_that_match(count, selector, namespaces):
    pods = [
        pod(
            f"p{number}",
            "n",
            labels={"app": f"a{number}", "team": f"t{number % 2}"},
            namespace=("default", "other")[number % 3 == 0],
        )
        for number in range(count)
    ]
    snapshot = Snapshot.of(read_cluster([node("n"), *pods], version="1.34"))
    chosen = read_label_selector(Fields(selector))
    found = placed_matching(snapshot, chosen, namespaces)
    names = sorted(one.meta.name for _, group in found for one, _ in group)
    wanted = [one for one in snapshot.pods if chosen.matches(one.meta.labels)]
    assert names == sorted(one.meta.name for one in wanted if namespaces is None or one.meta.namespace in namespaces)


def test_no_selector_matches_nobody():
    snapshot = Snapshot.of(read_cluster([node("n"), pod("p", "n")], version="1.34"))
    assert list(placed_matching(snapshot, None, None)) == []
