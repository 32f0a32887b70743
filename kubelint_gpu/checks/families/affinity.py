"""Selectors and affinity: what they exclude by themselves, and what they do not find in the cluster."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from kubelint_gpu.checks import routes
from kubelint_gpu.checks.diagnosis import diagnose
from kubelint_gpu.checks.draft import Draft, Proposal
from kubelint_gpu.checks.finding import Related
from kubelint_gpu.checks.manifest import Manifest
from kubelint_gpu.checks.registry import rule
from kubelint_gpu.checks.unit import Subject, Unit
from kubelint_gpu.checks.wording import listed, some
from kubelint_gpu.documents import Pointer
from kubelint_gpu.documents.edits import replace_scalar
from kubelint_gpu.kube.label_algebra import Bound, Contradiction, alternatives, unsatisfiable
from kubelint_gpu.values import dataclass


@rule("KLG401")
def affinity_contradiction(unit: Unit) -> Iterator[Draft]:
    """Requirements that no node of any cluster can meet together."""
    for subject in unit.subjects:
        reasons = unsatisfiable(subject.workload.spec)
        if reasons is None:
            continue
        manifest = subject.manifest
        base = routes.pod_spec(manifest)
        if not reasons:
            route = (*base, "affinity", "nodeAffinity")
            yield Draft(
                "KLG401",
                manifest.place(route, "key"),
                "no node can match: every node selector term is empty or cannot be parsed by the scheduler",
                manifest,
                cause="no term",
            )
            continue
        first = reasons[0]
        others = f" (and so in each of {len(reasons)} terms)" if len(reasons) > 1 else ""
        last = first.bounds[-1]
        yield Draft(
            "KLG401",
            manifest.place((*base, *last.pointer)),
            f"no node of any cluster can match: {_told(first)}{others}",
            manifest,
            cause="/".join(str(bound.requirement) for bound in first.bounds),
            certainty="possible" if any(reason.plain for reason in reasons) else "certain",
            related=tuple(
                Related(manifest.place((*base, *bound.pointer)), f"this requires {bound.requirement}")
                for bound in dict.fromkeys(bound for reason in reasons for bound in reason.bounds)
                if bound is not last
            ),
        )


def _told(reason: Contradiction) -> str:
    named = [str(bound.requirement) for bound in reason.bounds]
    if len(named) == 1:
        return f"nothing satisfies {named[0]}"
    return f"{listed(named)} exclude each other"


@rule("KLG402")
def affinity_matches_no_node(unit: Unit) -> Iterator[Draft]:
    """Labels that a node could have, and none of the inventory has."""
    for subject, found in diagnose(unit):
        if found.code != "KLG402":
            continue
        miss = _nearest_miss(unit, subject)
        manifest = subject.manifest
        yield Draft(
            "KLG402",
            manifest.place(miss.route),
            miss.message,
            manifest,
            cause=str(miss.cause),
            certainty=found.certainty,
            scheduler=unit.beside_running(subject).message or unit.alone(subject).message,
            related=_near_nodes(unit, miss),
            help=(f"did you mean {miss.suggestion}?",) if miss.suggestion else (),
            proposals=_proposals(manifest, miss),
        )


@dataclass(frozen=True, slots=True)
class _Miss:
    route: Pointer
    message: str
    cause: object
    suggestion: str = ""
    near: tuple[str, ...] = ()
    value: str = ""


def _nearest_miss(unit: Unit, subject: Subject) -> _Miss:
    """The requirement that no node meets; where each is met by some node, that they are not met together."""
    base = routes.pod_spec(subject.manifest)
    nodes = unit.cluster.nodes
    named = _Names(unit)
    for bounds in alternatives(subject.workload.spec):
        for bound in bounds:
            if any(
                bound.allowed.has(node.name if bound.field else node.labels.get(bound.requirement.key))
                for node in nodes
            ):
                continue
            return named.miss(bound, (*base, *bound.pointer))
    bounds = alternatives(subject.workload.spec)[0]
    best: tuple[int, tuple[str, ...]] = (-1, ())
    for node in nodes:
        met = sum(
            bound.allowed.has(node.name if bound.field else node.labels.get(bound.requirement.key)) for bound in bounds
        )
        if met > best[0]:
            best = (met, (node.name,))
    together = listed([str(bound.requirement) for bound in bounds])
    return _Miss(
        (*base, *bounds[-1].pointer),
        f"no node meets {together} together; {best[1][0]} meets {best[0]} of {len(bounds)}",
        together,
        near=best[1],
    )


class _Names:
    """Labels and values that the inventory's nodes have."""

    def __init__(self, unit: Unit) -> None:
        self._nodes = unit.cluster.nodes
        self._keys = sorted({key for node in self._nodes for key in node.labels})

    def miss(self, bound: Bound, route: Pointer) -> _Miss:
        """What is said of a requirement that no node meets."""
        requirement = bound.requirement
        key = requirement.key
        values = sorted(
            {
                node.name if bound.field else node.labels[key]
                for node in self._nodes
                if bound.field or key in node.labels
            }
        )
        if not values:
            near = get_close_matches(key, self._keys, 1, 0.75)
            suggestion = f"the label {near[0]}" if near else ""
            return _Miss(route, f"no node of the inventory has the label {key}", key, suggestion)
        wanted = requirement.values[0] if requirement.values else ""
        near = get_close_matches(wanted, values, 1, 0.6) if requirement.operator == "In" else []
        nodes = tuple(
            node.name
            for node in self._nodes
            if near and (node.name if bound.field else node.labels.get(key)) == near[0]
        )
        found = "the name" if bound.field else key
        return _Miss(
            route,
            f"no node of the inventory meets {requirement}: {found} is {some(values, 'value')}",
            str(requirement),
            near[0] if near else "",
            nodes,
            near[0] if near and len(requirement.values) == 1 else "",
        )


def _near_nodes(unit: Unit, miss: _Miss) -> tuple[Related, ...]:
    found = []
    for name in miss.near[:2]:
        declared = unit.world.declared("Node", name)
        if declared is not None:
            found.append(Related(unit.world.place(declared), f"{name} comes nearest"))
    return tuple(found)


def _proposals(manifest: Manifest, miss: _Miss) -> tuple[Proposal, ...]:
    if not miss.value:
        return ()
    route = miss.route if miss.route[-2] == "nodeSelector" else (*miss.route, "values", 0)
    return (
        Proposal(
            f"write {miss.value}",
            "unsafe",
            lambda: [replace_scalar(manifest.item, route, miss.value)],
        ),
    )
