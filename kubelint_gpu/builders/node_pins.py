"""Pods that are pinned to nodes by name, and a label that would select the same kind of node."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.node_misfit import asked, is_gpu
from kubelint_gpu.documents import editing, emitter
from kubelint_gpu.engine.api import ApplySet, FixCandidate, WorkloadCheck, field_pointers
from kubelint_gpu.evidence.declared_lines import adds_requirement
from kubelint_gpu.kube.gpu.gpu_labels import HOSTNAME, MODEL, POOL
from kubelint_gpu.kube.objects.label_algebra import NumberBound, alternatives, satisfied
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import PodSpec
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.kube.values.selectors import NodeSelector, Requirement
from kubelint_gpu.scheduler import attempt
from kubelint_gpu.values import Value, replace


class Wider(Value):
    """A replacement for a pin.

    Attributes:
        pin: the requirement on the node's name.
        key: the label; `value` is its value on all pinned nodes.
        pinned: the nodes that the pod is pinned to and that take it.
        nodes: nodes that would take it with the label in place of the pin; there may be more.
    """

    pin: NumberBound
    key: str
    value: str
    pinned: tuple[str, ...]
    nodes: tuple[str, ...]


def pin_of(subject: WorkloadCheck) -> NumberBound | None:
    """The only requirement that pins a pod to named nodes; None if there is none, or there are alternatives.

    A requirement that a RuntimeClass adds does not count.
    """
    found = alternatives(subject.workload.spec)
    if len(found) != 1:
        return None
    pins = [
        bound
        for bound in found[0]
        if bound.requirement.operator == "In" and (bound.field or bound.requirement.key == HOSTNAME)
    ]
    return pins[0] if len(pins) == 1 and not adds_requirement(subject.manifest, pins[0].pointer) else None


def wider_selection(unit: ApplySet, subject: WorkloadCheck) -> Wider | None:
    """The label that selects the pinned nodes and preferably more; None if no stable label does.

    The GPU model comes first, then the pool. Nodes only count if they take the pod when nothing else runs.
    """
    pin = pin_of(subject)
    if pin is None or not unit.has_nodes:
        return None
    others = tuple(bound for bound in alternatives(subject.workload.spec)[0] if bound != pin)
    pinned = [node for node in unit.cluster.nodes if satisfied((*others, pin), node.labels, node.name)]
    mine = unit.alone(subject)
    takers = mine.fit.fits if mine.fit is not None else ()
    if not pinned or not takers:
        return None
    found = [
        Wider(pin, key, value, takers, _takers(unit, subject, pin, key, value))
        for key, value in _labels(subject, pinned)
    ]
    found = [one for one in found if set(takers) <= set(one.nodes)]
    more = [one for one in found if len(one.nodes) > len(takers)]
    return next(iter((*more, *found)), None)


def node_labels(subject: WorkloadCheck, node: Node) -> Iterator[tuple[str, str]]:
    """The stable labels of a node, the best first."""
    return _labels(subject, [node])


def _labels(subject: WorkloadCheck, nodes: list[Node]) -> Iterator[tuple[str, str]]:
    keys = (*MODEL, *POOL) if any(is_gpu(name) for name in asked(subject)) else POOL
    for key in keys:
        values = {node.labels.get(key) for node in nodes}
        value = next(iter(values))
        if len(values) == 1 and value:
            yield key, value


def _takers(unit: ApplySet, subject: WorkloadCheck, pin: NumberBound, key: str, value: str) -> tuple[str, ...]:
    pod = subject.pod
    found = attempt(replace(pod, spec=_relaxed(pod.spec, pin, Requirement(key, "In", (value,)))), unit.empty)
    return found.fit.fits if found.fit is not None else ()


def _relaxed(spec: PodSpec, pin: NumberBound, instead: Requirement) -> PodSpec:
    if pin.pointer[0] == "nodeSelector":
        kept = {key: value for key, value in (spec.node_selector or {}).items() if key != pin.requirement.key}
        return replace(spec, node_selector=FrozenMap({**kept, instead.key: instead.values[0]}))
    number = pin.pointer[-3]
    terms = list(spec.node_affinity.terms) if spec.node_affinity is not None else []
    assert isinstance(number, int)  # noqa: S101 - pins of affinity stand in a term of a list
    term = terms[number]
    terms[number] = replace(
        term,
        expressions=(*(one for one in term.expressions if one != pin.requirement), instead),
        fields=tuple(one for one in term.fields if one != pin.requirement),
    )
    return replace(spec, node_affinity=NodeSelector(tuple(terms)))


def wider_selector(unit: ApplySet, subject: WorkloadCheck) -> Iterator[FixCandidate]:
    """Yield a fix that selects more nodes by a label instead of a node name."""
    found = wider_selection(unit, subject)
    if found is not None and len(found.nodes) > len(found.pinned):
        yield by_label(subject, found)


def by_label(subject: WorkloadCheck, wider: Wider) -> FixCandidate:
    """A fix that selects by a label instead of a name."""
    more = len(wider.nodes) - len(wider.pinned)
    gain = f"{more} more {'node has' if more == 1 else 'nodes have'}" if more else ""
    return FixCandidate(f"select {wider.key}: {wider.value}", "unsafe", lambda: _edits(subject, wider), effect=gain)


def _edits(subject: WorkloadCheck, wider: Wider) -> list[editing.Edit]:
    from kubelint_gpu.documents import moves

    manifest, pin = subject.manifest, wider.pin
    route = (*field_pointers.pod_spec(manifest), *pin.pointer)
    if pin.field:
        expression = {"key": wider.key, "operator": "In", "values": [wider.value]}
        written = field_pointers.at(manifest, (*route[:-2], "matchExpressions"))
        known = written if isinstance(written, list) else []
        if not known:
            return [moves.replace_key(manifest.item, route[:-1], route[:-2], "matchExpressions", [expression])]
        added = editing.append(manifest.item, (*route[:-2], "matchExpressions"), [expression])
        return [editing.remove_key(manifest.item, route[:-1]), added]
    if pin.pointer[0] != "nodeSelector":
        values = (
            editing.replace_scalar(manifest.item, (*route, "values", 0), emitter.scalar_text(wider.value))
            if len(pin.requirement.values) == 1
            else editing.set_key(manifest.item, route, "values", [wider.value])
        )
        return [editing.replace_scalar(manifest.item, (*route, "key"), wider.key), values]
    if manifest.present((*route[:-1], wider.key)):
        return [editing.remove_key(manifest.item, route)]
    key = editing.Edit(manifest.path, manifest.item.locate(route, "key"), wider.key)
    return [key, editing.replace_scalar(manifest.item, route, emitter.scalar_text(wider.value))]
