"""How many pods of a Job run at once beside services that they must be near to."""

from __future__ import annotations

from rollout_objects import cluster, deployment, job, node

from kubelint_gpu.simulation.questions.jobs_beside import running_at_once
from kubelint_gpu.values import replace

HOST = "kubernetes.io/hostname"
NODES = (node("n", 4), node("m", 4), node("o", 4))


def near(name, key=HOST):
    term = {"topologyKey": key, "labelSelector": {"matchLabels": {"app": name}}}
    return {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def whole(name, pods, **spec):
    """A Job whose template has the spec of a Deployment with the same pods."""
    return replace(job(name, pods), spec=deployment(name, **spec).spec)


def test_a_job_near_to_a_service_has_the_room_that_is_there():
    service = deployment("b", 1, 2)
    assert running_at_once([whole("a", 4, affinity=near("b"))], [service], cluster(*NODES)) == (2, 2)
    assert running_at_once([whole("a", 4, affinity=near("b"))], [], cluster(*NODES)) is None
    two = deployment("b", 2, 2)
    assert running_at_once([whole("a", 4, affinity=near("b"))], [two], cluster(*NODES)) == (0, 4)
