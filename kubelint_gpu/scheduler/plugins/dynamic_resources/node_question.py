"""The questions of an attempt to the allocator about a node, and its answers within the effort of one pod."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import islice
from sys import maxsize

from kubelint_gpu.budget import BUDGET, STEPS
from kubelint_gpu.kube.dra.claim import ResourceClaim
from kubelint_gpu.kube.dra.device import DeviceID
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.values.quantity import Amount
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.claim_requests import Matcher, sight_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.device_usage import Usage, usage_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.outcome import (
    AllocatorOutcome,
    Effort,
    Failed,
    SelectorFailure,
    Taken,
    Unknown,
)
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.pools import (
    Interest,
    Layout,
    Slot,
    View,
    ahead,
    layout_of,
    orders,
)
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.search import Search
from kubelint_gpu.scheduler.plugins.dynamic_resources.claims import from_devices, objects_of, special_claim
from kubelint_gpu.scheduler.plugins.dynamic_resources.holdings import holdings
from kubelint_gpu.values import Value, replace
from kubelint_gpu.work import charge

_NOTHING: frozenset[str] = frozenset()
_NO_VIEW = View((), ())


class Asking(Value):
    """The claims of a pod on nodes that serve the same of its extended resources by devices.

    Attributes:
        claims: the claims that need devices.
        interest: the parts of devices that they look at.
        number: equal for equal claims.
        seen: by node, its view and the layout of the view for these claims.
        keys: by node, a key that distinguishes it for all claims with this interest.
    """

    claims: tuple[ResourceClaim, ...]
    interest: Interest
    number: int
    seen: dict[str, tuple[View, Layout]]
    keys: dict[str, tuple[Node, Hashable]]


class NodeQuestion(Value):
    """A question about one node: the claims, the devices that it reaches, and the usage of these.

    `key` covers everything that decides the answer; names of claims, pools and devices are filled in later.
    """

    claims: tuple[ResourceClaim, ...]
    view: View
    likeness: tuple[int, ...]
    usage: Usage | None
    key: Hashable


class NodeQuestions:
    """The questions of one attempt; `wanted` are the claims without devices, `asked` as in `AttemptState`."""

    def __init__(
        self, pod: Pod, snapshot: Snapshot, wanted: tuple[ResourceClaim, ...], asked: tuple[tuple[str, int], ...]
    ) -> None:
        self._pod, self._wanted, self._asked = pod, wanted, asked
        self._memory = snapshot.memory
        self._objects = objects_of(snapshot)
        self._held = holdings(snapshot)
        self._asking: dict[frozenset[str], Asking] = {}
        self._usages: dict[str, Usage] = snapshot.derived("device usage", lambda _: {})
        self._keys: dict[Interest, dict[str, tuple[Node, Hashable]]]
        self._keys = snapshot.derived("device questions", lambda _: {})
        self._interests: dict[int, Interest] = snapshot.static("interests", lambda _: {})

    def of(self, node: Node) -> NodeQuestion | None:
        """The question about a node; None if the node does not serve an extended resource at all."""
        asking = self._asked_on(node)
        if asking is None:
            return None
        if not asking.claims:
            return NodeQuestion((), _NO_VIEW, (), None, None)
        view, layout = self._seen(node, asking)
        usage = self._usage(node.name, view)
        key = (asking.number, layout.number, usage.key)
        return NodeQuestion(asking.claims, view, layout.likeness, usage, key)

    def reached(self, node: Node) -> tuple[tuple[ResourceClaim, ...], View] | None:
        """The claims for a node, and the devices that it reaches; None as with `of`."""
        asking = self._asked_on(node)
        return (
            None if asking is None else (asking.claims, self._objects.slices.view(node) if asking.claims else _NO_VIEW)
        )

    def _asked_on(self, node: Node) -> Asking | None:
        served = from_devices(self._asked, self._objects.by_resource, node) if self._asked else _NOTHING
        return None if served is None else self._asked_for(served)

    def key(self, node: Node) -> Hashable:
        """A key that distinguishes nodes for the claims: None if a resource is not served, empty without claims."""
        if self._asked:
            found = self.of(node)
            return None if found is None else found.key if found.claims else ()
        asking = self._asked_for(_NOTHING)
        if not asking.claims:
            return ()
        known = asking.keys.get(node.name)
        if known is None or known[0] is not node:
            view, layout = self._seen(node, asking)
            known = asking.keys[node.name] = node, (layout.number, self._usage(node.name, view).key)
        return known[1]

    def about(self, claims: tuple[ResourceClaim, ...], view: View) -> NodeQuestion:
        """The question for some claims about a view whose answer is not cached."""
        interest = next(one.interest for one in self._asking.values() if one.claims is claims)
        layout = layout_of(view, interest, self._objects.slices)
        return NodeQuestion(claims, view, layout.likeness, usage_of(view, self._held), None)

    @property
    def interest(self) -> Interest:
        """What the claims look at if no extended resource is served by devices."""
        return self._asked_for(_NOTHING).interest

    def _asked_for(self, served: frozenset[str]) -> Asking:
        found = self._asking.get(served)
        if found is None:
            found = self._asking[served] = self._asking_for(served)
        return found

    def _asking_for(self, served: frozenset[str]) -> Asking:
        claims = self._wanted
        if served:
            claims = (*claims, special_claim(self._pod, served, self._objects.by_resource))
        number = self._memory.number(("claims", tuple([claim.spec for claim in claims])))
        interest = self._interests.get(number)
        if interest is None:
            queries = [query for claim in claims for query in claim.spec.queries]
            names = frozenset([one.match or one.distinct for claim in claims for one in claim.spec.constraints])
            sight = sight_of(queries, self._objects.classes, shareable=self._objects.features.betas)
            interest = Interest(sight, names, any(query.has_capacity for query in queries))
            self._interests[number] = interest
        seen = self._objects.slices.layouts.setdefault(interest, {})
        return Asking(claims, interest, number, seen, self._keys.setdefault(interest, {}))

    def _seen(self, node: Node, asking: Asking) -> tuple[View, Layout]:
        found, view = asking.seen.get(node.name), self._objects.slices.view(node)
        if found is None or found[0] is not view:
            found = asking.seen[node.name] = view, layout_of(view, asking.interest, self._objects.slices)
        return found

    def _usage(self, name: str, view: View) -> Usage:
        usage = self._usages.get(name)
        if usage is None:
            usage = self._usages[name] = usage_of(view, self._held)
        return usage


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
