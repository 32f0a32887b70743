"""Jobs whose pods wait for each other, as in distributed training: the signs in an object.

Kubernetes has no field for it. An Indexed Job with a subdomain, the variables by which process groups meet, and the
programs that start them count as signs; a Job without a sign is a number of independent pods.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.kube.values.errors import Pointer
from kubelint_gpu.kube.values.plain import mapping, sequence
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
_COUNT = pattern(r"[0-9]{1,9}")
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
    """The place where a Job, or the Job of a CronJob, shows that its pods need each other; None if there is none."""
    found, above = _job_of(job)
    spec = mapping(found.get("spec"))
    pod = mapping(mapping(spec.get("template")).get("spec"))
    base: Pointer = (*above, "spec", "template", "spec")
    if spec.get("completionMode") == "Indexed" and pod.get("subdomain"):
        return (*base, "subdomain")
    for index, container in enumerate(sequence(pod.get("containers"))):
        for route in _signs(mapping(container)):
            return (*base, "containers", index, *route)
    return None


def nodes_waited_for(job: Mapping[str, Any]) -> int:
    """The number of nodes that a program of a Job waits for; 0 if its arguments name a range, or none."""
    spec = mapping(mapping(_job_of(job)[0].get("spec")).get("template")).get("spec")
    numbers = [0]
    for container in map(mapping, sequence(mapping(spec).get("containers"))):
        told = _NODES().findall(" ".join((_words(container, "command"), _words(container, "args"))))
        variables = map(mapping, sequence(container.get("env")))
        told += [one.get("value") for one in variables if one.get("name") in _NODE_COUNTS]
        numbers += [int(one) for one in told if isinstance(one, str) and _COUNT().fullmatch(one)]
    return max(numbers)


def starts_unless_queued(job: Mapping[str, Any]) -> bool:
    """Whether a Job starts its pods one by one unless a queue holds it: it has no pod group and no `suspend`."""
    suspended = mapping(job.get("spec")).get("suspend") is True
    return "jobTemplate" not in mapping(job.get("spec")) and not suspended and not is_started_whole(job, _GROUPS)


def is_started_whole(job: Mapping[str, Any], by: Sequence[str] = (QUEUE, *_GROUPS)) -> bool:
    """Whether a queue or a pod group starts the pods of a Job together or not at all."""
    job, _ = _job_of(job)
    spec = mapping(job.get("spec"))
    template = mapping(mapping(spec.get("template")).get("metadata"))
    meta = mapping(job.get("metadata"))
    return starts_whole(meta, by) or starts_whole(template, by)


def starts_whole(meta: object, by: Sequence[str] = (QUEUE, *_GROUPS)) -> bool:
    """Whether the metadata of an object, or of its pods, names a queue or a pod group."""
    return any(key in mapping(mapping(meta).get(kind)) for kind in ("labels", "annotations") for key in by)


def pod_groups(workload: Workload) -> set[str]:
    """The pod groups that the pods of a workload name."""
    said = (workload.template.labels, workload.template.annotations)
    return {found[key] for found in said for key in _GROUPS if key in found}


def _job_of(value: Mapping[str, Any]) -> tuple[Mapping[str, Any], Pointer]:
    """The Job itself, or the Job template of a CronJob with its pointer."""
    made = mapping(value.get("spec")).get("jobTemplate")
    return (made, ("spec", "jobTemplate")) if isinstance(made, Mapping) else (value, ())


def _signs(container: Mapping[str, Any]) -> Iterator[Pointer]:
    for index, variable in enumerate(sequence(container.get("env"))):
        if mapping(variable).get("name") in _VARIABLES:
            yield "env", index, "name"
    for key in ("command", "args"):
        if _PROGRAMS().search(_words(container, key)):
            yield (key,)


def _words(container: Mapping[str, Any], key: str) -> str:
    return " ".join(word for word in sequence(container.get(key)) if isinstance(word, str))
