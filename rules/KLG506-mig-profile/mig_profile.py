"""MIG devices that no node has, or that a container cannot use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.analysis.diagnosis import Diagnosis, of_cause
from kubelint_gpu.analysis.node_misfit import MIG, matching
from kubelint_gpu.builders.gpu_requests import GPU, renamed_requests, request_place
from kubelint_gpu.builders.waiting_pods import scheduler_message
from kubelint_gpu.engine.api import ApplySet, Diagnostic, WorkloadCheck, rule
from kubelint_gpu.inventory.gpus import gpu_models
from kubelint_gpu.inventory.gpus.gpu_models import near_resource, profile_of
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.messages.wording import listed, some

_PRODUCT = "nvidia.com/gpu.product"
_STRATEGY = "nvidia.com/mig.strategy"


@rule("KLG506", of_workloads=True)
def mig_profile(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield MIG devices that no GPU of the nodes can have, or that the nodes advertise under another name."""
    for subject, found in of_cause(unit, "KLG506"):
        near = near_resource(found.resource, unit.supply.advertised)
        yield Diagnostic(
            "KLG506",
            request_place(subject, found.resource),
            unit.supply.lacks_served(found.resource, subject.pod)
            or f"no node advertises {found.resource}: {_why_missing(unit, subject, found)}",
            subject.manifest,
            cause=found.resource,
            certainty=found.certainty,
            scheduler=scheduler_message(unit, subject),
            help=(f"did you mean {near}?",) if near else (),
            proposals=renamed_requests(subject, found.resource, [near] if near else []),
        )
    for subject in unit.subjects:
        yield from _of_two_kinds(subject)


def _of_two_kinds(subject: WorkloadCheck) -> Iterator[Diagnostic]:
    """Yield MIG devices beside others of the plugin: each kind sets one variable, and the kubelet keeps the first."""
    for container in (*subject.workload.spec.containers, *subject.workload.spec.init_containers):
        kinds = sorted(name for name, number in container.requests.items() if number and _is_of_plugin(name))
        if len(kinds) > 1 and any(name.startswith(MIG) for name in kinds):
            yield Diagnostic(
                "KLG506",
                request_place(subject, kinds[-1]),
                f"container {container.name} may see the devices of one kind only: it asks for {listed(kinds)}, and "
                "the device plugin names those of each kind in the same environment variable",
                subject.manifest,
                cause=f"kinds {container.name}",
                certainty="possible",
                severity="warning",
                help=("ask for one kind of GPU in each container",),
            )


def _is_of_plugin(resource: str) -> bool:
    """Whether NVIDIA's device plugin advertises a resource."""
    return resource in (GPU, f"{GPU}.shared") or resource.startswith(MIG)


def _why_missing(unit: ApplySet, subject: WorkloadCheck, found: Diagnosis) -> str:
    nodes = matching(subject, [node for node in unit.possible_nodes if _PRODUCT in node.labels])
    there = sorted(name for name in unit.supply.advertised if name.startswith(MIG))
    if not (nodes or there):
        return "no node that may take the pod has a GPU"
    single = [node.name for node in nodes if node.labels.get(_STRATEGY) == "single"]
    if single:
        return f"the MIG strategy of {some(single)} is single, so its MIG devices are called {GPU}"
    models = {model.product: model for node in nodes for model in _models(node)}
    able = [name for name, model in models.items() if profile_of(model, found.resource)]
    if models and not able:
        return _inability(found.resource, tuple(models[name] for name in sorted(models)))
    if there:
        return f"the MIG devices of the nodes are {some(there, 'resource')}"
    return f"{listed(sorted(able))} could be divided so, but MIG is off" if able else "MIG is off on all nodes"


def _inability(resource: str, models: Sequence[gpu_models.GpuModel]) -> str:
    whole = [model.product for model in models if not model.profiles]
    if len(whole) == len(models):
        return f"{listed(whole)} cannot be divided by MIG"
    divided = next(model for model in models if model.profiles)
    profiles = listed([name for name, _ in divided.profiles])
    others = f", and {listed(whole)} cannot be divided" if whole else ""
    return f"{divided.product} has no profile {resource.removeprefix(MIG)}; its profiles are {profiles}{others}"


def _models(node: Node) -> tuple[gpu_models.GpuModel, ...]:
    product = node.labels[_PRODUCT].partition("-MIG-")[0].removesuffix("-SHARED")
    return tuple(model for model in gpu_models.models_called(product) if model.product == product)
