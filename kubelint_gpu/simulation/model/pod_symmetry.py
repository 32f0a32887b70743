"""Pods of different kinds that are equal for all filters, for example old and new pods, or the ordinals of one set."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.groups import summed
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.relations import first_alike
from kubelint_gpu.simulation.controllers.reconciler import PodType
from kubelint_gpu.simulation.controllers.rollout_state import (
    ABSENT,
    AWAITED,
    BROKEN,
    EVICTED,
    LEAVING,
    NOMINATED,
    READY,
    STARTING,
    UNBOUND,
    Content,
)

_SETTLED = {STARTING: READY, BROKEN: READY, EVICTED: LEAVING}


def without_phases(content: Content) -> Content:
    """The content without phases, which do not matter to a filter that looks at one node only."""
    if all(phase == READY for _, phase, _ in content):
        return content
    counts = summed((kind, count) for kind, _, count in content)
    return tuple((kind, READY, count) for kind, count in sorted(counts.items()))


class PodEquivalence:
    """Contents of nodes as filters see them; `first` has for each kind the first kind that is equal to it."""

    def __init__(self, kinds: Sequence[PodType], fixed: Sequence[Pod]) -> None:
        self.first = first_alike([kind.pod for kind in kinds], fixed)
        self._priorities = [kind.priority for kind in kinds]
        self._folded: dict[Content, Content] = {}

    def folded(self, content: Content) -> Content:
        """The content with equal pods counted together; whether a pod is ready does not matter."""
        found = self._folded.get(content)
        if found is None:
            found = self._folded[content] = content if content == ABSENT else self._merged(content)
        return found

    def folded_held(self, here: Content) -> Content:
        """The allocations of the pods of a node, with equal pods counted together."""
        counts: dict[tuple[int, int], int] = {}
        for kind, number, count in here:
            key = (self.first[kind], number)
            counts[key] = counts.get(key, 0) + count
        return tuple(sorted([(kind, number, count) for (kind, number), count in counts.items()]))

    def facing(self, kind: int, content: Content, at_home: bool) -> Content:
        """The content of a node for a pod of a kind: nominated pods count unless their priority is lower."""
        for _, phase, _ in content:
            if phase in UNBOUND:
                break
        else:
            return content
        seen = []
        for other, phase, count in content:
            left = count
            if phase == NOMINATED and other >= 0:
                if self._priorities[other] < self._priorities[kind]:
                    continue
                left -= at_home and other == kind
            elif phase == AWAITED:
                continue
            if left:
                seen.append((other, phase, left))
        return tuple(seen)

    def _merged(self, content: Content) -> Content:
        counts: dict[tuple[int, int], int] = {}
        for kind, phase, count in content:
            key = (self.first[kind], _SETTLED.get(phase, phase))
            counts[key] = counts.get(key, 0) + count
        return tuple(sorted([(kind, phase, count) for (kind, phase), count in counts.items()]))
