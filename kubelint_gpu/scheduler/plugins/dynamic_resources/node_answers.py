"""The allocator's answers about nodes, within the effort of one pod."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import islice
from sys import maxsize

from kubelint_gpu.budget import BUDGET, STEPS
from kubelint_gpu.kube.dra.claim import ResourceClaim
from kubelint_gpu.kube.dra.device import DeviceID
from kubelint_gpu.kube.values.quantity import Amount
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.effort import Effort
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.matching import Matcher
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.outcome import (
    AllocatorOutcome,
    Failed,
    SelectorFailure,
    Taken,
    Unknown,
)
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.pools import Slot, View, ahead, orders
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.search import Search
from kubelint_gpu.scheduler.plugins.dynamic_resources.claims import objects_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.node_question import NodeQuestion, NodeQuestions
from kubelint_gpu.values import replace
from kubelint_gpu.work import charge


class NodeAnswers:
    """Asks the allocator each question once for all pods of a cluster."""

    def __init__(self, questions: NodeQuestions, snapshot: Snapshot, effort: Effort) -> None:
        self._questions, self._effort = questions, effort
        self._objects = objects_of(snapshot)
        self._memo: dict[Hashable, AllocatorOutcome] = snapshot.static("devices found", lambda _: {})

    def of(self, question: NodeQuestion) -> AllocatorOutcome:
        """The allocator's answer to a question."""
        if not question.claims or question.usage is None:
            return _ALL_THERE
        found = self._memo.get(question.key)
        if found is None:
            fresh = self._effort.left == self._effort.most
            found = self._search(question)
            if found.error is not None:
                found = self._retried(question) or found
            if fresh or not found.unknown:
                self._memo[question.key] = found
        return found

    def in_other_orders(self, question: NodeQuestion) -> Iterator[tuple[View, Sequence[Sequence[Taken]]]]:
        """Yield the allocations in other orders of pools and slices, if a release tries them in any order."""
        if not question.claims or not self._objects.features.any_order:
            return
        for view in islice(orders(question.view, BUDGET.orders), 1, None):
            other = self._search(self._questions.about(question.claims, view)).taken
            if other is not None:
                yield view, other

    def failure_in_some_order(self, question: NodeQuestion) -> tuple[SelectorFailure, Slot] | None:
        """A selector that fails if the release tries some slice first, and the device."""
        tried, matcher = set(), self._objects.matcher()
        for place, slot in enumerate(question.view.slots) if self._objects.features.any_order else ():
            mine = slot.pool, slot.origin.name
            if mine in tried or not self._may_fail(question.claims, matcher, place, slot):
                continue
            tried.add(mine)
            view = ahead(question.view, place)
            found = self._search(self._questions.about(question.claims, view)).selector
            if found is not None:
                return found, view.slots[found.slot]
        return None

    def _may_fail(self, claims: Sequence[ResourceClaim], matcher: Matcher, place: int, slot: Slot) -> bool:
        queries = [query for claim in claims for query in claim.spec.queries]
        try:
            for number, query in enumerate(queries):
                self._effort.spend()
                matcher.selects(query, number, 0, place, slot)
        except (Failed, Unknown) as end:
            return isinstance(end, Failed)
        return False

    def ways_apart(self, question: NodeQuestion, parts: Mapping[DeviceID, Hashable]) -> int:
        """How many disjoint sets of devices satisfy the claims, where devices with equal `parts` count as one."""
        found = 0
        while found < BUDGET.replicas:
            taken = self._search(question).taken
            if taken is None or question.usage is None:
                return found if taken is None else maxsize
            ids = [slot.id for slot in question.view.slots]
            every = [one for each in taken for one in each if not one.admin]
            gone = {parts.get(ids[one.slot], ids[one.slot]) for one in every if not one.shared}
            shares = {one.slot: one.consumed for one in every if one.shared}
            if not gone and not any(map(any, (one.values() for one in shares.values()))):
                return maxsize
            held = zip(ids, question.usage.exclusive, strict=True)
            exclusive = tuple([taken or parts.get(device, device) in gone for device, taken in held])
            consumed = tuple([_more(one, shares.get(at, {})) for at, one in enumerate(question.usage.consumed)])
            question = replace(question, usage=replace(question.usage, exclusive=exclusive, consumed=consumed))
            found += 1
        return found

    def _retried(self, question: NodeQuestion) -> AllocatorOutcome | None:
        """The result of a later attempt in another order of pools and slices, after one failed.

        Unknown if there are more orders than are tried.
        """
        places = {slot.id: place for place, slot in enumerate(question.view.slots)}
        for view, taken in self.in_other_orders(question):
            moved = [[replace(one, slot=places[view.slots[one.slot].id]) for one in each] for each in taken]
            return AllocatorOutcome(tuple(map(tuple, moved)))
        if self._objects.features.any_order and len(list(orders(question.view, BUDGET.orders + 1))) > BUDGET.orders:
            return AllocatorOutcome(unknown=_MORE_ORDERS)
        return None

    def _search(self, question: NodeQuestion) -> AllocatorOutcome:
        if question.usage is None:
            return _ALL_THERE
        before = self._effort.left
        found = Search(
            question.view,
            question.likeness,
            question.usage,
            question.claims,
            self._objects.classes,
            self._objects.features,
            self._effort,
        ).outcome()
        charge((before - self._effort.left) // STEPS.device_tries)
        return found


def _more(held: Mapping[str, Amount] | None, share: Mapping[str, Amount]) -> Mapping[str, Amount] | None:
    return {**(held or {}), **{name: (held or {}).get(name, 0) + share[name] for name in share}} if share else held


_ALL_THERE = AllocatorOutcome(())
_MORE_ORDERS = f"devices were looked for in {BUDGET.orders} orders of the pools and slices, and there are more"
