"""The state of a pod's claims in one attempt, the verdict on each node, and the allocation of a claim.

Source of the nodes of an allocation: `createNodeSelector` of the structured allocator, 0.36.3.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence

from kubelint_gpu.kube.dra.claim import EXTENDED_RESOURCE_CLAIM, AllocatedDevice, Allocation, ResourceClaim
from kubelint_gpu.kube.dra.device import DeviceID
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.values.selectors import NODE_NAME_FIELD, NodeSelector, NodeSelectorTerm, Requirement
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.node_reason import ALLOCATED_ELSEWHERE, NodeReason
from kubelint_gpu.scheduler.framework.plugin import Code, Status
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.outcome import Effort, SelectorFailure, Taken
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.pools import Slot, View
from kubelint_gpu.scheduler.plugins.dynamic_resources.claims import SPECIAL_CLAIM, Objects, objects_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.holdings import holdings, users_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.node_question import NodeAnswers, NodeQuestions

_SHARE = "share"
CANNOT_ALLOCATE = "cannot allocate all claims"
INVALID_POOLS = "invalid resource pools were encountered"
CANNOT_FIT = "cannot fit resource"
STALE_CLAIM = "cannot schedule extended resource claim"
NAME = "DynamicResources"
_FILTER = f'running "{NAME}" filter plugin: '


def allocations_of(
    pod: Pod, claims: Sequence[ResourceClaim], taken: Sequence[Sequence[Taken]], view: View, node: str
) -> tuple[tuple[str, Allocation], ...]:
    """The allocation of each claim of a pod after the pod is placed on a node, by claim."""
    special = f"{pod.key}-extended-resources"
    keys = [special if claim.meta.name == SPECIAL_CLAIM else claim.key for claim in claims]
    return tuple([(key, _allocation(found, view, node)) for key, found in zip(keys, taken, strict=True)])


def _allocation(taken: Sequence[Taken], view: View, node: str) -> Allocation:
    devices = tuple(
        AllocatedDevice(
            one.request,
            view.slots[one.slot].id,
            one.admin,
            _SHARE if one.shared else "",
            one.consumed,
            view.slots[one.slot].device.binding_conditions,
            view.slots[one.slot].device.binding_failure_conditions,
        )
        for one in taken
    )
    return Allocation(devices, _selector([view.slots[one.slot] for one in taken], node))


def _selector(slots: Sequence[Slot], node: str) -> NodeSelector | None:
    """The selector for nodes that reach all devices: the chosen node if any device is local to it."""
    expressions: list[Requirement] = []
    fields: list[Requirement] = []
    for slot in slots:
        origin, device = slot.origin, slot.device
        local = device.node_name if origin.per_device else origin.node_name
        selector = device.node_selector if origin.per_device else origin.node_selector
        if local or device.binds_to_node:
            term = NodeSelectorTerm(fields=(Requirement(NODE_NAME_FIELD, "In", (node,)),))
            return NodeSelector((term,))
        for found in selector.terms[:1] if selector is not None else ():
            expressions += [one for one in found.expressions if one not in expressions]
            fields += [one for one in found.fields if one not in fields]
    if not expressions and not fields:
        return None
    return NodeSelector((NodeSelectorTerm(tuple(expressions), tuple(fields)),))


class AttemptState:
    """The pod's claims and the allocated devices, for one attempt.

    Attributes:
        pod: the pod.
        claims: its claims, in the order of its spec, without the one for extended resources.
        wanted: those that are not allocated yet.
        allocations: the allocations of the others, by claim.
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
        held = holdings(snapshot).claims
        self.allocations: Mapping[str, Allocation] = {
            claim.key: found for claim in claims if (found := held.get(claim.key)) is not None
        }
        self.wanted = tuple(claim for claim in claims if claim.key not in self.allocations)
        self._reach = AllocatedReach(self.allocations, snapshot)
        self.stale = _stale(pod, objects_of(snapshot)) if asked else None
        self._questions = NodeQuestions(pod, snapshot, self.wanted, asked)
        self._answers = NodeAnswers(self._questions, snapshot, effort or Effort())

    @property
    def sight(self) -> Hashable:
        """A key that is equal for pods for which `key` is equal on every node; None if it depends on the pod."""
        return None if self.asked or self.allocations else self._questions.interest

    def key(self, node: NodeInfo) -> Hashable:
        """A key of a node: nodes with equal keys have one verdict."""
        if self.stale is not None and self.stale.spec.requests:
            return STALE_CLAIM
        return self._reach.is_missing(node), self._questions.key(node.node)

    def status(self, node: NodeInfo) -> Status | None:
        """Why a node does not take the pod; None if it does."""
        if self.stale is not None and self.stale.spec.requests:
            return rejection(STALE_CLAIM)
        question = self._questions.of(node.node)
        if question is None:
            return rejection(CANNOT_FIT)
        outcome = self._answers.of(question)
        if outcome.error is not None:
            text = outcome.error.of(question.view, [claim.key for claim in question.claims])
            return Status(NAME, Code.ERROR, (f"{_FILTER}{text}",))
        if outcome.unknown:
            return Status(NAME, Code.UNKNOWN, (outcome.unknown,))
        if outcome.invalid:
            return rejection(INVALID_POOLS)
        if outcome.taken is None:
            return rejection(CANNOT_ALLOCATE)
        return self._reach.status(node) if self._reach.is_missing(node) else None

    def allocate(self, node: NodeInfo) -> tuple[tuple[tuple[str, Allocation], ...], ...]:
        """The possible allocations of the pod's claims on a node, by claim; empty if there are none."""
        question = self._questions.of(node.node)
        if question is None or self.status(node) is not None:
            return ()
        taken = self._answers.of(question).taken or ()
        ways = [(question.view, taken), *self._answers.in_other_orders(question)]
        made = [allocations_of(self.pod, question.claims, found, view, node.name) for view, found in ways]
        return tuple(dict.fromkeys((*self.allocations.items(), *found) for found in made))

    def failure(self, node: NodeInfo) -> tuple[str, tuple[SelectorFailure, Slot] | None]:
        """The error of a node without the name of the claim, and the failing selector with the device."""
        question = self._questions.of(node.node)
        outcome = None if question is None else self._answers.of(question)
        if question is None or outcome is None or outcome.error is None:
            return "", None
        found = outcome.selector
        return outcome.error.unnamed(question.view), None if found is None else (found, question.view.slots[found.slot])

    def failure_in_some_order(self, node: NodeInfo) -> tuple[SelectorFailure, Slot] | None:
        """A selector that fails on a node in some order of pools and slices, if the release has no fixed order."""
        question = self._questions.of(node.node)
        return None if question is None else self._answers.failure_in_some_order(question)

    def wanted_on(self, node: NodeInfo) -> tuple[tuple[ResourceClaim, ...], View] | None:
        """The claims that need devices of a node, and the devices that it reaches; None if it serves no claim."""
        return self._questions.reached(node.node)

    def ways_apart(self, node: NodeInfo, parts: Mapping[DeviceID, Hashable]) -> int:
        """How many disjoint sets of devices on a node satisfy the claims; devices with equal `parts` count as one.

        At least so many devices must be gone before the claims find none.
        """
        question = self._questions.of(node.node)
        return 0 if question is None else self._answers.ways_apart(question, parts)


def _stale(pod: Pod, objects: Objects) -> ResourceClaim | None:
    marked = (one for one in objects.claims.values() if one.meta.annotations.get(EXTENDED_RESOURCE_CLAIM) == "true")
    owned = ((one, one.meta.owner) for one in marked if one.meta.owner is not None)
    return next((one for one, by in owned if (by.name, by.uid) == (pod.meta.name, pod.meta.uid)), None)


def rejection(reason: str) -> Status:
    """The status of a node that rejects the pod for this reason."""
    return Status(NAME, Code.UNRESOLVABLE, (reason,))


class AllocatedReach:
    """The nodes that reach the allocations of some claims; every node reaches an allocation without a selector."""

    def __init__(self, allocations: Mapping[str, Allocation], snapshot: Snapshot) -> None:
        self._selectors = [
            (key, one.node_selector) for key, one in allocations.items() if one.node_selector is not None
        ]
        self._nodes = snapshot.nodes
        self._homes: dict[NodeSelector, str] = snapshot.static("nodes of allocations", lambda _: {})

    def is_missing(self, node: NodeInfo) -> bool:
        """Whether a node does not reach a claim's allocation."""
        return any(not _reaches(selector, node) for _, selector in self._selectors)

    def status(self, node: NodeInfo) -> Status:
        """The status of a node that does not reach a claim's allocation, with the place of the allocation."""
        told = [
            f"claim {key}, which is allocated to {self._home(selector)}"
            for key, selector in self._selectors
            if not _reaches(selector, node)
        ]
        return rejection(NodeReason(f"cannot reach {' and '.join(told)}", text=ALLOCATED_ELSEWHERE))

    def _home(self, selector: NodeSelector) -> str:
        if selector not in self._homes:
            names = [one.name for one in self._nodes if _reaches(selector, one)]
            more = f" and {len(names) - 1} others" if len(names) > 2 else ""
            self._homes[selector] = (names[0] + more if more else " and ".join(names)) or "no declared node"
        return self._homes[selector]


def is_releasable(
    pod: Pod,
    claims: Sequence[ResourceClaim],
    held: Mapping[str, Allocation],
    rejected: Iterable[tuple[NodeInfo, Status]],
    snapshot: Snapshot,
) -> bool:
    """Whether PostFilter deallocates a claim that no other pod uses; `held` are the allocations of claims.

    It considers claims that did not reach a node on which the other claims found devices.
    """

    def is_alone(claim: ResourceClaim) -> bool:
        if claim.allocation is None:
            return all(one.is_claim for one in users_of(claim.key, snapshot))
        return all((one.name, one.uid) == (pod.meta.name, pod.meta.uid) for one in claim.reserved_for)

    selectors = [held[claim.key].node_selector for claim in claims if claim.key in held and is_alone(claim)]
    alone = [one for one in selectors if one is not None]
    return any(
        not _reaches(selector, node)
        for node, status in (rejected if alone else ())
        if status.reasons == (ALLOCATED_ELSEWHERE,)
        for selector in alone
    )


def _reaches(selector: NodeSelector, node: NodeInfo) -> bool:
    return selector.matches(node.node.labels, node.name)
