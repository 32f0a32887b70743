"""Taints that keep a pod from every node that would otherwise take it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubelint_gpu.analysis.diagnosis import Diagnosis, of_cause
from kubelint_gpu.analysis.node_misfit import asked, left_out, title
from kubelint_gpu.builders.waiting_pods import no_pods, scheduler_message, severity_without_pods
from kubelint_gpu.documents import editing
from kubelint_gpu.engine.api import (
    ApplySet,
    Diagnostic,
    FixCandidate,
    Pointer,
    Related,
    WorkloadCheck,
    field_pointers,
    rule,
)
from kubelint_gpu.evidence.declared_lines import fits_without_volumes, reunion, tie_lines, volume_ties
from kubelint_gpu.findings.finding import Safety
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.taints import Taint, Toleration, covered_by, uncovered
from kubelint_gpu.messages.wording import listed, some

_KEY = "tolerations"
_MOST = 3
_ADMISSION = "if admission adds this toleration, declare admission.extendedResourceToleration: true in the inventory"
Sets = dict[tuple[Taint, ...], list[str]]


@rule("KLG202", of_workloads=True)
def untolerated_taint(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield pods that do not tolerate a taint on each node that would otherwise take them."""
    for subject, found in of_cause(unit, "KLG202"):
        manifest = subject.manifest
        sets = _sets(unit, subject, found)
        told = [
            f"{some(names)} {'has' if len(names) == 1 else 'have'} {listed([str(one) for one in taints])}"
            for taints, names in list(sets.items())[:_MOST]
        ]
        first = next(iter(sets))
        written = _written(subject, first[0])
        ties = volume_ties(unit, subject)
        if ties and not fits_without_volumes(unit, subject):
            ties = {}
        tied = [one for one in field_pointers.claims(manifest) if field_pointers.at(manifest, one) in ties]
        why = "; ".join(f"claim {name} {told}" for name, told in list(ties.items())[:1]) or _but(subject, written)
        clauses = "; ".join(filter(None, (*told, why)))
        yield Diagnostic(
            "KLG202",
            manifest.place(tied[0]) if tied else manifest.place(*_route(subject, written)),
            f"no node takes its pod, which lacks a toleration: {clauses}{no_pods(subject)}",
            manifest,
            cause="/".join(str(taint) for taint in first),
            certainty=found.certainty,
            scheduler=scheduler_message(unit, subject),
            related=(*_related(unit, sets), *(tie_lines(unit, subject) if ties else ())),
            severity=severity_without_pods(subject, found),
            help=(reunion(unit, subject),) if ties else _help(unit, subject, first),
            # where other nodes lack nothing but the volume, these are not those that it is meant for
            proposals=() if ties else tuple(_proposals(subject, sets)),
        )
    for subject in unit.subjects:
        kept = left_out(unit, subject) if subject.controller.node_bound else {}
        if kept:
            yield _without_some(unit, subject, kept)


def _without_some(unit: ApplySet, subject: WorkloadCheck, kept: Sets) -> Diagnostic:
    """Return the finding that a DaemonSet has no pod on some of the GPU nodes that it selects."""
    manifest, first = subject.manifest, next(iter(kept))
    names = some([name for found in kept.values() for name in found])
    taints = some(list(dict.fromkeys(str(taint) for found in kept for taint in found)), "taint")
    return Diagnostic(
        "KLG202",
        manifest.place(*_route(subject, None)),
        f"it makes no pod on {names}, which it chooses by label: it does not tolerate {taints}",
        manifest,
        cause=f"some {'/'.join(str(taint) for taint in first)}",
        severity="note",
        related=tuple(_related(unit, kept)),
        help=_help(unit, subject, first) or ("if its pods belong there, add a toleration",),
    )


def _sets(unit: ApplySet, subject: WorkloadCheck, found: Diagnosis) -> Sets:
    """Return the sets of taints in the way, each with its nodes; first those for the resource that the pod requests."""
    nodes = {node.name: node for node in unit.possible_nodes}
    sets: Sets = {}
    covered = covered_by(subject.workload.spec.tolerations)
    for name in found.nodes:
        node: Node = nodes[name]
        sets.setdefault(tuple(uncovered(node.taints, covered)), []).append(title(unit, name))
    resources = asked(subject)

    def rank(entry: tuple[tuple[Taint, ...], list[str]]) -> tuple[bool, int, int]:
        taints, names = entry
        return not all(taint.key in resources for taint in taints), len(taints), -len(names)

    return dict(sorted(sets.items(), key=rank))


def _written(subject: WorkloadCheck, taint: Taint) -> int | None:
    """Return the index of the toleration probably meant for a taint: with its key, else with a similar one."""
    import difflib

    manifest = subject.manifest
    listed_ones = field_pointers.at(manifest, (*field_pointers.pod_spec(manifest), _KEY))
    keys = [str(found.get("key", "")) if isinstance(found, dict) else "" for found in _list(listed_ones)]
    near = taint.key if taint.key in keys else next(iter(difflib.get_close_matches(taint.key, keys, 1, 0.8)), "")
    return keys.index(near) if near else None


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _route(subject: WorkloadCheck, written: int | None) -> tuple[Pointer, Any]:
    manifest = subject.manifest
    base = field_pointers.pod_spec(manifest)
    if written is not None:
        return (*base, _KEY, written, "key"), "value"
    return (*base, _KEY), "key"


def _but(subject: WorkloadCheck, written: int | None) -> str:
    if written is None:
        return ""
    found = subject.manifest.workload.spec.tolerations[written] if subject.manifest.workload is not None else None
    return f"it tolerates {_toleration_text(found)}" if found is not None else ""


def _toleration_text(toleration: Toleration) -> str:
    value = f"={toleration.value}" if toleration.operator == "Equal" else ""
    effect = f":{toleration.effect}" if toleration.effect else ""
    return f"{toleration.key}{value}{effect}"


def _related(unit: ApplySet, sets: Sets) -> Iterator[Related]:
    seen = set()
    for taints, names in list(sets.items())[:_MOST]:
        declared = unit.world.declared("Node", names[0])
        if declared is None:
            continue
        place = unit.world.place(declared, ("spec", "taints"))
        if place not in seen:
            seen.add(place)
            yield Related(place, f"{some(names)} {'has' if len(names) == 1 else 'have'} the taint {taints[0]}")


def _help(unit: ApplySet, subject: WorkloadCheck, taints: tuple[Taint, ...]) -> tuple[str, ...]:
    inventory = unit.world.inventory
    if inventory is None or inventory.admission.extended_resource_toleration:
        return ()
    if all(taint.key in asked(subject) for taint in taints):
        return (f"tolerate {listed([str(taint) for taint in taints])}; {_ADMISSION}",)
    return ()


def _proposals(subject: WorkloadCheck, sets: Sets) -> Iterator[FixCandidate]:
    resources = asked(subject)
    for taints in list(sets)[:_MOST]:
        safety: Safety = "safe" if all(taint.key in resources for taint in taints) else "unsafe"
        if len(taints) == 1:
            written = _written(subject, taints[0])
            if written is not None:
                yield FixCandidate(
                    f"let the toleration tolerate {taints[0]}",
                    safety,
                    lambda taint=taints[0], at=written: _corrected(subject, at, taint),  # type: ignore[misc]
                )
                continue
        named = listed([str(taint) for taint in taints])
        yield FixCandidate(f"tolerate {named}", safety, lambda taints=taints: _added(subject, taints))  # type: ignore[misc]


def _corrected(subject: WorkloadCheck, at: int, taint: Taint) -> list[editing.Edit]:
    """Return the edits that give the toleration the key, value and effect of the taint."""
    manifest = subject.manifest
    base = (*field_pointers.pod_spec(manifest), _KEY, at)
    found = field_pointers.at(manifest, base)
    written: dict[str, Any] = found if isinstance(found, dict) else {}
    edits = []
    if written.get("key") != taint.key:
        edits.append(editing.replace_scalar(manifest.item, (*base, "key"), taint.key))
    if written.get("operator") != "Exists" and (written.get("value") or "") != taint.value:
        if written.get("value"):
            edits.append(editing.replace_scalar(manifest.item, (*base, "value"), f'"{taint.value}"'))
        else:
            edits.append(editing.set_key(manifest.item, base, "value", taint.value))
    if written.get("effect") and written["effect"] != taint.effect:
        edits.append(editing.replace_scalar(manifest.item, (*base, "effect"), taint.effect))
    return edits


def _added(subject: WorkloadCheck, taints: tuple[Taint, ...]) -> list[editing.Edit]:
    manifest = subject.manifest
    base = field_pointers.pod_spec(manifest)
    resources = asked(subject)
    new = [_toleration(taint, whatever=taint.key in resources) for taint in taints]
    written = _list(field_pointers.at(manifest, (*base, _KEY)))
    if written:
        return [editing.append(manifest.item, (*base, _KEY), new)]
    return [editing.set_key(manifest.item, base, _KEY, new)]


def _toleration(taint: Taint, *, whatever: bool) -> dict[str, str]:
    """Return a toleration of a taint; with `whatever`, of any value."""
    if taint.value and not whatever:
        return {"key": taint.key, "operator": "Equal", "value": taint.value, "effect": taint.effect}
    return {"key": taint.key, "operator": "Exists", "effect": taint.effect}
