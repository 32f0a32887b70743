"""Which labels a node would need for a pod's selector and required affinity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.objects.label_algebra import Allowed, NumberBound, alternatives, satisfied
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import PodSpec
from kubelint_gpu.kube.values.selectors import Requirement
from kubelint_gpu.values import Value
from kubelint_gpu.work import charge

HOSTNAME = "kubernetes.io/hostname"
# What these say of a node is so or is not: nobody sets them to make a pod fit.
_TELLING = ("kubernetes.io", "k8s.io", "nvidia.com", "amd.com", "intel.com")
_FREE = ("node-role.kubernetes.io", "node-restriction.kubernetes.io")


class MissingLabel(Value):
    """What a node lacks to meet one alternative of a pod.

    Attributes:
        requirements: those that it does not meet.
        labels: labels to set, or with None to take off, so that it would.
        name: the name that it would have to have; empty where any will do.
    """

    requirements: tuple[Requirement, ...]
    labels: tuple[tuple[str, str | None], ...]
    name: str = ""

    @property
    def settable(self) -> bool:
        """Whether somebody could set these labels on a node that exists."""
        return not self.name and not any(is_telling(key) for key, _ in self.labels)


def is_telling(key: str) -> bool:
    """Whether a label describes the node, its place or its hardware, so that it is not a matter of choice."""
    domain, slash, _ = key.rpartition("/")
    if not slash or domain in _FREE:
        return False
    return domain.endswith(_TELLING)


class WantedLabels:
    """The labels and the name that a pod requires of its node."""

    def __init__(self, spec: PodSpec) -> None:
        self._alternatives = alternatives(spec)
        bounds = [bound for found in self._alternatives for bound in found]
        self._keys = sorted({bound.requirement.key for bound in bounds if not bound.field})
        self._named = any(bound.field for bound in bounds)
        self._known: dict[tuple[str | None, ...], MissingLabel | None] = {}

    def lack(self, node: Node) -> MissingLabel | None:
        """What a node lacks to meet the alternative that it misses by least; None where nothing could mend it."""
        alike = (node.name if self._named else None, *map(node.labels.get, self._keys))
        if alike not in self._known:
            found = [one for one in (_lack(node, bounds) for bounds in self._alternatives) if one is not None]
            least = min(found, key=lambda one: (not one.settable, len(one.requirements)), default=None)
            self._known[alike] = least
        return self._known[alike]

    def are_met(self, nodes: Sequence[Node]) -> bool:
        """Whether any of some nodes has them."""
        return any(satisfied(bounds, node.labels, node.name) for bounds in self._alternatives for node in nodes)


def _lack(node: Node, bounds: Sequence[NumberBound]) -> MissingLabel | None:
    charge(1 + len(bounds))
    by_subject = grouped((bound.subject, bound) for bound in bounds)
    unmet: list[Requirement] = []
    labels: list[tuple[str, str | None]] = []
    name = ""
    for (field, key), members in by_subject.items():
        together = Allowed()
        for member in members:
            together &= member.allowed
        current = node.name if field else node.labels.get(key)
        if together.has(current):
            continue
        options = [option for option in _options(members, together) if together.has(option)]
        if not options:
            return None
        unmet += [member.requirement for member in members if not member.allowed.has(current)]
        if field:
            name = options[0] or ""
        else:
            labels.append((key, options[0]))
    return MissingLabel(tuple(unmet), tuple(labels), name)


def _options(members: Iterable[NumberBound], together: Allowed) -> Iterable[str | None]:
    for member in members:
        if member.requirement.operator == "In":
            yield from member.requirement.values
    if together.above is not None:
        yield str(together.above + 1)
    if together.below is not None:
        yield str(together.below - 1)
    yield None
    yield "true"


def actual(requirement: Requirement, nodes: Iterable[Node], most: int) -> tuple[str, ...]:
    """The values that nodes have in place of what is required, sorted; none where there are more than a few."""
    found: set[str] = set()
    for node in nodes:
        labels: Mapping[str, str] = node.labels
        value = labels.get(requirement.key)
        if value is not None:
            found.add(value)
            if len(found) > most:
                return ()
    return tuple(sorted(found))
