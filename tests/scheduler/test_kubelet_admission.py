"""What a kubelet says of pods that nobody scheduled, and how many pods a node has room for."""

from __future__ import annotations

import pytest

from kubelint_gpu.scheduler import Snapshot, read_cluster, read_pod
from kubelint_gpu.scheduler.kubelet_admission import kubelet_admission
from kubelint_gpu.scheduler.placement.filling import room_for


def node(**changes):
    return {
        "kind": "Node",
        "metadata": {"name": "n", "labels": {"gpu": "a100"}},
        "spec": changes.get("spec", {}),
        "status": {
            "allocatable": {"cpu": "8", "memory": "32Gi", "nvidia.com/gpu": "2", "pods": changes.get("pods", "9")}
        },
    }


def pod(name="p", limits=None, **spec):
    containers = [{"name": "c", "resources": {"limits": limits or {}}, **spec.pop("container", {})}]
    return {"kind": "Pod", "metadata": {"name": name}, "spec": {"containers": containers, **spec}}


def said(one, there, *others):
    snapshot = Snapshot.of(read_cluster([there, *({**o, "spec": {**o["spec"], "nodeName": "n"}} for o in others)]))
    return kubelet_admission(read_pod(one), snapshot.node("n"), snapshot)


GPU = {"nvidia.com/gpu": 1}
ALLOCATE = (
    "Allocate failed due to requested number of devices unavailable for nvidia.com/gpu. "
    "Requested: 2, Available: 1, which is unexpected"
)
PORT = {"container": {"ports": [{"containerPort": 80, "hostPort": 80}]}}


@pytest.mark.parametrize(
    ("one", "there", "others", "reason", "message"),
    [
        (pod(limits=GPU), node(), [], "", ""),
        (
            pod(limits={"nvidia.com/gpu": 2}),
            node(),
            [pod("o", GPU)],
            "UnexpectedAdmissionError",
            ALLOCATE,
        ),
        (
            pod(limits={"cpu": "9"}),
            node(),
            [],
            "OutOfcpu",
            "Node didn't have enough resource: cpu, requested: 9000, used: 0, capacity: 8000",
        ),
        (
            pod(),
            node(pods="1"),
            [pod("o")],
            "OutOfpods",
            "Node didn't have enough resource: pods, requested: 1, used: 1, capacity: 1",
        ),
        (
            pod(nodeSelector={"gpu": "t4"}),
            node(),
            [],
            "NodeAffinity",
            "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
        ),
        (
            pod(**PORT),
            node(),
            [pod("o", **PORT)],
            "NodePorts",
            "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
        ),
        (
            pod(),
            node(spec={"taints": [{"key": "k", "effect": "NoExecute"}]}),
            [],
            "TaintToleration",
            "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate",
        ),
    ],
)
def test_reasons_and_messages_are_those_of_the_kubelet(one, there, others, reason, message):
    found = said(one, there, *others)
    assert (found.reason, found.message) == (reason, message)


def test_no_schedule_taints_and_cordons_do_not_count():
    spec = {"unschedulable": True, "taints": [{"key": "k", "effect": "NoSchedule"}]}
    assert said(pod(), node(spec=spec)).reason == ""


def test_an_extended_resource_that_the_node_does_not_know_is_dropped():
    found = said(pod(limits={"amd.com/gpu": 4, "nvidia.com/gpu": 1}), node())
    assert (found.reason, found.dropped) == ("", ("amd.com/gpu",))


@pytest.mark.parametrize(("limits", "expected"), [(GPU, 2), ({"cpu": "3"}, 2), ({"cpu": "9"}, 0), ({}, 9)])
def test_room_is_what_requests_and_slots_leave(limits, expected):
    snapshot = Snapshot.of(read_cluster([node()]))
    assert room_for(read_pod(pod(limits=limits)), snapshot.node("n"), snapshot) == expected


def test_devices_go_to_container_after_container_and_are_taken_over_from_init_containers_that_have_ended():
    def asks(*numbers, init=(), sidecar=False):
        def containers(amounts, **more):
            return [
                {"name": f"c{place}", "resources": {"limits": {"nvidia.com/gpu": number}}, **more}
                for place, number in enumerate(amounts)
            ]

        more = {"restartPolicy": "Always"} if sidecar else {}
        spec = {"containers": containers(numbers), "initContainers": containers(init, **more)}
        return {"kind": "Pod", "metadata": {"name": "p"}, "spec": spec}

    needs = "requested number of devices unavailable for nvidia.com/gpu. Requested: {}, Available: {}"
    for one, told in (
        (asks(1, 1), ""),
        (asks(1, 2), needs.format(2, 1)),
        (asks(2, init=[2]), ""),
        (asks(1, 1, init=[1, 2]), ""),
        (asks(2, init=[1], sidecar=True), needs.format(2, 1)),
    ):
        found = said(one, node())
        assert (found.reason, found.devices) == (("UnexpectedAdmissionError", "nvidia.com/gpu") if told else ("", ""))
        assert told in found.message


def test_a_node_whose_devices_are_all_ill_gives_none():
    ill = node()
    ill["status"]["allocatable"]["nvidia.com/gpu"] = "0"
    assert (
        "no healthy devices present; cannot allocate unhealthy devices nvidia.com/gpu"
        in said(pod(limits=GPU), ill).message
    )
