"""What is said of room, whether or not work was left for the rollout."""

from __future__ import annotations

import pytest
from checks_units import deployment, findings, unit

from kubelint_gpu.analysis.rollout_facts import judgements_in
from kubelint_gpu.analysis.room.known_room import room_in, taking_nodes
from kubelint_gpu.analysis.transitions import transitions_in
from kubelint_gpu.engine.registry import checks
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.work import limited

SPREAD = (
    "topologySpreadConstraints:\n"
    "  - {maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule,\n"
    "     labelSelector: {matchLabels: {app: chat}}}\n"
    "  - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule,\n"
    "     labelSelector: {matchLabels: {app: chat}}}\n"
)
KINDS = {"Deployment": "", "StatefulSet": "serviceName: chat\n"}


def scaled(least, most):
    return (
        "---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\n"
        "metadata: {name: chat, namespace: serving}\nspec:\n"
        "  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: chat}\n"
        f"  minReplicas: {least}\n  maxReplicas: {most}\n"
    )


def nodes(number, gpus=8):
    every = "".join(
        f"  - {{name: node-{place}, allocatable: {{cpu: 64, memory: 64Gi}}, gpus: {{model: L4, count: {gpus}}},\n"
        f"     labels: {{topology.kubernetes.io/zone: {'west' if place > (number + 1) // 2 else 'east'}}}}}\n"
        for place in range(1, number + 1)
    )
    return (
        'apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nkubernetesVersion: "1.34"\n'
        f"nodes:\n{every}priorityClasses:\n  - {{name: serving, value: 1000}}\n"
    )


def without_work(text, inventory):
    """A unit of which no rollout was looked at."""
    found = unit(text, inventory)
    assert transitions_in(found)
    with limited(0):
        assert {one.verdict for one in judgements_in(found).values()} <= {Verdict.UNDECIDED, None}
    return found


@pytest.mark.parametrize("number", [3, 5])
def test_what_an_autoscaler_asks_for_beyond_the_room_is_reported_at_every_size(number):
    room = 2 * number - 1
    text = deployment(pod=SPREAD) + scaled(room, 60)
    told = [one for one in findings(text, nodes(number), "KLG115") if one.severity == "warning"]
    (found,) = told
    assert found.message.startswith(f"maxReplicas is 60, but only {room} replicas find room: ")
    assert found.message.endswith(" didn't match pod topology spread constraints")
    assert any(one.message.startswith("no place may be more than 1 ahead") for one in found.related)


@pytest.mark.parametrize("kind", KINDS)
def test_missing_room_is_reported_without_work_for_the_rollout(kind):
    text = deployment(spec=f"replicas: 20\n{KINDS[kind]}").replace("kind: Deployment", f"kind: {kind}")
    found = without_work(text, nodes(2))
    code = "KLG109" if kind == "Deployment" else "KLG111"
    told = [one for one in checks()[code](found) if one.severity != "note"]
    assert [one.certainty for one in told] == ["certain"]
    assert "only 16 of 20 replicas can run" in told[0].message


def test_room_for_an_autoscaler_is_counted_without_work_for_the_rollout():
    found = without_work(deployment(spec="replicas: 4\n") + scaled(4, 60), nodes(2))
    assert [one.message for one in checks()["KLG115"](found)] == [
        "maxReplicas is 60, but only 16 replicas find room: 0 of 16 nvidia.com/gpu is free on node-1 and node-2; its other pods (16 nvidia.com/gpu) hold all"
    ]


def test_room_that_is_there_is_not_missing_without_work_for_the_rollout():
    found = without_work(deployment(spec="replicas: 16\n"), nodes(2))
    (subject,) = found.subjects
    assert taking_nodes(found, subject) == {"node-1", "node-2"}
    known = room_in(found, subject)
    assert known is not None
    assert known.room.placed == known.room.wanted == 16
    assert not list(checks()["KLG109"](found))
