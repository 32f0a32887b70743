"""Which nodes reach the allocated devices of a pod's claims."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kubelint_gpu.kube.dra.claim import Allocation, ResourceClaim
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.values.selectors import NodeSelector
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.node_reason import ALLOCATED_ELSEWHERE, NodeReason
from kubelint_gpu.scheduler.framework.plugin import Code, Status
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins.dynamic_resources.claim_users import users_of

NAME = "DynamicResources"


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
