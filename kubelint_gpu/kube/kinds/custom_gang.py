"""Job-like custom resources that do nothing until all their pods run, and meanwhile hold what they have.

Behaviour: the Kubeflow training operator and MPI operator, whose pods meet at one address; RayJob of KubeRay, which
submits its program when every pod of its cluster is ready; JobSet, which starts its Jobs at the same moment.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubelint_gpu.kube.kinds.custom_workload import row_of
from kubelint_gpu.kube.objects.collective import is_started_whole, sign_of_waiting, starts_whole
from kubelint_gpu.kube.values.errors import Pointer
from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.kube.values.plain import mapping
from kubelint_gpu.values import Value

_REPLICA_SPECS = {
    "PyTorchJob": "pytorchReplicaSpecs",
    "TFJob": "tfReplicaSpecs",
    "XGBoostJob": "xgbReplicaSpecs",
    "PaddleJob": "paddleReplicaSpecs",
    "JAXJob": "jaxReplicaSpecs",
    "MPIJob": "mpiReplicaSpecs",
}
_BY_ITSELF = ("Evaluator",)
"""Kubeflow's roles whose pods no other pod waits for."""
_MEET = "its pods wait for each other"
_MOST_COPIES = 3
"""Equal Jobs that hold each other up do so in pairs already."""
_RAY_GANG = "ray.io/gang-scheduling-enabled"


class CustomGang(Value):
    """Pods of a custom resource that all wait for each other.

    Attributes:
        parts: the pointers of the pod templates, each with the number of its pods that must run.
        where: the field that says or implies it.
        why: that they wait for each other, as a clause.
        deadline: seconds after which it fails; None if it never fails.
        name: its name within the object, if that has several.
        whole: another object may say that they start together or not at all.
    """

    parts: tuple[tuple[Pointer, int], ...]
    where: Pointer
    why: str
    deadline: int | None = None
    name: str = ""
    whole: bool = False


def custom_gangs(value: dict[str, Any]) -> tuple[CustomGang, ...]:
    """The sets of pods of a custom resource that only work if all of them run.

    Empty if a scheduler places them as a pod group, if it is suspended, and for kinds that work with some of their
    pods.
    """
    row, root = row_of(value), Fields(value, (), [])
    if row is None:
        return ()
    kind = str(value.get("kind"))
    if kind in _REPLICA_SPECS:
        return tuple(_kubeflow(root, _REPLICA_SPECS[kind]))
    if kind == "RayJob":
        return tuple(_ray(root))
    if kind == "TrainJob":
        return tuple(_train(root))
    return tuple(_job_set(root)) if kind == "JobSet" else ()


def _kubeflow(root: Fields, key: str) -> Iterator[CustomGang]:
    spec = root.down("spec")
    policy, elastic = spec.down("runPolicy"), spec.child("elasticPolicy")
    roles = spec.down(key)
    if policy.value.get("suspend") is True or policy.child("schedulingPolicy") is not None:
        return
    if spec.value.get("enableDynamicWorker") is True:
        return
    parts = []
    for role, value in roles.value.items():
        if role in _BY_ITSELF or not isinstance(value, dict):
            continue
        if _is_grouped(value.get("template")):
            return
        number = _count(value.get("replicas"), 1)
        if role == "Worker" and elastic is not None:
            number = min(number, _count(elastic.value.get("minReplicas"), 1))
        parts.append(((*roles.pointer, role, "template"), number))
    why = _MEET if elastic is None else f"{_MEET}, down to minReplicas"
    yield CustomGang(tuple(parts), roles.pointer, why, _seconds(policy))


def _ray(root: Fields) -> Iterator[CustomGang]:
    spec = root.down("spec")
    cluster = spec.down("rayClusterSpec")
    grouped = root.down("metadata", "labels").value.get(_RAY_GANG) in ("true", True)
    if spec.value.get("suspend") is True or spec.child("clusterSelector") is not None or grouped:
        return
    head = cluster.down("headGroupSpec")
    if not cluster.value or _is_grouped(head.value.get("template")):
        return
    autoscaled = cluster.value.get("enableInTreeAutoscaling") is True
    parts: list[tuple[Pointer, int]] = [((*head.pointer, "template"), 1)]
    for group in cluster.children("workerGroupSpecs"):
        if _is_grouped(group.value.get("template")):
            return
        least = _count(group.value.get("minReplicas"), 0)
        number = least if autoscaled else max(least, _count(group.value.get("replicas"), least))
        if group.value.get("suspend") is not True:
            parts.append(((*group.pointer, "template"), number * _count(group.value.get("numOfHosts"), 1)))
    why = "a RayJob submits its program when every pod of its cluster is ready"
    yield CustomGang(tuple(parts), cluster.pointer, why, _seconds(spec))


def _train(root: Fields) -> Iterator[CustomGang]:
    """Yield the nodes of a TrainJob; its runtime says how they are scheduled, and may keep them from more nodes."""
    spec = root.down("spec")
    number = _count(spec.down("trainer").value.get("numNodes"), 0)
    if spec.value.get("suspend") is not True:
        yield CustomGang(((spec.pointer, number),), ("spec", "trainer", "numNodes"), _MEET, whole=True)


def _job_set(root: Fields) -> Iterator[CustomGang]:
    """Yield the Jobs whose pods show that they wait for each other; together if there is one of each."""
    spec = root.down("spec")
    if spec.value.get("suspend") is True:
        return
    found = []
    for entry in spec.children("replicatedJobs"):
        job = entry.down("template")
        inner, sign = job.down("spec"), sign_of_waiting(job.value)
        if sign is None or is_started_whole(job.value) or _is_grouped(inner.value.get("template")):
            continue
        parallelism = _count(inner.value.get("parallelism"), 1)
        if _count(inner.value.get("completions"), parallelism) > parallelism:
            continue
        copies = _count(entry.value.get("replicas"), 1)
        part = ((*inner.pointer, "template"), parallelism)
        later = entry.value.get("dependsOn") is not None
        gang = CustomGang((part,), (*job.pointer, *sign), _MEET, _seconds(inner), str(entry.value.get("name")))
        found.append((gang, copies, later))
    in_order = spec.down("startupPolicy").value.get("startupPolicyOrder") == "InOrder"
    if len(found) > 1 and not in_order and all(copies == 1 and not later for _, copies, later in found):
        first = found[0][0]
        yield CustomGang(tuple(part for one, _, _ in found for part in one.parts), first.where, _MEET, first.deadline)
        return
    for one, copies, _ in found:
        yield from (one,) * min(copies, _MOST_COPIES)


def _is_grouped(template: object) -> bool:
    """Whether pods of a template are queued or belong to a pod group."""
    return starts_whole(mapping(template).get("metadata"))


def _seconds(fields: Fields) -> int | None:
    """The deadline, if it is a number above zero."""
    return _count(fields.value.get("activeDeadlineSeconds"), 0) or None


def _count(value: object, default: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else default
