"""The questions of an attempt to the allocator about a node."""

from __future__ import annotations

from collections.abc import Hashable

from kubelint_gpu.kube.dra.claim import ResourceClaim
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.device_layout import Interest, Layout, layout_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.device_usage import Usage, usage_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.matching import sight_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.pools import View
from kubelint_gpu.scheduler.plugins.dynamic_resources.claims import objects_of
from kubelint_gpu.scheduler.plugins.dynamic_resources.extended_resources import from_devices, special_claim
from kubelint_gpu.scheduler.plugins.dynamic_resources.holdings import holdings
from kubelint_gpu.values import Value

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
