"""What a capture shows of a workload, where nothing is compared, is what it was: its replicas, its template, or nothing."""

from __future__ import annotations

import pytest
from change_cases import GIVES, inventory, made, on
from checks_units import findings

SYSTEM = "---\n{apiVersion: v1, kind: Namespace, metadata: {name: kube-system}}\n"


def cluster(*nodes, gpus=2, captured=True):
    """Two nodes of two GPUs with pods of `a` on some of them, each with so many GPUs."""
    pods = "".join(
        f"  - {{name: a-7d-{number}, namespace: serving, node: {node}, gpus: {gpus}, owner: ReplicaSet/a-7d, "
        "labels: {app: a, pod-template-hash: 7d}, priorityClassName: serving}\n"
        for number, node in enumerate(nodes)
    )
    return inventory(2, 2, more=f"running:\n{pods}") + SYSTEM * captured


def told(text, shown):
    found = findings(text, shown)
    return [(one.code, one.object.rpartition("/")[2], one.moment) for one in found if one.code in ("KLG101", "KLG109")]


@pytest.mark.parametrize(
    ("text", "shown", "waits"),
    [
        # one of two pods goes in this apply, and leaves its node
        (made("a", GIVES, gpus=2), cluster("n1", "n2"), False),
        (made("a", GIVES, replicas=2, gpus=2), cluster("n1", "n2"), True),
        # the only pod moves away from the node
        (made("a", GIVES, gpus=2, pod=on("n2")), cluster("n1"), False),
    ],
)
def test_what_is_given_up_in_the_same_apply_is_room(text, shown, waits):
    new = made("b", GIVES, gpus=2, pod=on("n1") if "on: n2" in text else "")
    assert (("KLG109", "b", "now") in told(text + new, shown)) == waits


@pytest.mark.parametrize(("captured", "moment"), [(True, "next"), (False, "now")])
def test_what_a_whole_capture_does_not_have_is_new(captured, moment):
    shown = cluster("n1", captured=captured)
    assert ("KLG101", "b", moment) in told(made("b", gpus=2, pod=on("n2")), shown)


def test_pods_that_run_where_none_could_go_now_run_on():
    shown = cluster("n1", gpus=2).replace("on: n1}\n", "on: n1}\n    unschedulable: true\n")
    assert told(made("a", GIVES, replicas=2, gpus=2), shown) == []
