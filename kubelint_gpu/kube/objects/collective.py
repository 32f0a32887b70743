"""Jobs whose pods wait for each other, as those of distributed training do: what in an object tells so.

Kubernetes has no field for it. An Indexed Job with a subdomain, the variables that process groups meet by, and the
programs that start them are taken as signs; a Job without a sign is a number of independent pods.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.kube.values.errors import Pointer
from kubelint_gpu.patterns import pattern

_VARIABLES = frozenset(
    (
        "MASTER_ADDR",
        "WORLD_SIZE",
        "NNODES",
        "PET_NNODES",
        "PET_RDZV_ENDPOINT",
        "COORDINATOR_ADDRESS",
        "JAX_COORDINATOR_ADDRESS",
        "TF_CONFIG",
        "TPU_WORKER_HOSTNAMES",
    )
)
_PROGRAMS = pattern(
    r"\b(torchrun|torch\.distributed\.(run|launch)|mpirun|mpiexec|horovodrun|deepspeed|accelerate launch)\b|--nnodes\b"
)
_NODES = pattern(r"--nnodes[= ](\d+)(?![\d:])")
_NODE_COUNTS = ("NNODES", "PET_NNODES")
KUEUE = "kueue.x-k8s.io"
QUEUE = f"{KUEUE}/queue-name"
_GROUPS = (
    "scheduling.x-k8s.io/pod-group",
    "pod-group.scheduling.sigs.k8s.io",
    "pod-group.scheduling.sigs.k8s.io/name",
    "scheduling.k8s.io/group-name",
    "kueue.x-k8s.io/pod-group-name",
)


def sign_of_waiting(job: Mapping[str, Any]) -> Pointer | None:
    """Where a Job, or a CronJob of its Jobs, says that its pods need each other; None where nothing does."""
    found, above = _job_of(job)
    spec = _map(found.get("spec"))
    pod = _map(_map(spec.get("template")).get("spec"))
    base: Pointer = (*above, "spec", "template", "spec")
    if spec.get("completionMode") == "Indexed" and pod.get("subdomain"):
        return (*base, "subdomain")
    containers = pod.get("containers")
    for index, container in enumerate(containers if isinstance(containers, list) else ()):
        for route in _signs(_map(container)):
            return (*base, "containers", index, *route)
    return None


def nodes_waited_for(job: Mapping[str, Any]) -> int:
    """Return the number of nodes that a program of a Job is told to wait for; 0 if it is told a range, or none."""
    spec = _map(_map(_job_of(job)[0].get("spec")).get("template")).get("spec")
    containers = _map(spec).get("containers")
    numbers = [0]
    for container in map(_map, containers if isinstance(containers, list) else ()):
        told = _NODES().findall(" ".join((_words(container, "command"), _words(container, "args"))))
        env = container.get("env")
        variables = map(_map, env if isinstance(env, list) else ())
        told += [one.get("value") for one in variables if one.get("name") in _NODE_COUNTS]
        numbers += [int(one) for one in told if isinstance(one, str) and one.isdecimal()]
    return max(numbers)


def starts_unless_queued(job: Mapping[str, Any]) -> bool:
    """Whether nothing but a queue keeps the pods of a Job from starting one by one: no pod group, no `suspend`."""
    suspended = _map(job.get("spec")).get("suspend") is True
    return "jobTemplate" not in _map(job.get("spec")) and not suspended and not is_started_whole(job, _GROUPS)


def is_started_whole(job: Mapping[str, Any], by: Sequence[str] = (QUEUE, *_GROUPS)) -> bool:
    """Whether something lets the pods of a Job start together or not at all: a queue, or a pod group."""
    job, _ = _job_of(job)
    spec = _map(job.get("spec"))
    template = _map(_map(spec.get("template")).get("metadata"))
    meta = _map(job.get("metadata"))
    return starts_whole(meta, by) or starts_whole(template, by)


def starts_whole(meta: object, by: Sequence[str] = (QUEUE, *_GROUPS)) -> bool:
    """Whether the metadata of an object, or of its pods, names a queue or a pod group."""
    return any(key in _map(_map(meta).get(kind)) for kind in ("labels", "annotations") for key in by)


def pod_groups(workload: Workload) -> set[str]:
    """The pod groups that the pods of a workload name."""
    said = (workload.template.labels, workload.template.annotations)
    return {found[key] for found in said for key in _GROUPS if key in found}


def _job_of(value: Mapping[str, Any]) -> tuple[Mapping[str, Any], Pointer]:
    """The Job itself, or the template of a CronJob's Jobs and where it stands."""
    made = _map(value.get("spec")).get("jobTemplate")
    return (made, ("spec", "jobTemplate")) if isinstance(made, Mapping) else (value, ())


def _signs(container: Mapping[str, Any]) -> Iterator[Pointer]:
    env = container.get("env")
    for index, variable in enumerate(env if isinstance(env, list) else ()):
        if _map(variable).get("name") in _VARIABLES:
            yield "env", index, "name"
    for key in ("command", "args"):
        if _PROGRAMS().search(_words(container, key)):
            yield (key,)


def _words(container: Mapping[str, Any], key: str) -> str:
    words = container.get(key)
    return " ".join(word for word in words if isinstance(word, str)) if isinstance(words, list) else ""


def _map(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
