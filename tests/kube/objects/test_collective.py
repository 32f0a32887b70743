from __future__ import annotations

import pytest

from kubelint_gpu.kube.objects.collective import is_started_whole, nodes_waited_for, sign_of_waiting

BASE = ("spec", "template", "spec")


def job(container=None, pod=None, **spec):
    containers = [{"name": "sidecar"}, {"name": "worker", **(container or {})}]
    return {"kind": "Job", "spec": {**spec, "template": {"spec": {"containers": containers, **(pod or {})}}}}


@pytest.mark.parametrize(
    "command",
    [
        ["torchrun", "--nproc-per-node=8", "train.py"],
        ["/usr/local/bin/mpirun", "-np", "16", "./train"],
        ["bash", "-c", "accelerate launch train.py"],
        ["python", "-m", "torch.distributed.run", "train.py"],
        ["python", "train.py", "--nnodes", "4"],
    ],
)
@pytest.mark.parametrize("key", ["command", "args"])
def test_a_program_that_starts_a_group_is_a_sign(key, command):
    assert sign_of_waiting(job({key: command})) == (*BASE, "containers", 1, key)


@pytest.mark.parametrize(
    "command",
    [["python", "train.py"], ["echo", "mpirunner"], ["bash", "-c", "python -m http.server"], "torchrun", [7], None],
)
def test_other_commands_are_no_sign(command):
    assert sign_of_waiting(job({"command": command})) is None


def test_a_variable_that_groups_meet_by_is_a_sign():
    env = [{"name": "HOME", "value": "/"}, {"name": "MASTER_ADDR", "value": "train-0.train"}]
    assert sign_of_waiting(job({"env": env})) == (*BASE, "containers", 1, "env", 1, "name")
    assert sign_of_waiting(job({"env": env[:1]})) is None


def test_an_indexed_job_with_a_subdomain_is_a_sign_and_each_alone_is_none():
    assert sign_of_waiting(job(pod={"subdomain": "train"}, completionMode="Indexed")) == (*BASE, "subdomain")
    assert sign_of_waiting(job(pod={"subdomain": "train"})) is None
    assert sign_of_waiting(job(completionMode="Indexed")) is None


@pytest.mark.parametrize("value", [{}, {"spec": None}, {"spec": {"template": []}}, {"spec": {"template": {"spec": 1}}}])
def test_objects_that_lack_everything_have_no_sign(value):
    assert sign_of_waiting(value) is None
    assert not is_started_whole(value)


@pytest.mark.parametrize(
    ("where", "kind", "key"),
    [
        ("metadata", "labels", "kueue.x-k8s.io/queue-name"),
        ("template", "labels", "scheduling.x-k8s.io/pod-group"),
        ("template", "annotations", "scheduling.k8s.io/group-name"),
    ],
)
def test_queues_and_pod_groups_start_a_job_whole(where, kind, key):
    found = job()
    meta = {kind: {key: "research"}}
    if where == "metadata":
        found["metadata"] = meta
    else:
        found["spec"]["template"]["metadata"] = meta
    assert is_started_whole(found)
    assert not is_started_whole(job())


@pytest.mark.parametrize(
    ("container", "nodes"),
    [
        ({"command": ["torchrun", "--nnodes=2", "train.py"]}, 2),
        ({"command": ["torchrun"], "args": ["--nnodes", "16"]}, 16),
        ({"args": ["torchrun --nnodes=1:4 train.py"]}, 0),
        ({"command": ["sh", "-c", "torchrun --nnodes=$NNODES"], "env": [{"name": "NNODES", "value": "3"}]}, 3),
        ({"env": [{"name": "NNODES", "value": 3}, {"name": "PET_NNODES", "valueFrom": {}}]}, 0),
        ({"command": ["mpirun", "-np", "16"]}, 0),
    ],
)
def test_the_number_that_a_program_is_told_to_wait_for(container, nodes):
    assert nodes_waited_for(job(container)) == nodes
    assert nodes_waited_for({"kind": "CronJob", "spec": {"jobTemplate": job(container)}}) == nodes
