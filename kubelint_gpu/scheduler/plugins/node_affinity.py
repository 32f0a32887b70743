"""`nodeSelector`, required node affinity, and the affinity that a profile adds to every pod."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

from kubelint_gpu.budget import STEPS
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod, PodSpec
from kubelint_gpu.kube.values.selectors import NodeSelector, NodeSelectorTerm, Requirement
from kubelint_gpu.scheduler.framework.facts import Token, of_the_node
from kubelint_gpu.scheduler.framework.node_info import NodeInfo
from kubelint_gpu.scheduler.framework.node_reason import NodeReason
from kubelint_gpu.scheduler.framework.plugin import SKIP, Code, Labels, Plugin, Prepared, Status, any_number, rejected
from kubelint_gpu.scheduler.framework.snapshot import Snapshot
from kubelint_gpu.values import Value
from kubelint_gpu.work import charge

NAME = "NodeAffinity"
REASON = NodeReason("didn't match Pod's node affinity/selector")
ENFORCED_REASON = NodeReason("didn't match scheduler-enforced node affinity")
CONFLICT_REASON = "pod affinity terms conflict"
_REJECTED = Status(NAME, Code.UNRESOLVABLE, (REASON,))
_ENFORCED = Status(NAME, Code.UNRESOLVABLE, (ENFORCED_REASON,))


class NodeAffinityState(Value):
    """The node requirements of a pod; `required` and `added` are None if there are none."""

    selector: tuple[tuple[str, str], ...]
    required: NodeSelector | None
    added: NodeSelector | None


def _pre_filter(pod: Pod, snapshot: Snapshot) -> Prepared:
    spec = pod.spec
    if spec.node_selector is None and spec.node_affinity is None and spec.added_affinity is None:
        return SKIP
    return snapshot.memory.of(NAME, spec, _prepared)


def _prepared(spec: PodSpec) -> Prepared:
    nodes = None if spec.node_affinity is None else named_nodes(spec.node_affinity)
    if nodes is not None and not nodes:
        return rejected(NAME, CONFLICT_REASON)
    selector = tuple((spec.node_selector or {}).items())
    terms = [term for part in (spec.node_affinity, spec.added_affinity) if part is not None for term in part.terms]
    steps = (len(selector) + sum(len(term.expressions) for term in terms)) // STEPS.expressions
    charge(steps)
    return Prepared(
        NodeAffinityState(selector, spec.node_affinity, spec.added_affinity),
        steps=steps,
        nodes=nodes,
        labels=looked_at((*(Requirement(key, "In", (value,)) for key, value in selector), *_expressions(terms))),
        apart=frozenset(value for term in terms for field in term.fields for value in field.values),
    )


def _filter(state: NodeAffinityState, node: NodeInfo) -> Status | None:
    meta = node.node.meta
    if state.added is not None and not state.added.matches(meta.labels, meta.name):
        return _ENFORCED
    for key, value in state.selector:
        if meta.labels.get(key) != value:
            return _REJECTED
    if state.required is not None and not state.required.matches(meta.labels, meta.name):
        return _REJECTED
    return None


def named_nodes(selector: NodeSelector) -> frozenset[str] | None:
    """The nodes that required affinity names by `metadata.name In`; None where any term names none."""
    if not selector.terms:
        return None
    found: set[str] = set()
    for term in selector.terms:
        sets = [frozenset(field.values) for field in term.fields if field.operator == "In"]
        if not sets:
            return None
        found |= frozenset.intersection(*sets)
    return frozenset(found)


def matches_node(spec: PodSpec, node: NodeInfo) -> bool:
    """Whether a node meets the pod's `nodeSelector` and required node affinity."""
    meta = node.node.meta
    for key, value in (spec.node_selector or {}).items():
        if meta.labels.get(key) != value:
            return False
    return spec.node_affinity is None or spec.node_affinity.matches(meta.labels, meta.name)


def looked_at(requirements: Iterable[Requirement]) -> Labels:
    """The label values that requirements distinguish, in the form of `Prepared.labels`."""
    found: dict[str, dict[str, Hashable] | None] = {}
    for requirement in requirements:
        values = found.setdefault(requirement.key, {})
        if requirement.operator in ("Gt", "Lt"):
            found[requirement.key] = None
        elif values is not None:
            values.update((value, value) for value in requirement.values)
    return {key: found[key] for key in sorted(found)}


def seen(labels: Mapping[str, str], looked_at: Labels) -> Iterator[Hashable]:
    """Yield the values that requirements distinguish: equal for nodes that are equal for all requirements."""
    for key, values in looked_at.items():
        value = labels.get(key)
        yield value if value is None or values is None else values.get(value, True)


def _expressions(terms: Iterable[NodeSelectorTerm]) -> Iterable[Requirement]:
    return (expression for term in terms for expression in term.expressions)


def _required(pod: Pod) -> Iterable[Requirement]:
    for key, value in (pod.spec.node_selector or {}).items():
        yield Requirement(key, "In", (value,))
    if pod.spec.node_affinity is not None:
        yield from _expressions(pod.spec.node_affinity.terms)


def _token(pods: Sequence[Pod], wide: bool, _cluster: Cluster) -> Token | None:
    """If nodes look at each other, a key of the pods' label requirements that each node meets."""
    wanted = sorted({found for pod in pods for found in _required(pod)}, key=str) if wide else []
    return (lambda node, _: tuple([one.matches(node.labels) for one in wanted])) if wanted else None


PLUGIN = Plugin(NAME, _pre_filter, _filter, facts=of_the_node(_token, near=0), takes=any_number)
