"""The pods of a cluster by what can own them, so that a controller need not look at every pod for its own."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from kubelint_gpu.budget import PLACEMENT
from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.objects.pod import Pod, PodIdentifier
from kubelint_gpu.simulation.controllers.controller import Controller

_Key = tuple[str, ...]


class PodsByOwner:
    """Pods by their namespace and owner; those without one by their namespace, their name and their labels."""

    def __init__(self, pods: tuple[Pod, ...]) -> None:
        self.pods = pods
        self._places = grouped((key, place) for place, pod in enumerate(pods) for key in _keys(pod))

    def own(self, controller: Controller, gone: Collection[PodIdentifier] = ()) -> list[Pod]:
        """The pods that a controller knows as its own, in the order of all; some are others' already."""
        space = controller.workload.meta.namespace
        places: Iterable[int] = range(len(self.pods))
        if controller.knows_own_pods:
            places = sorted({place for key in _asked(controller) for place in self._places.get((space, *key), ())})
        found = (pod for pod in map(self.pods.__getitem__, places) if pod.meta.namespace == space)
        return [pod for pod in found if controller.owns(pod) and not (gone and pod.identifier in gone)]


_LAST: list[PodsByOwner] = []


def pods_by_owner(pods: tuple[Pod, ...]) -> PodsByOwner:
    """These pods by what can own them; of the last few clusters that were asked about it is known."""
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
    for label in pod.meta.labels.items():
        yield space, "", *label


def _asked(controller: Controller) -> Iterator[_Key]:
    workload = controller.workload
    yield workload.kind, workload.meta.name
    yield controller.dependent, workload.meta.name, "-"
    if workload.selector is not None:
        labels = [one for one in workload.selector.requirements if one.operator == "In"]
        yield from (("", labels[0].key, value) for value in labels[0].values) if labels else ((),)
