"""The pods of a cluster by possible owner, so that a controller need not look at every pod."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from kubelint_gpu.budget import PLACEMENT
from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.objects.meta import OwnerReference
from kubelint_gpu.kube.objects.pod import Pod, PodIdentifier
from kubelint_gpu.patterns import pattern
from kubelint_gpu.simulation.controllers.controller import Controller
from kubelint_gpu.values import replace

_Key = tuple[str, ...]
_ORDINAL = pattern(r"\A\d+\Z", re.ASCII)
_OF_REPLICA_SET = pattern(r"\A[a-z0-9]+-[a-z0-9]{5}\Z")
_GENERATED = pattern(r"\A(\d+-)?[a-z0-9]{5}\Z", re.ASCII)


class PodsByOwner:
    """Indexes pods by namespace and owner; those without an owner by namespace, name and labels."""

    def __init__(self, pods: tuple[Pod, ...]) -> None:
        self.pods = pods
        self._places = grouped((key, place) for place, pod in enumerate(pods) for key in _keys(pod))

    def own(
        self, controller: Controller, gone: Collection[PodIdentifier] = (), before: Controller | None = None
    ) -> list[Pod]:
        """The pods that belong to a controller, in their order, without those in `gone`.

        Pods of which only claims are known get the present template, or the one of `before`.
        """
        if not self.pods:
            return []
        space = controller.workload.meta.namespace
        places: Iterable[int] = range(len(self.pods))
        if controller.knows_own_pods:
            places = sorted({place for key in _asked(controller) for place in self._places.get((space, *key), ())})
        found = [pod for pod in map(self.pods.__getitem__, places) if pod.meta.namespace == space]
        own = [_dressed(pod, before or controller) if _is_untold(pod, controller) else pod for pod in found]
        return [pod for pod in own if controller.owns(pod) and not (gone and pod.identifier in gone)]


_LAST: list[PodsByOwner] = []


def pods_by_owner(pods: tuple[Pod, ...]) -> PodsByOwner:
    """Return the index of these pods; those of the last few clusters are cached."""
    found = next((known for known in _LAST if known.pods is pods), None)
    if found is None:
        found = PodsByOwner(pods)
        _LAST[:] = [found, *_LAST[: PLACEMENT.clusters - 1]]
    return found


def _keys(pod: Pod) -> Iterator[_Key]:
    space, owner = pod.meta.namespace, pod.meta.owner
    if owner is not None:
        yield space, owner.kind, owner.name
        yield space, owner.kind, owner.name.rpartition("-")[0], "-"
        return
    yield (space,)
    yield space, "Pod", pod.meta.name
    if not pod.spec.containers:
        first = pod.meta.name.rpartition("-")[0]
        yield space, "", first
        yield space, "", first.rpartition("-")[0]
    for label in pod.meta.labels.items():
        yield space, "", *label


def _asked(controller: Controller) -> Iterator[_Key]:
    workload = controller.workload
    yield workload.kind, workload.meta.name
    yield controller.dependent, workload.meta.name, "-"
    yield "", workload.meta.name
    if workload.selector is not None:
        labels = [one for one in workload.selector.requirements if one.operator == "In"]
        yield from (("", labels[0].key, value) for value in labels[0].values) if labels else ((),)


def _is_untold(pod: Pod, controller: Controller) -> bool:
    """Whether only the claims of a pod are known, and its name is one that the workload's controller gives."""
    if pod.spec.containers or pod.meta.owner is not None:
        return False
    name = pod.meta.name.removeprefix(f"{controller.workload.meta.name}-")
    suffix = _ORDINAL if controller.has_ordinals else _OF_REPLICA_SET if controller.dependent else _GENERATED
    return name != pod.meta.name and suffix().fullmatch(name) is not None


def _dressed(pod: Pod, controller: Controller) -> Pod:
    """Return a pod of which only claims are known as one of the workload; its images are unknown."""
    workload, made = controller.workload, controller.pod("", pod.meta.name)
    kind = controller.dependent or workload.kind
    owner = OwnerReference(kind, f"{workload.meta.name}-0" if controller.dependent else workload.meta.name)
    bare = [
        tuple([replace(one, image="") for one in found]) for found in (made.spec.containers, made.spec.init_containers)
    ]
    spec = replace(made.spec, node_name=pod.spec.node_name, containers=bare[0], init_containers=bare[1])
    return replace(pod, meta=replace(made.meta, name=pod.meta.name, uid=pod.meta.uid, owner=owner), spec=spec)
