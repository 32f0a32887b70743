"""What a pod's claims are, for one attempt, and what that makes of each node."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from sys import maxsize

from kubelint_gpu.budget import BUDGET, STEPS
from kubelint_gpu.kube.dra.claim import EXTENDED_RESOURCE_CLAIM, Allocation, ResourceClaim
from kubelint_gpu.kube.dra.device import DeviceID
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.values.selectors import NodeSelector
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.node_reason import ALLOCATED_ELSEWHERE, NodeReason
from kubelint_gpu.scheduler.framework.plugin import Code, Status
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.effort import Effort
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.outcome import (
    AllocatorOutcome,
    SelectorFailure,
    Taken,
)
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.pools import Slot, View, orders
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.search import Search
from kubelint_gpu.scheduler.plugins.dynamic_resources.claims import Objects, objects_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.extended_resources import SPECIAL_CLAIM
from kubelint_gpu.scheduler.plugins.dynamic_resources.holdings import holdings
from kubelint_gpu.scheduler.plugins.dynamic_resources.node_question import NodeQuestion, NodeQuestions
from kubelint_gpu.scheduler.plugins.dynamic_resources.result import allocation_of
from kubelint_gpu.work import charge

NAME = "DynamicResources"
CANNOT_ALLOCATE = "cannot allocate all claims"
INVALID_POOLS = "invalid resource pools were encountered"
CANNOT_FIT = "cannot fit resource"
STALE_CLAIM = "cannot schedule extended resource claim"
_FILTER = f'running "{NAME}" filter plugin: '


def rejection(reason: str) -> Status:
    """The status of a node, or of all, that cannot have the pod for such a reason."""
    return Status(NAME, Code.UNRESOLVABLE, (reason,))


class AttemptState:
    """What a pod's claims are and what is held, for one attempt.

    Attributes:
        pod: the pod.
        claims: its claims, in the order of its spec, without the one for extended resources.
        wanted: those of them that have no devices yet.
        reach: the nodes that reach what the others have; None stands for all nodes.
        asked: extended resources of which some may be served by devices.
        stale: a claim for extended resources that an earlier attempt left.
    """

    def __init__(
        self,
        pod: Pod,
        snapshot: Snapshot,
        claims: tuple[ResourceClaim, ...],
        asked: tuple[tuple[str, int], ...],
        effort: Effort | None = None,
    ) -> None:
        self.pod = pod
        self.claims = claims
        self.asked = asked
        self._objects = objects_of(snapshot)
        held = holdings(snapshot).claims
        self.allocations: Mapping[str, Allocation] = {
            claim.key: found for claim in claims if (found := held.get(claim.key)) is not None
        }
        self.wanted = tuple(claim for claim in claims if claim.key not in self.allocations)
        self.reach: tuple[NodeSelector | None, ...] = tuple(
            self.allocations[claim.key].node_selector for claim in claims if claim.key in self.allocations
        )
        self.stale = _stale(pod, self._objects) if asked else None
        self._effort = effort or Effort()
        self._questions = NodeQuestions(pod, snapshot, self.wanted, asked)
        self._nodes = snapshot.nodes
        self._homes: dict[NodeSelector, str] = snapshot.static("nodes of allocations", lambda _: {})
        self._memo: dict[Hashable, AllocatorOutcome] = snapshot.static("devices found", lambda _: {})

    @property
    def sight(self) -> Hashable:
        """Equal for pods to which `key` says the same of every node; None where nothing but the pod tells."""
        return None if self.asked or self.reach else self._questions.number

    def key(self, node: NodeInfo) -> Hashable:
        """What a node's verdict rests on: nodes with equal keys have one."""
        if self.stale is not None and self.stale.spec.requests:
            return STALE_CLAIM
        return self.reach and self._is_unreached(node), self._questions.key(node.node)

    def status(self, node: NodeInfo) -> Status | None:
        """Why a node does not take the pod; None where it does."""
        if self.stale is not None and self.stale.spec.requests:
            return rejection(STALE_CLAIM)
        question = self._questions.of(node.node)
        if question is None:
            return rejection(CANNOT_FIT)
        outcome = self._answer(question)
        if outcome.error is not None:
            text = outcome.error.of(question.view, [claim.key for claim in question.claims])
            return Status(NAME, Code.ERROR, (f"{_FILTER}{text}",))
        if outcome.unknown:
            return Status(NAME, Code.UNKNOWN, (outcome.unknown,))
        if outcome.invalid:
            return rejection(INVALID_POOLS)
        if outcome.taken is None:
            return rejection(CANNOT_ALLOCATE)
        return self._not_available(node) if self._is_unreached(node) else None

    def allocate(self, node: NodeInfo) -> tuple[tuple[tuple[str, Allocation], ...], ...]:
        """What the pod's claims may have once it is on a node, by claim; nothing where they cannot have it."""
        question = self._questions.of(node.node)
        if question is None or self.status(node) is not None:
            return ()
        taken = self._answer(question).taken or ()
        found = {self._allocated(question.claims, taken, question.view, node.name): None}
        for view, other in self._in_other_orders(question):
            found.setdefault(self._allocated(question.claims, other, view, node.name))
        return tuple(found)

    def _in_other_orders(self, question: NodeQuestion) -> Iterator[tuple[View, Sequence[Sequence[Taken]]]]:
        """What the claims get in other orders of pools and slices, where a release tries them in any."""
        if not question.claims or not self._objects.features.any_order:
            return
        for view in islice(orders(question.view), 1, BUDGET.orders):
            other = self._search(self._questions.about(question.claims, view)).taken
            if other is not None:
                yield view, other

    def _allocated(
        self, claims: Sequence[ResourceClaim], taken: Sequence[Sequence[Taken]], view: View, node: str
    ) -> tuple[tuple[str, Allocation], ...]:
        special = f"{self.pod.key}-extended-resources"
        keys = [special if claim.meta.name == SPECIAL_CLAIM else claim.key for claim in claims]
        made = [(key, allocation_of(found, view, node)) for key, found in zip(keys, taken, strict=True)]
        return (*self.allocations.items(), *made)

    def ways_apart(self, node: NodeInfo, parts: Mapping[DeviceID, Hashable]) -> int:
        """In how many ways the claims find devices on a node that are parts of nothing that those of another way are.

        Those with one value of `parts` are parts of one thing. No fewer devices have to go before they find none.
        """
        question, found = self._questions.of(node.node), 0
        while question is not None:
            taken = self._search(question).taken
            if taken is None or question.usage is None:
                return found if taken is None else maxsize
            ids = [slot.id for slot in question.view.slots]
            gone = {parts.get(ids[one.slot], ids[one.slot]) for each in taken for one in each if not one.admin}
            if not gone:
                return maxsize
            held = zip(ids, question.usage.exclusive, strict=True)
            exclusive = tuple([taken or parts.get(device, device) in gone for device, taken in held])
            question = question._replace(usage=question.usage._replace(exclusive=exclusive))
            found += 1
        return found

    def selector_failure(self, node: NodeInfo) -> tuple[SelectorFailure, Slot] | None:
        """The selector with which the attempt fails on a node, and the device; None where it fails with none."""
        question = self._questions.of(node.node)
        found = None if question is None else self._answer(question).selector
        return None if question is None or found is None else (found, question.view.slots[found.slot])

    def wanted_on(self, node: NodeInfo) -> tuple[tuple[ResourceClaim, ...], View] | None:
        """The claims that need devices of a node, and what it reaches; None where it serves none of them."""
        question = self._questions.of(node.node)
        return None if question is None else (question.claims, question.view)

    def releasable(self, rejected: Iterable[tuple[NodeInfo, Status]]) -> bool:
        """Whether PostFilter takes back the devices of a claim that nobody else uses.

        It knows the claims that did not reach a node on which the others found devices.
        """
        alone = [
            claim.allocation.node_selector
            for claim in self.claims
            if claim.allocation is not None
            and claim.allocation.node_selector is not None
            and all((one.name, one.uid) == (self.pod.meta.name, self.pod.meta.uid) for one in claim.reserved_for)
        ]
        return any(
            not _reaches(selector, node)
            for node, status in (rejected if alone else ())
            if status.reasons == (ALLOCATED_ELSEWHERE,)
            for selector in alone
        )

    def _is_unreached(self, node: NodeInfo) -> bool:
        """Whether a node does not reach what a claim has already."""
        return any(selector is not None and not _reaches(selector, node) for selector in self.reach)

    def _not_available(self, node: NodeInfo) -> Status:
        """The status of a node that does not reach what a claim has, which says where that is."""
        told = [
            f"claim {key}, which is allocated to {self._home(found.node_selector)}"
            for key, found in self.allocations.items()
            if found.node_selector is not None and not _reaches(found.node_selector, node)
        ]
        return rejection(NodeReason(f"cannot reach {' and '.join(told)}", text=ALLOCATED_ELSEWHERE))

    def _home(self, selector: NodeSelector) -> str:
        if selector not in self._homes:
            names = [one.name for one in self._nodes if _reaches(selector, one)]
            more = f" and {len(names) - 1} others" if len(names) > 2 else ""
            self._homes[selector] = (names[0] + more if more else " and ".join(names)) or "no declared node"
        return self._homes[selector]

    def _answer(self, question: NodeQuestion) -> AllocatorOutcome:
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

    def _retried(self, question: NodeQuestion) -> AllocatorOutcome | None:
        """What a later attempt finds that tries pools and slices in another order, after one that failed."""
        places = {slot.id: place for place, slot in enumerate(question.view.slots)}
        for view, taken in self._in_other_orders(question):
            moved = [[one._replace(slot=places[view.slots[one.slot].id]) for one in each] for each in taken]
            return AllocatorOutcome(tuple(map(tuple, moved)))
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


_ALL_THERE = AllocatorOutcome(())


def _stale(pod: Pod, objects: Objects) -> ResourceClaim | None:
    marked = (one for one in objects.claims.values() if one.meta.annotations.get(EXTENDED_RESOURCE_CLAIM) == "true")
    owned = ((one, one.meta.owner) for one in marked if one.meta.owner is not None)
    return next((one for one, by in owned if (by.name, by.uid) == (pod.meta.name, pod.meta.uid)), None)


def _reaches(selector: NodeSelector, node: NodeInfo) -> bool:
    return selector.matches(node.node.labels, node.name)
