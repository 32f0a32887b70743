"""What each controller answers for its workload before any simulation, and that nobody else looks at strategies."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from checks_units import findings
from gang_objects import POD, inventory
from wave_controller import ROW, WavesController

import kubelint_gpu
from kubelint_gpu.kube.kinds import custom_workload
from kubelint_gpu.kube.objects.meta import Meta, OwnerReference
from kubelint_gpu.kube.objects.pod import Pod, PodSpec
from kubelint_gpu.kube.objects.workload import read_workload
from kubelint_gpu.simulation.controllers.controller_of import OF_CUSTOM_RESOURCES, controller_of
from kubelint_gpu.simulation.controllers.job import job_of
from kubelint_gpu.values import replace

ROOT = Path(kubelint_gpu.__file__).parent
READERS = (ROOT / "simulation" / "controllers", ROOT / "kube" / "objects" / "rolling.py")
TEMPLATE = {"metadata": {"labels": {"app": "w"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
GROUPS = {"Job": "batch/v1", "CronJob": "batch/v1", "Pod": "v1", "ReplicationController": "v1"}


def controller(kind, **spec):
    """The controller of a workload `w` in the namespace `d`."""
    body = {"selector": {"matchLabels": {"app": "w"}}, "template": TEMPLATE, **spec}
    if kind == "ReplicationController":
        body["selector"] = {"app": "w"}
    if kind == "Pod":
        body = {**TEMPLATE["spec"], **spec}
    if kind == "CronJob":
        body = {"jobTemplate": {"spec": {"template": TEMPLATE}}, **spec}
    value = {"apiVersion": GROUPS.get(kind, "apps/v1"), "kind": kind, "metadata": {"name": "w", "namespace": "d"}}
    found = read_workload({**value, "spec": body})
    assert found is not None
    return controller_of(found)


def rolling(surge, unavailable):
    return {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}


def test_only_the_controllers_ask_what_a_strategy_is_an_instance_of():
    found = []
    for path in ROOT.rglob("*.py"):
        if any(path == one or one in path.parents for one in READERS):
            continue
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "Strategy" in text else ():
            called = node.func if isinstance(node, ast.Call) else None
            asked = node.args[1:] if isinstance(called, ast.Name) and called.id == "isinstance" else ()
            asked = (node.cls,) if isinstance(node, ast.MatchClass) else asked
            if any(name.endswith("Strategy") for one in asked for name in ast.unparse(one).replace("|", " ").split()):
                found.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert not found


@pytest.mark.parametrize(
    ("kind", "rolls", "node_bound", "ordinals", "scale", "again", "ends"),
    [
        ("Deployment", True, False, False, True, True, False),
        ("StatefulSet", True, False, True, True, True, False),
        ("DaemonSet", True, True, False, False, True, False),
        ("ReplicaSet", False, False, False, True, True, False),
        ("ReplicationController", False, False, False, True, True, False),
        ("Job", False, False, False, False, True, True),
        ("CronJob", False, False, False, False, True, True),
        ("Pod", False, False, False, True, False, False),
    ],
)
def test_each_kind_has_its_controller(kind, rolls, node_bound, ordinals, scale, again, ends):
    found = controller(kind)
    assert (found.rolls, found.node_bound, found.has_ordinals) == (rolls, node_bound, ordinals)
    assert (found.has_scale, found.replaces_lost) == (scale, again)
    assert found.runs_to_completion is found.terminates is ends


def test_a_bare_pod_that_is_not_restarted_ends_and_is_no_job():
    found = controller("Pod", restartPolicy="Never")
    assert found.terminates
    assert not found.runs_to_completion
    assert job_of(found.workload) is None


@pytest.mark.parametrize(
    ("strategy", "replicas", "surge", "unavailable", "keeps", "places", "singly"),
    [
        ({}, 1, 1, 0, 1, 2, False),
        ({}, 8, 2, 2, 6, 8, False),
        ({"strategy": rolling(0, 1)}, 3, 0, 1, 2, 3, True),
        ({"strategy": rolling(3, 0)}, 3, 3, 0, 3, 4, False),
        ({"strategy": {"type": "Recreate"}}, 3, 0, 3, 0, 3, False),
        ({"paused": True}, 3, 1, 0, 3, 0, False),
    ],
)
def test_a_deployment_counts_with_its_limits(strategy, replicas, surge, unavailable, keeps, places, singly):
    found = controller("Deployment", replicas=replicas, **strategy)
    assert (found.surge(replicas), found.unavailable(replicas)) == (surge, unavailable)
    assert found.keeps(replicas) == keeps
    assert found.keeps_until_ready(replicas) is (unavailable == 0)
    assert found.places_needed(replicas) == places
    assert found.replaces_singly(replicas, "1.34") is singly


def test_a_daemon_set_that_surges_needs_one_more_place_and_keeps_the_old_pod():
    plain = controller("DaemonSet")
    surging = controller("DaemonSet", updateStrategy=rolling("50%", 0))
    assert (plain.surge(4), plain.unavailable(4), plain.places_needed(4), plain.keeps_until_ready(4)) == (
        0,
        1,
        4,
        False,
    )
    assert (surging.surge(4), surging.places_needed(4), surging.keeps_until_ready(4)) == (2, 5, True)


def test_what_keeps_a_template_from_pods_can_be_taken_away():
    kept = controller("StatefulSet", replicas=3, updateStrategy={"rollingUpdate": {"partition": 2}})
    assert kept.partition == 2
    assert controller_of(kept.replaced_by_hand).partition == 0
    for kind in ("StatefulSet", "DaemonSet"):
        by_hand = controller(kind, updateStrategy={"type": "OnDelete"})
        assert by_hand.on_delete
        assert not controller_of(by_hand.replaced_by_hand).on_delete
    surging = controller_of(controller("DaemonSet", updateStrategy={"type": "OnDelete"}).replaced_by_hand)
    assert (surging.surge(7), surging.unavailable(7)) == (0, 7)
    assert controller("Deployment").replaced_by_hand is controller("StatefulSet").replaced_by_hand is None


def test_the_times_for_which_a_controller_waits_are_not_its_pace():
    for kind in ("Deployment", "StatefulSet", "DaemonSet"):
        assert controller(kind, minReadySeconds=30).pace == controller(kind).pace
    assert controller("Deployment", strategy=rolling(1, 1)).pace != controller("Deployment").pace


@pytest.mark.parametrize(
    ("kind", "owner", "mine"),
    [
        ("Deployment", ("ReplicaSet", "w-5d4f"), True),
        ("Deployment", ("ReplicaSet", "w-x-5d4f"), False),
        ("ReplicaSet", ("ReplicaSet", "w"), True),
        ("StatefulSet", ("StatefulSet", "w"), True),
        ("StatefulSet", ("ReplicaSet", "w-5d4f"), False),
        ("CronJob", ("Job", "w-28"), True),
        ("Job", ("Job", "w"), True),
        ("Job", ("Job", "w-28"), False),
        ("Deployment", None, True),
        ("Pod", None, False),
    ],
)
def test_pods_are_told_by_their_owner_and_then_by_their_labels(kind, owner, mine):
    reference = OwnerReference(*owner) if owner is not None else None
    pod = Pod(Meta("w-abc", "d", labels={"app": "w"}, owner=reference), PodSpec())
    assert controller(kind).owns(pod) is mine


def test_a_bare_pod_is_told_by_its_name():
    pod = Pod(Meta("w", "d"), PodSpec())
    assert controller("Pod").owns(pod)
    assert not controller("Pod").owns(replace(pod, meta=replace(pod.meta, owner=OwnerReference("ReplicaSet", "w"))))


@pytest.mark.parametrize(
    ("kind", "label"),
    [
        ("Deployment", "pod-template-hash"),
        ("StatefulSet", "controller-revision-hash"),
        ("DaemonSet", "controller-revision-hash"),
        ("ReplicaSet", None),
    ],
)
def test_a_label_tells_the_revisions_apart(kind, label):
    labels = controller(kind).pod("new").meta.labels
    assert {key for key in labels if key != "app"} == ({label} if label else set())
    assert not label or labels[label] == "new"


def test_the_fields_of_the_strategy_are_where_the_kind_has_them():
    assert controller("Deployment").strategy_pointers[-1] == ("spec", "strategy")
    assert controller("DaemonSet").strategy_pointers[-1] == ("spec", "updateStrategy")
    assert controller("StatefulSet").strategy_pointers[0] == (
        "spec",
        "updateStrategy",
        "rollingUpdate",
        "maxUnavailable",
    )


@pytest.mark.parametrize(
    ("replicas", "wave", "gpus", "told"),
    [
        (2, 1, (3,), ""),
        (2, 1, (2,), "the rollout never ends: the new pod waits for 1 nvidia.com/gpu on n1, held by 2 old pods"),
        (4, 2, (6,), ""),
        (4, 2, (5,), "the rollout never ends: the new pod waits for 1 nvidia.com/gpu on n1, held by 4 old pods"),
        (8, 2, (4, 4, 2), ""),
        (8, 2, (4, 4, 1), "the rollout never ends: the new pod waits for 1 nvidia.com/gpu on n1, n2 and n3"),
        (3, 1, (2,), "only 2 of 3 replicas can run"),
    ],
)
def test_a_controller_that_is_added_is_judged_by_what_it_does(monkeypatch, replicas, wave, gpus, told):
    monkeypatch.setitem(OF_CUSTOM_RESOURCES, "waves", WavesController)
    monkeypatch.setitem(custom_workload.rows(), ("example.com", "Fleet"), ROW)
    template = "{metadata: {labels: {app: f}}, spec: " + POD % 1 + "}"
    text = (
        "apiVersion: example.com/v1\nkind: Fleet\nmetadata: {name: f, namespace: research}\n"
        f"spec: {{replicas: {replicas}, wave: {wave}, template: {template}}}\n"
    )
    found = [one for one in findings(text, inventory(*gpus)) if one.code.startswith("KLG1")]
    assert [one.certainty for one in found] == ["certain"] * bool(told)
    assert all(one.message.startswith(told) for one in found)
