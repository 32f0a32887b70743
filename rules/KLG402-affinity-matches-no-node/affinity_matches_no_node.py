"""Selectors and affinity that no node of the inventory meets."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.diagnosis import of_cause
from kubelint_gpu.analysis.node_misfit import title
from kubelint_gpu.builders.waiting_pods import no_pods, scheduler_message, severity_without_pods
from kubelint_gpu.documents import editing, emitter
from kubelint_gpu.engine.api import (
    ApplySet,
    Diagnostic,
    FixCandidate,
    Manifest,
    Place,
    Pointer,
    Related,
    WorkloadCheck,
    field_pointers,
    rule,
)
from kubelint_gpu.engine.remedies import renamed
from kubelint_gpu.evidence.declared_lines import binding, source_of, told_at
from kubelint_gpu.kube.gpu.gpu_labels import HOSTNAME
from kubelint_gpu.kube.objects.label_algebra import NumberBound, alternatives
from kubelint_gpu.kube.objects.runtime_class import FIELD
from kubelint_gpu.messages.did_you_mean_label import nearest_key, nearest_value
from kubelint_gpu.messages.wording import listed, requirement_name, some
from kubelint_gpu.values import Value, replace

# labels that an autoscaler gives to nodes which it makes for the pods that ask for them
_PROVISIONED = ("cloud.google.com/compute-class", "karpenter.sh/nodepool", "karpenter.sh/provisioner-name")
_ANOTHER = "name a node that is there, or select by a label that several nodes have"
_DECLARE = "an autoscaler may make such nodes: declare them as a pool of the inventory, with the most there may be"


@rule("KLG402", of_workloads=True)
def affinity_matches_no_node(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield requirements for labels that no node of the inventory has."""
    for subject, found in of_cause(unit, "KLG402"):
        miss = _nearest_miss(unit, subject)
        manifest = subject.manifest
        key = miss.route[-1] if miss.route[-2] == "nodeSelector" else field_pointers.at(manifest, (*miss.route, "key"))
        coming = found.certainty == "possible" and not miss.suggestion and key in _PROVISIONED
        meant = f"did you mean {miss.suggestion}?" if miss.suggestion else _DECLARE if coming else ""
        meant = _ANOTHER if key == HOSTNAME and not meant else meant
        yield Diagnostic(
            "KLG402",
            _miss_place(manifest, miss),
            f"{miss.message}{no_pods(subject)}",
            manifest,
            cause=str(miss.cause),
            certainty=found.certainty,
            severity="note" if coming else severity_without_pods(subject, found),
            scheduler=scheduler_message(unit, subject),
            related=(
                *(Related(_miss_place(manifest, other), other.message) for other in miss.others),
                *(one for name in miss.near[:2] for one in told_at(unit, "Node", name, f"{name} comes nearest")),
                *binding(unit, subject, "admission gives that to its pods"),
            ),
            help=(meant,) if meant else (),
            proposals=_proposals(manifest, miss),
        )


class _Miss(Value):
    route: Pointer
    message: str
    cause: object
    suggestion: str = ""
    near: tuple[str, ...] = ()
    value: str = ""
    key: str = ""
    unknown: bool = False
    others: tuple[_Miss, ...] = ()


def _nearest_miss(unit: ApplySet, subject: WorkloadCheck) -> _Miss:
    """Return the requirement that no node meets; if each alone is met, that no node meets all."""
    manifest, nodes = subject.manifest, unit.possible_nodes
    named = _Names(unit)
    for bounds in alternatives(subject.workload.spec):
        unmet = [
            bound
            for bound in bounds
            if not any(
                bound.allowed.has(node.name if bound.field else node.labels.get(bound.requirement.key))
                for node in nodes
            )
        ]
        if unmet:
            first, *others = (named.miss(bound, source_of(manifest, bound.pointer)) for bound in unmet)
            return replace(first, others=tuple(others))
    bounds = alternatives(subject.workload.spec)[0]
    best: tuple[int, tuple[str, ...]] = (-1, ())
    for node in nodes:
        met = sum(
            bound.allowed.has(node.name if bound.field else node.labels.get(bound.requirement.key)) for bound in bounds
        )
        if met > best[0]:
            best = (met, (node.name,))
    together = listed([requirement_name(bound) for bound in bounds])
    return _Miss(
        source_of(manifest, bounds[-1].pointer),
        f"no node meets {together} together; {title(unit, best[1][0])} meets {best[0]} of {len(bounds)}",
        together,
        near=best[1],
    )


class _Names:
    """The labels and values of the inventory's nodes."""

    def __init__(self, unit: ApplySet) -> None:
        self._nodes = unit.possible_nodes
        self._keys = sorted({key for node in self._nodes for key in node.labels})

    def miss(self, bound: NumberBound, route: Pointer) -> _Miss:
        """Return the description of a requirement that no node meets."""
        requirement = bound.requirement
        key = requirement.key
        asked = ", which its RuntimeClass asks for" if route[-1] == FIELD else ""
        values = sorted(
            {
                node.name if bound.field else node.labels[key]
                for node in self._nodes
                if bound.field or key in node.labels
            }
        )
        if not values:
            near = "" if asked else nearest_key(key, self._keys)
            suggestion = f"the label {near}" if near else ""
            message = f"no node of the inventory has the label {key}{asked}"
            return _Miss(route, message, key, suggestion, key=near, unknown=True)
        known = values if requirement.operator == "In" and not asked else []
        near, wanted = nearest_value(requirement.values, known)
        nodes = tuple(
            node.name for node in self._nodes if near and (node.name if bound.field else node.labels.get(key)) == near
        )
        found = "the nodes are called" if bound.field else "the nodes have"
        return _Miss(
            route,
            f"no node of the inventory meets {requirement_name(bound)}{asked}: {found} {some(values, 'value', 'or')}",
            str(requirement),
            f"{near} for {wanted}" if len(requirement.values) > 1 and near else near,
            nodes,
            near if len(requirement.values) == 1 else "",
        )


def _miss_place(manifest: Manifest, miss: _Miss) -> Place:
    """Return the key if no node has the label, else the value."""
    route = miss.route
    if route[-1] == FIELD:
        return manifest.place(route)
    if route[-2] == "nodeSelector":
        return manifest.place(route, "key" if miss.unknown else "value")
    value = (*route, "values", 0)
    return manifest.place((*route, "key") if miss.unknown or not manifest.present(value) else value)


def _rekeyed(manifest: Manifest, miss: _Miss) -> list[editing.Edit]:
    if miss.route[-2] == "nodeSelector":
        return renamed(manifest, [miss.route], miss.key)
    return [editing.replace_scalar(manifest.item, (*miss.route, "key"), miss.key)]


def _proposals(manifest: Manifest, miss: _Miss) -> tuple[FixCandidate, ...]:
    if miss.key:
        return (FixCandidate(f"write {miss.key}", "unsafe", lambda: _rekeyed(manifest, miss)),)
    if not miss.value:
        return ()
    route = miss.route if miss.route[-2] == "nodeSelector" else (*miss.route, "values", 0)
    value = emitter.scalar_text(miss.value)
    return (
        FixCandidate(f"write {miss.value}", "unsafe", lambda: [editing.replace_scalar(manifest.item, route, value)]),
    )
