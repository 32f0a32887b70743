"""The search for devices: depth first over claims, requests and devices; the first full solution counts.

Source: `Allocate` and `allocateOne` of the structured allocator, 0.34.1 to 0.36.3.
If one of several equal devices fails, the others are not tried: they would fail as well. A request for all devices with
a constraint distinguishes them, because it takes them in order and may fail with an error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kubelint_gpu.kube.dra.claim import ALL, DeviceQuery, ResourceClaim
from kubelint_gpu.kube.dra.device_class import DeviceClass
from kubelint_gpu.kube.dra.resource_api import MOST_DEVICES
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap
from kubelint_gpu.kube.values.quantity import Amount
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.claim_requests import (
    ClaimPreparation,
    Matcher,
    Needed,
    Query,
    failed,
)
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.device_usage import Books, Usage, consumed, has_left
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.outcome import (
    AllocatorOutcome,
    Effort,
    Failed,
    Name,
    Taken,
    Text,
    Unknown,
)
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.pools import Slot, View
from kubelint_gpu.scheduler.plugins.dynamic_resources.features import Features


class _TooMany(Exception):  # noqa: N818 - it steers the search
    """The claim would get more devices than its allocation can hold."""


class Search:
    """One call of the allocator, for one node."""

    def __init__(
        self,
        view: View,
        likeness: Sequence[int],
        usage: Usage,
        claims: Sequence[ResourceClaim],
        classes: Mapping[str, DeviceClass],
        features: Features,
        effort: Effort,
    ) -> None:
        self._view = view
        self._likeness = likeness
        self._usage = usage
        self._claims = claims
        self._features = features
        self._effort = effort
        self._matcher = Matcher(classes, shareable=features.betas)
        self._preparation = ClaimPreparation(view, usage, classes, features, self._matcher, effort)
        self._books = Books(view, usage.is_allocated)
        self._needed: list[Needed] = []
        self._taking: dict[int, set[int]] = {}
        self._shares: dict[int, dict[str, Amount]] = {}
        self._taken: list[list[Taken]] = [[] for _ in claims]
        bound = [claim.spec for claim in claims if claim.spec.constraints]
        self._can_stand_in = not any(query.mode == ALL for spec in bound for query in spec.queries)

    def outcome(self) -> AllocatorOutcome:
        """Run the search and return its result."""
        for pool in self._view.pools:
            if pool.disputed:
                return AllocatorOutcome(unknown=f"the slices of pool {pool.name} disagree on resourceSliceCount")
        try:
            for place, claim in enumerate(self._claims):
                self._needed.append(self._preparation.needed(place, claim.spec))
            if self._claim(0):
                return AllocatorOutcome(tuple(tuple(found) for found in self._taken))
        except Failed as failure:
            return AllocatorOutcome(error=failure.text, selector=failure.selector)
        except _TooMany:
            return AllocatorOutcome(error=Text(("allocation max size exceeded",)))
        except (Unknown, RecursionError) as unknown:
            return AllocatorOutcome(unknown=str(unknown) or "the claims nest too deep")
        return AllocatorOutcome(invalid=any(pool.invalid for pool in self._view.pools))

    def _claim(self, claim: int) -> bool:
        if claim >= len(self._claims):
            return True
        return self._request(claim, 0)

    def _request(self, claim: int, request: int) -> bool:
        requests = self._needed[claim].requests
        if request >= len(requests):
            try:
                return self._claim(claim + 1)
            except _TooMany:
                return False
        alternatives = requests[request]
        if not alternatives[0].alternative:
            return self._devices(claim, request, alternatives[0], 0, 0)
        too_many = True
        for one in alternatives:
            try:
                if self._devices(claim, request, one, 0, 0):
                    return True
            except _TooMany:
                continue
            too_many = False
        if too_many:
            raise _TooMany
        return False

    def _devices(self, claim: int, request: int, query: Query, done: int, start: int) -> bool:
        """Find the device number `done` of a request, from the position `start` on, and all later devices."""
        if query.query.mode == ALL and not query.every:
            return False
        if done >= query.needed:
            return self._request(claim, request + 1)
        if len(self._taken[claim]) + query.needed - done > MOST_DEVICES:
            raise _TooMany
        if query.query.mode == ALL:
            return self._next_of_all(claim, request, query, done)
        admin = bool(query.query.admin)
        tried: set[tuple[int, bool]] = set()
        for pool in self._view.pools:
            if pool.slots.stop < start:
                continue
            if pool.invalid and self._features.old_pools:
                raise Failed(f"pool {pool.name} is invalid: {pool.invalid}")
            for position in range(max(start, pool.slots.start), pool.slots.stop):
                self._effort.spend()
                like = (self._likeness[position], self._usage.exclusive[position])
                if like in tried or self._is_out_of_reach(claim, position, admin):
                    continue
                slot = self._view.slots[position]
                if not self._matcher.selects(query.query, query.number, claim, position, slot):
                    continue
                if self._can_stand_in and not slot.device.shareable and not self._taking.get(position):
                    tried.add(like)
                if not self._has_left(query.query, position) or not self._take(claim, query, position, must=False):
                    continue
                try:
                    # the last one needs no frame of its own: a stack that grows to and fro costs much
                    last = done + 1 >= query.needed
                    if (last and self._request(claim, request + 1)) or (
                        not last and self._devices(claim, request, query, done + 1, position + 1)
                    ):
                        return True
                except _TooMany:
                    self._give_back(claim, query, position)
                    raise
                self._give_back(claim, query, position)
        return False

    def _next_of_all(self, claim: int, request: int, query: Query, done: int) -> bool:
        position = query.every[done]
        self._effort.spend()
        if not self._take(claim, query, position, must=True):
            return False
        following = self._needed[claim].requests[request][0] if self._features.mistakes_alternatives else query
        try:
            if self._devices(claim, request, following, done + 1, 0):
                return True
        except _TooMany:
            self._give_back(claim, query, position)
            raise
        self._give_back(claim, query, position)
        return False

    def _is_out_of_reach(self, claim: int, position: int, admin: bool) -> bool:
        taking = self._taking.get(position)
        if admin:
            return bool(taking) and claim in (taking or ())
        return self._usage.exclusive[position] or bool(taking)

    def _has_left(self, query: DeviceQuery, position: int) -> bool:
        if not self._features.betas:
            return True
        taken, taking = self._usage.consumed[position], self._shares.get(position)
        return has_left(query.capacity, self._view.slots[position].device.capacity, taken, taking)

    def _take(self, claim: int, query: Query, position: int, *, must: bool) -> bool:
        """Take a device for a request, if it is free, tolerated, and the constraints allow it."""
        slot = self._view.slots[position]
        device, asked = slot.device, query.query
        admin = bool(asked.admin)
        if (not admin or not device.shareable) and self._is_out_of_reach(claim, position, admin):
            return False
        counts = self._counts(slot, position)
        if counts and not self._books.take(slot):
            return False
        if asked.is_kept_off(device.taints):
            self._undo(slot, query, claim, 0, counts=counts)
            return False
        for number, check in enumerate(self._needed[claim].checks):
            if not check.add(query.request, query.alternative, slot):
                self._undo(slot, query, claim, number, counts=counts)
                if must:
                    why = " because a claim constraint would not be satisfied"
                    what = f", request {asked.name}: cannot add device "
                    raise failed(claim, what, Name("device", position), why)
                return False
        if not self._has_left(asked, position):
            self._undo(slot, query, claim, len(self._needed[claim].checks), counts=counts)
            return False
        share: FrozenMap[str, Amount] = EMPTY
        if device.shareable:
            share = consumed(asked.capacity, device.capacity)
            sums = self._shares.setdefault(position, {"": 0})
            sums[""] += 1
            for name, amount in share.items():
                sums[name] = sums.get(name, 0) + amount
        else:
            self._taking.setdefault(position, set()).add(claim)
        self._taken[claim].append(Taken(position, query.name, admin, device.shareable, share))
        return True

    def _counts(self, slot: Slot, position: int) -> bool:
        """Whether the counters of a device are checked: not for a further share of a device that has shares already."""
        if not slot.device.consumes:
            return False
        shared = self._usage.consumed[position] is not None or position in self._shares
        return not (slot.device.shareable and shared)

    def _undo(self, slot: Slot, query: Query, claim: int, checks: int, *, counts: bool) -> None:
        for check in reversed(self._needed[claim].checks[:checks]):
            check.remove(query.request, query.alternative)
        if counts:
            self._books.give_back(slot)

    def _give_back(self, claim: int, query: Query, position: int) -> None:
        """Undo the last `_take`."""
        slot = self._view.slots[position]
        last = self._taken[claim].pop()
        if slot.device.shareable:
            sums = self._shares[position]
            sums[""] -= 1
            for name, amount in last.consumed.items():
                sums[name] -= amount
            if not sums[""]:
                del self._shares[position]
        else:
            self._taking[position].discard(claim)
        self._undo(slot, query, claim, len(self._needed[claim].checks), counts=self._counts(slot, position))
