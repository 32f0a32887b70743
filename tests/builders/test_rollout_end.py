"""Which rule speaks of a rollout that does not end."""

from __future__ import annotations

import pytest
from checks_units import deployment, findings, unit
from small_inventories import CLASSES, HEAD, budget, daemon_set, inventory, running

from kubelint_gpu.analysis.rollout_facts import judged_together
from kubelint_gpu.simulation.search import engine
from kubelint_gpu.simulation.search.engine import GroupSearch
from kubelint_gpu.simulation.search.verdict import Runs


def stateful_set(replicas, policy="OrderedReady"):
    text = deployment(spec=f"replicas: {replicas}\nserviceName: chat\npodManagementPolicy: {policy}")
    return text.replace("kind: Deployment", "kind: StatefulSet")


def codes(text, nodes):
    return sorted(found.code for found in findings(text, nodes))


def test_an_ordered_stateful_set_that_lacks_room_is_one_finding_of_its_own_rule():
    assert codes(stateful_set(2), inventory()) == ["KLG111"]


def test_a_parallel_stateful_set_that_lacks_room_is_missing_capacity():
    assert codes(stateful_set(2, "Parallel"), inventory()) == ["KLG109"]


def test_a_daemon_set_that_surges_is_one_finding_of_its_own_rule():
    (found,) = findings(daemon_set(1), inventory(nodes=2))
    assert (found.code, found.severity, found.place.line) == ("KLG110", "error", 5)
    assert [(fix.safety, fix.verified) for fix in found.fixes] == [("safe", True)]


def grows(most, at_least=0):
    return f"    autoscaling: {{min: {at_least}, max: {most}}}\n"


def test_a_stateful_set_on_full_nodes_rolls_out():
    assert codes(stateful_set(1), inventory()) == []
    assert codes(stateful_set(2), inventory(nodes=2)) == []


def test_a_stateful_set_that_any_node_refuses_is_told_by_the_rule_for_the_cause():
    found = codes(stateful_set(1).replace("nvidia.com/gpu: 1", "nvidia.com/gpu: 4"), inventory())
    assert "KLG111" not in found
    assert found


def test_the_pod_that_waits_is_named_by_its_ordinal():
    text = stateful_set(3).replace("  selector", "  ordinals: {start: 10}\n  selector", 1)
    (found,) = findings(text, inventory(nodes=2))
    assert "while chat-12 is not ready" in found.message
    assert found.fixes == (), "a lower number does not rescue a set that waits already"


@pytest.mark.parametrize("text", [daemon_set(0, 1), daemon_set(1, limits="{cpu: 1}"), daemon_set("0%", 1)])
def test_a_daemon_set_that_does_not_surge_or_fits_twice_is_silent(text):
    assert codes(text, inventory(nodes=2)) == []


def test_a_daemon_sets_pods_hold_what_they_hold_in_the_rollouts_of_others():
    beside = daemon_set(0, 1, name="health") + "---\n" + deployment()
    assert codes(beside, inventory(gpus=2)) == ["KLG101"]
    assert codes(deployment(), inventory(gpus=2)) == []


@pytest.mark.parametrize("replicas", [1, 2, 3])
@pytest.mark.parametrize("nodes", [0, 1, 3])
def test_nodes_that_join_for_the_replicas_are_no_reason_for_a_note_and_one_more_is(replicas, nodes):
    room = inventory(nodes=nodes, scaling=grows(5))
    moves = "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}"
    assert codes(deployment(spec=f"replicas: {replicas}\n{moves}"), room) == []
    assert codes(deployment(spec=f"replicas: {replicas}"), room) == ([] if replicas < nodes else ["KLG114"])
    assert codes(
        deployment(spec=f"replicas: {replicas}"), inventory(nodes=nodes, scaling=grows(max(1, nodes, replicas)))
    ) == ([] if replicas < nodes else ["KLG101"])


def test_a_neighbour_of_lower_priority_is_evicted_and_named():
    (found,) = findings(deployment(), inventory(gpus=2, more=running("n-0", priority="low", owner="StatefulSet/n")))
    assert found.code == "KLG108"
    assert "1 pod of StatefulSet research/n (priority 1) from l4-1" in found.message
    assert [fix.title.partition(",")[0] for fix in found.fixes] == ["set strategy type: Recreate"]


def test_a_pod_that_nothing_creates_again_is_told_as_lost():
    (found,) = findings(deployment(), inventory(gpus=2, more=running("notebook", priority="low")))
    assert found.code == "KLG108"
    assert "a rollout (priority 1000) can evict Pod research/notebook (priority 1) from l4-1" in found.message
    assert "nothing creates it again" in found.message


def test_a_neighbour_of_the_same_priority_is_not_evicted():
    held = inventory(gpus=2, more=running("n-0", owner="StatefulSet/n"))
    assert codes(deployment(), held) == ["KLG101"]


def test_rollouts_that_end_together_are_silent():
    both = deployment() + "---\n" + deployment(name="other")
    assert codes(both, inventory(gpus=3)) == []
    assert [str(one.verdict) for one in judged_together(unit(both, inventory(gpus=3)))] == ["Verdict.COMPLETES"]


def test_rollouts_that_do_not_end_alone_are_not_told_again_together():
    both = deployment() + "---\n" + deployment(name="other")
    assert codes(both, inventory(gpus=2)) == ["KLG101", "KLG101"]


def hpa(most, kind="Deployment", name="chat"):
    return (
        f"apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {{name: chat, namespace: serving}}\n"
        f"spec:\n  scaleTargetRef: {{apiVersion: apps/v1, kind: {kind}, name: {name}}}\n  maxReplicas: {most}\n---\n"
    )


FREE = deployment(spec="strategy: {type: Recreate}")


@pytest.mark.parametrize(
    ("text", "nodes", "expected"),
    [
        (hpa(3) + FREE, inventory(nodes=2), ["KLG115"]),
        (hpa(2) + FREE, inventory(nodes=2), []),
        (hpa(3, name="other") + FREE, inventory(nodes=2), []),
        (hpa(3, kind="StatefulSet") + FREE, inventory(nodes=2), []),
        (hpa(3) + FREE, inventory(nodes=2, scaling=grows(3)), []),
        (hpa(4) + FREE, inventory(nodes=2, scaling=grows(3)), ["KLG115"]),
        (hpa(100) + FREE, inventory(nodes=2, scaling=grows(200)), []),
        (hpa(3) + FREE, "", []),
        (hpa(5) + deployment(spec="replicas: 3"), inventory(nodes=2), ["KLG109"]),
    ],
)
def test_an_autoscaler_is_measured_by_the_places_of_its_target(text, nodes, expected):
    assert codes(text, nodes) == expected


def test_a_budget_of_others_blocks_nothing():
    assert codes(budget("minAvailable: 1", "other") + FREE, inventory()) == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (deployment(), "KLG101"),
        (daemon_set(1), "KLG110"),
        (deployment(more="ports: [{containerPort: 80, hostPort: 80}]", limits="{cpu: 1}"), "KLG101"),
    ],
)
def test_a_rollout_that_never_ends_is_told_even_where_no_run_of_it_is(text, code, monkeypatch):
    monkeypatch.setattr(GroupSearch, "stuck_run", lambda *_: Runs())
    unasked = text.replace("name: chat", "name: unasked")
    found = next(one for one in findings(unasked, inventory()) if one.code == code)
    assert found.message.startswith("the rollout never ends: the new pod finds no node, and the old pod is kept until")
    assert [step.message for step in found.trace] == [
        "keeps the old pod until the new one is available: nothing moves any more"
    ]


def test_a_run_that_the_core_does_not_confirm_leaves_the_verdict_of_the_bound(monkeypatch):
    def not_confirmed(*_, **__):
        raise engine.replay.ReplayMismatch("no")

    monkeypatch.setattr(engine.replay, "replay", not_confirmed)
    (found,) = findings(deployment(), inventory())
    assert (found.code, found.severity) == ("KLG101", "error")


@pytest.mark.parametrize(
    ("keys", "who"),
    [("", "old and new pods both count"), ("[pod-template-hash]", "only pods of one revision count")],
)
def test_whose_pods_count_for_a_term_is_said(keys, who):
    term = (
        f"topologyKey: zone, labelSelector: {{matchLabels: {{app: chat}}}}{f', matchLabelKeys: {keys}' if keys else ''}"
    )
    text = deployment(
        spec="replicas: 2\nstrategy: {rollingUpdate: {maxSurge: 2, maxUnavailable: 0}}",
        pod=f"affinity:\n  podAntiAffinity:\n    requiredDuringSchedulingIgnoredDuringExecution:\n      - {{{term}}}",
        more="ports: [{containerPort: 80, hostPort: 80}]",
    )
    nodes = "".join(
        f"  - name: {name}\n    labels: {{zone: {zone}}}\n    allocatable: {{cpu: 16, memory: 64Gi}}\n"
        f"    gpus: {{model: L4, count: 4}}\n"
        for name, zone in (("a-1", "a"), ("a-2", "a"), ("b-1", "b"))
    )
    (found,) = findings(text, f"{HEAD}nodes:\n{nodes}{CLASSES}")
    assert [one.message for one in found.related if "count" in one.message and "zone" in one.message] == [
        f"one value of zone has one such pod at most, and {who}"
    ]


@pytest.mark.parametrize("before", ["", deployment(name="other", limits="{cpu: 1}")])
@pytest.mark.parametrize("replicas", [1, 2])
def test_pods_that_have_room_only_in_the_place_of_others_run_and_these_are_named(before, replicas):
    recreate = deployment(spec=f"replicas: {replicas}\nstrategy: {{type: Recreate}}")
    full = inventory(gpus=replicas, more=running("n-0", priority="low", owner="StatefulSet/n"))
    (found,) = findings(recreate, full, before=before)
    assert (found.code, found.severity, found.fixes) == ("KLG108", "warning", ())
    assert found.message == (
        "its new pods (priority 1000) can evict 1 pod of StatefulSet research/n (priority 1) from l4-1"
    )


def test_pods_that_find_no_room_even_in_the_place_of_others_are_told_of():
    full = inventory(gpus=2, more=running("n-0", priority="low", owner="StatefulSet/n"))
    (found,) = findings(deployment(spec="replicas: 3\nstrategy: {type: Recreate}"), full)
    assert found.message.startswith("only 2 of 3 replicas can run: ")
