"""Shared GPUs."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.documents import editing
from kubelint_gpu.engine.api import (
    ApplySet,
    Diagnostic,
    FixCandidate,
    Manifest,
    Pointer,
    Related,
    WorkloadCheck,
    field_pointers,
    rule,
)
from kubelint_gpu.inventory import ONE_PER_CONTAINER
from kubelint_gpu.kube.admission.defaults import extended_resources
from kubelint_gpu.kube.gpu.resource_owners import owner_of
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.values.selectors import parse_int64
from kubelint_gpu.messages.wording import amount, some
from kubelint_gpu.values import Value

_SHARED = ".shared"
_STRATEGY = "nvidia.com/gpu.sharing-strategy"


class _Share(Value):
    """A resource on a node that is one of several shares of a GPU; `refuses` a container that requests two."""

    replicas: int
    refuses: bool
    strategy: str


@rule("KLG505", of_workloads=True)
def shared_gpu_count(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield containers that request several shares of GPUs."""
    if not unit.has_nodes:
        return
    for subject in unit.subjects:
        if not subject.places_pods or _elsewhere(subject):
            continue
        several = [*_multiples(subject)]
        nodes = _takers(unit, subject) if several else ()
        for route, resource, number in several:
            shares = {node.name: found for node in nodes if (found := _share(node, resource)) is not None}
            if not shares:
                continue
            names = [name for name, found in shares.items() if found.refuses] or list(shares)
            certain = len(shares) == len(nodes)
            manifest = subject.manifest
            yield Diagnostic(
                "KLG505",
                manifest.place(route),
                f"a container asks for {amount(resource, number)}, which are shares of GPUs on {some(names)}"
                f"{'' if certain else ', where its pod may go'}: {_effect(shares[names[0]])}",
                manifest,
                cause="/".join(str(step) for step in route),
                certainty="certain" if certain else "possible",
                related=tuple(_declared(unit, names, shares)),
                help=(f"ask for 1 {resource}, or for whole GPUs on nodes that do not share them",),
                proposals=(
                    FixCandidate(
                        f"ask for 1 {resource}",
                        "unsafe",
                        lambda subject=subject, route=route: _ones(subject, route),  # type: ignore[misc]
                        of_amounts=True,
                    ),
                )
                if certain and not _may_count_on(manifest, route[:-3], number)
                else (),
            )


def _elsewhere(subject: WorkloadCheck) -> bool:
    """Whether another scheduler counts the shares, so that a unit is no share of the device plugin."""
    written = subject.manifest.workload
    return written is not None and any(owner_of(name) for name in extended_resources(written.spec))


def _may_count_on(manifest: Manifest, container: Pointer, number: int) -> bool:
    """Whether the container's program may expect so many GPUs, by its command line or environment."""
    if any(field_pointers.at(manifest, (*container, key)) for key in ("command", "args")):
        return True
    env = field_pointers.at(manifest, (*container, "env"))
    values = [entry.get("value") for entry in env if isinstance(entry, dict)] if isinstance(env, list) else []
    return str(number) in values


def _effect(share: _Share) -> str:
    if share.refuses:
        return "the device plugin refuses more than 1 after the pod is bound (UnexpectedAdmissionError)"
    return f"more than 1 gives no more compute, and two may be of the same GPU ({share.replicas} shares for each)"


def _takers(unit: ApplySet, subject: WorkloadCheck) -> tuple[Node, ...]:
    """Return the nodes that would take the pod, else the nodes that a pool would add."""
    found = unit.alone(subject)
    if found.fit is not None and found.fit.schedulable:
        nodes = (unit.empty.node(name) for name in found.fit.fits)
        return tuple(info.node for info in nodes if info is not None)
    if unit.grown is not None and unit.may_grow_for(subject):
        return tuple(info.node for info in unit.grown.nodes)
    return ()


def _multiples(subject: WorkloadCheck) -> Iterator[tuple[Pointer, str, int]]:
    """Yield where a container requests more than one of a resource."""
    manifest, spec = subject.manifest, subject.workload.spec
    for key, containers in (("containers", spec.containers), ("initContainers", spec.init_containers)):
        for index, container in enumerate(containers):
            for resource, thousandths in sorted(container.requests.items()):
                if thousandths <= 1000 or "/" not in resource:
                    continue
                resources = (*field_pointers.pod_spec(manifest), key, index, "resources")
                for part in ("limits", "requests"):
                    if manifest.present((*resources, part, resource)):
                        yield (*resources, part, resource), resource, -(-thousandths // 1000)
                        break


def _share(node: Node, resource: str) -> _Share | None:
    """Return the share that one unit of a resource is on a node, None if it is a whole device."""
    if not node.allocatable.get(resource):
        return None
    refusing = node.meta.annotations.get(ONE_PER_CONTAINER, "").split(",")
    bare = resource.removesuffix(_SHARED)
    replicas = parse_int64(node.labels.get(f"{bare}.replicas", "")) or 1
    strategy = node.labels.get(f"{bare}.sharing-strategy", node.labels.get(_STRATEGY, ""))
    if resource not in refusing and not resource.endswith(_SHARED) and replicas < 2:
        return None
    return _Share(replicas, resource in refusing, strategy)


def _declared(unit: ApplySet, names: list[str], shares: dict[str, _Share]) -> Iterator[Related]:
    seen = set()
    for name in names[:2]:
        declared = unit.world.declared("Node", name)
        if declared is None:
            continue
        place = unit.world.place(declared)
        if place not in seen:
            seen.add(place)
            strategy = f" by {shares[name].strategy}" if shares[name].strategy not in ("", "none") else ""
            yield Related(place, f"{name} shares each GPU{strategy} {shares[name].replicas} times")


def _ones(subject: WorkloadCheck, route: Pointer) -> list[editing.Edit]:
    manifest, resource = subject.manifest, route[-1]
    both = [(*route[:-2], part, resource) for part in ("limits", "requests")]
    return [editing.replace_scalar(manifest.item, pointer, "1") for pointer in both if manifest.present(pointer)]
