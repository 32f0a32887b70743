"""Tries the allocator on claims that a pod might have, in a cluster without allocations."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property

from kubelint_gpu.kube.dra.claim import ClaimSpec, DeviceQuery, DeviceRequest
from kubelint_gpu.kube.dra.device import DeviceID
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.plugin import Code, Status
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.outcome import Effort, Failed, SelectorFailure, Unknown
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.pools import DevicePool, Slot, View
from kubelint_gpu.scheduler.plugins.dynamic_resources.attempt_state import AttemptState
from kubelint_gpu.scheduler.plugins.dynamic_resources.claims import objects_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.prepare_claims import refusal, state_of_claims
from kubelint_gpu.values import Value, replace
from kubelint_gpu.work import charge


class TrialOutcome(Value):
    """The plugin's answer about some claims on all nodes.

    Attributes:
        refused: the status by which it refuses them before it looks at nodes; None if it does not.
        fits: the names of the nodes whose devices serve all of them.
        error: the error with which the attempt fails on some node, or before it looks at any.
        why: the allocator's error without the name of the claim.
        unknown: whether a node's verdict is not known.
        selector: the selector that causes the error, and the device.
    """

    refused: Status | None = None
    fits: tuple[str, ...] = ()
    error: Status | None = None
    why: str = ""
    unknown: bool = False
    selector: tuple[SelectorFailure, Slot] | None = None

    @property
    def served(self) -> bool:
        """Whether some node serves the claims, or may serve them."""
        return self.refused is None and self.error is None and (bool(self.fits) or self.unknown)


class ClaimTrial:
    """Asks the plugin of a release about claims that no pod has; all questions share the effort of one pod.

    `empty` may be a snapshot of this cluster without pods and allocations, to reuse it.
    """

    def __init__(self, cluster: Cluster, empty: Snapshot | None = None) -> None:
        bare = cluster.resource_claims
        if any(one.allocation is not None or one.reserved_for for one in bare):
            bare = tuple([replace(one, allocation=None, reserved_for=()) for one in bare])
        cluster = replace(cluster, pods=(), resource_claims=bare, devices_known=True)
        self._snapshot = empty if empty is not None and empty.cluster == cluster else Snapshot.of(cluster)
        self._objects = objects_of(self._snapshot)
        self.features = self._objects.features
        self._effort = Effort()
        self._asked: dict[Hashable, TrialOutcome] = {}
        self._in_some_order: dict[Hashable, tuple[SelectorFailure, Slot] | None] = {}
        self._selected: dict[tuple[str, tuple[str | None, ...]], tuple[Slot, ...]] = {}

    @cached_property
    def doubtful_pools(self) -> tuple[DevicePool, ...]:
        """The pools whose slices are missing or disagree, so that their devices are not known."""
        pools = {pool.key: pool for info in self._snapshot.nodes for pool in self._view(info).pools}
        return tuple([pool for _, pool in sorted(pools.items()) if pool.incomplete or pool.invalid])

    def renewed(self) -> None:
        """Give the next questions the full effort of one pod again."""
        self._effort = Effort()

    def selected(self, query: DeviceQuery) -> tuple[Slot, ...]:
        """The devices of all nodes that match the selectors of a request and of its class, each once."""
        key = (query.device_class, query.selectors)
        known = self._selected.get(key)
        if known is not None:
            return known
        found: dict[DeviceID, Slot] = {}
        state = self._state((ClaimSpec((DeviceRequest(query.name, query),)),))
        chosen: dict[Hashable, list[int]] = {}
        for info in self._snapshot.nodes:
            slots, look, failed = self._view(info).slots, state.key(info), False
            if look not in chosen:
                matcher, places = self._objects.matcher(), chosen.setdefault(look, [])
                try:
                    for place, slot in enumerate(slots):
                        self._effort.spend()
                        if matcher.selects(query, 0, 0, place, slot):
                            places.append(place)
                except (Failed, Unknown):
                    failed = True
            for place in chosen[look]:
                found.setdefault(slots[place].id, slots[place])
            if failed:
                return tuple(found.values())
        self._selected[key] = tuple(found.values())
        return self._selected[key]

    @property
    def snapshot(self) -> Snapshot:
        """The cluster with its devices and without running pods."""
        return self._snapshot

    def is_local(self, spec: ClaimSpec) -> bool:
        """Whether the allocated devices of a claim are always reachable from one node only."""
        state = self._state((spec,))
        served = [info for info in self._snapshot.nodes if state.status(info) is None]
        return bool(served) and all(self._binds(state, info) for info in served)

    @staticmethod
    def _binds(state: AttemptState, info: NodeInfo) -> bool:
        ways = state.allocate(info)
        selectors = [allocation.node_selector for found in ways for _, allocation in found]
        return any(one is not None and any(term.fields for term in one.terms) for one in selectors)

    def asked(self, *specs: ClaimSpec, among: frozenset[str] | None = None) -> TrialOutcome:
        """The result for a pod with such claims that all earlier filters let pass, on all nodes or `among` some."""
        known = self._asked.get((specs, among))
        if known is None:
            known = self._outcome_of(specs, among)
            if not known.unknown:
                self._asked[specs, among] = known
        return known

    def failure_in_some_order(
        self, spec: ClaimSpec, among: frozenset[str] | None = None
    ) -> tuple[SelectorFailure, Slot] | None:
        """A selector that fails in some order of pools and slices, if the release has none, and the device."""
        if self.features.any_order and (spec, among) not in self._in_some_order:
            state = self._state((spec,))
            open_ones = () if refusal(state, self._objects) else self._snapshot.nodes
            alike = {state.key(info): info for info in reversed(open_ones) if among is None or info.name in among}
            found = map(state.failure_in_some_order, reversed(alike.values()))
            self._in_some_order[spec, among] = next((one for one in found if one is not None), None)
        return self._in_some_order.get((spec, among))

    def _outcome_of(self, specs: Sequence[ClaimSpec], among: frozenset[str] | None) -> TrialOutcome:
        state = self._state(specs)
        refused = refusal(state, self._objects)
        if refused is not None:
            return TrialOutcome(refused, error=refused if refused.code is Code.ERROR else None)
        return self._outcome(state, among)

    def _state(self, specs: Sequence[ClaimSpec]) -> AttemptState:
        return state_of_claims(specs, self._snapshot, self._effort)

    def _outcome(self, state: AttemptState, among: frozenset[str] | None) -> TrialOutcome:
        charge(1 + len(self._snapshot.nodes))
        fits: list[str] = []
        seen: dict[Hashable, Status | None] = {}
        error, why, unknown, selector = None, "", False, None
        for info in self._snapshot.nodes:
            if among is not None and info.name not in among:
                continue
            key = state.key(info)
            if key not in seen:
                seen[key] = state.status(info)
            status = seen[key]
            if status is None:
                fits.append(info.name)
            elif status.code is Code.ERROR and error is None:
                error, (why, selector) = status, state.failure(info)
            elif status.code is Code.UNKNOWN:
                unknown = True
        return TrialOutcome(None, tuple(fits), error, why, unknown, selector)

    def _view(self, info: NodeInfo) -> View:
        return self._objects.slices.view(info.node)
