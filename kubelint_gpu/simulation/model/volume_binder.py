"""Which volumes claims are bound to during a search.

A claim is bound once and for good: by the volume controller when it is created, or, with WaitForFirstConsumer, by the
scheduler when the first pod is bound to a node.
Behaviour: pkg/controller/volume/persistentvolume and pkg/scheduler/framework/plugins/volumebinding, 1.34.
"""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.scheduler.framework.storage_index import claim_keys
from kubelint_gpu.scheduler.plugins.volume_binding import best_volumes, bound_with
from kubelint_gpu.simulation.controllers.reconciler import PodType
from kubelint_gpu.simulation.controllers.rollout_state import STARTING, UNBOUND, State
from kubelint_gpu.simulation.prepare.volumes import bound_to, exclusive_claims
from kubelint_gpu.values import replace

Bindings = tuple[str, ...]
"""The volume of each claim that is open when a search begins, in the order of their keys; empty where it has none."""


class VolumeBinder:
    """The claims of one search's pods: unbound ones, and exclusive ones, which one node at a time can attach."""

    def __init__(self, cluster: Cluster, kinds: Sequence[PodType]) -> None:
        waits = {one.name for one in cluster.storage_classes if one.wait_for_first_consumer}
        named = [claim_keys(kind.pod) for kind in kinds]
        every = frozenset().union(*named) if named else frozenset[str]()
        self._claims = sorted(
            (claim for claim in cluster.claims if not claim.volume_name and claim.key in every),
            key=lambda claim: claim.key,
        )
        self._places = {claim.key: place for place, claim in enumerate(self._claims)}
        self._of = [sorted(self._places[key] for key in keys if key in self._places) for keys in named]
        self._at_once = [claim.class_name not in waits for claim in self._claims]
        self._volumes = cluster.volumes
        self._exclusive = tuple(exclusive_claims(kind.pod, cluster) for kind in kinds)
        self.unbound: Bindings = ("",) * len(self._claims)

    def made(self, kind: int, bindings: Bindings) -> tuple[Bindings, ...]:
        """The possible bindings by the volume controller when a pod of a kind and its claims are created."""
        found = [bindings]
        for place in self._of[kind] if bindings else ():
            if self._at_once[place] and not bindings[place]:
                found = [more for one in found for more in self._bound_at_once(place, one)]
        return tuple(found)

    def is_open(self, kind: int, bindings: Bindings) -> bool:
        """Whether a pod of a kind has claims without a volume."""
        return bool(bindings) and any(not bindings[place] for place in self._of[kind])

    def starts(self, kind: int, node: int, state: State) -> bool:
        """Whether a bound pod can become ready: no other node still holds a volume that it needs exclusively."""
        claims = self._exclusive[kind]
        return not claims or not any(
            claims & self._exclusive[other]
            for index, content in enumerate(state.nodes)
            if index != node
            for other, phase, _ in content
            if other >= 0 and phase not in (*UNBOUND, STARTING)
        )

    def placed(self, pod: Pod, snapshot: Snapshot, node: str, bindings: Bindings) -> Bindings:
        """The bindings after the scheduler binds a pod to a node; `snapshot` has the present claims."""
        found = list(bindings)
        for key, volume in bound_with(pod, snapshot, node).items():
            if key in self._places:
                found[self._places[key]] = volume
        return tuple(found)

    def within(self, cluster: Cluster, bindings: Bindings) -> Cluster:
        """The cluster with claims bound as in a state."""
        if not any(bindings):
            return cluster
        claims = {
            claim.key: bound_to(claim, volume) for claim, volume in zip(self._claims, bindings, strict=True) if volume
        }
        owners = {volume: claim for claim, volume in zip(self._claims, bindings, strict=True) if volume}
        return replace(
            cluster,
            claims=tuple(claims.get(claim.key, claim) for claim in cluster.claims),
            volumes=tuple(
                replace(volume, phase="Bound") if volume.meta.name in owners else volume for volume in cluster.volumes
            ),
        )

    def _bound_at_once(self, place: int, bindings: Bindings) -> list[Bindings]:
        claim = self._claims[place]
        of_class = [one for one in self._volumes if one.storage_class == claim.class_name]
        best = best_volumes(claim, of_class, None, frozenset(bindings))
        distinct = {one.node_affinity: one.meta.name for one in best}
        return [(*bindings[:place], name, *bindings[place + 1 :]) for name in distinct.values()] or [bindings]
