"""Nodes that cannot be drained."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kubelint_gpu.analysis.drain_facts import held_budgets, held_drains
from kubelint_gpu.analysis.rollout_facts import judgements_in
from kubelint_gpu.documents import editing
from kubelint_gpu.engine.api import (
    ApplySet,
    Diagnostic,
    FixCandidate,
    Manifest,
    Pointer,
    Related,
    WorkloadCheck,
    field_pointers,
    rule,
)
from kubelint_gpu.evidence.declared_lines import told_at
from kubelint_gpu.evidence.node_lines import clues, scarce
from kubelint_gpu.messages.wording import CUT_OFF, budget_names, counted, some, verb, workload_name

if TYPE_CHECKING:
    from kubelint_gpu.simulation.questions.drain import Drained


_MOST = 4
_SHARES = ("minAvailable", "maxUnavailable")


@rule("KLG112")
def drain_blocked(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield nodes whose drain disruption budgets block: for all pods, or for those that have no other place."""
    for held in held_drains(unit):
        if held.decided:
            yield _draft(unit, held.subject, held.drains, certain=held.certain)
        else:
            yield _undecided(unit, held.subject, held.drains)
    yield from (_of_running(unit, *held) for held in held_budgets(unit))


def _of_running(unit: ApplySet, manifest: Manifest, found: Sequence[Drained]) -> Diagnostic:
    names = sorted({name for one in found for name in one.budgets})
    route = _share(manifest)
    ends, clause = _outcome(found, names, sum(one.pods for one in found))
    return Diagnostic(
        "KLG112",
        manifest.place(route),
        f"draining {some([one.node for one in found], word='or')} {ends}: {clause}",
        manifest,
        cause="running pods",
        moment="later",
        related=tuple(
            clue
            for one in found[:_MOST]
            for clue in told_at(unit, "Node", one.node, f"{counted(one.pods, 'pod')} under the budget on {one.node}")
        ),
        help=("leave one of the budgets, or let their selectors cover different pods",) if found[0].refused else (),
        proposals=_proposals(manifest, route, found),
    )


def _undecided(unit: ApplySet, subject: WorkloadCheck, found: Sequence[Drained]) -> Diagnostic:
    names = sorted({name for one in found for name in one.budgets})
    manifest, route = _budget(unit, subject, names)
    return Diagnostic(
        "KLG112",
        manifest.place(route),
        f"whether draining a node with pods of {workload_name(subject.workload)} ends is undecided: not every place "
        "that they and the pods on which their places depend could take on other nodes was tried",
        manifest,
        cause=f"undecided {subject.workload.key}",
        moment="later",
        severity="note",
        certainty="possible",
        undecided=CUT_OFF,
    )


def _draft(unit: ApplySet, subject: WorkloadCheck, found: Sequence[Drained], *, certain: bool) -> Diagnostic:
    names = sorted({name for one in found for name in one.budgets})
    manifest, route = _budget(unit, subject, names)
    known, away = [one.node for one in found if one.known], [one.node for one in found if one.stranded]
    mine = manifest is subject.manifest
    where = f"draining {some(known, word='or')}" if known else f"draining a node with {'its ' * mine}pods"
    whom = "" if mine else f" of {workload_name(subject.workload)}"
    ends, clause = _outcome(found, names, subject.workload.replicas)
    return Diagnostic(
        "KLG112",
        manifest.place(route),
        f"{where}{whom} {ends}: {clause}",
        manifest,
        cause=subject.workload.key,
        moment="later",
        certainty="certain" if certain else "possible",
        related=(
            *(
                (
                    Related(
                        subject.replicas_place, f"{counted(subject.workload.replicas, 'replica')}, all under the budget"
                    ),
                )
                if manifest is not subject.manifest
                else _declared(unit, names)
            ),
            *(clues(unit, subject, scarce(subject), away, holders=True) if away else ()),
        ),
        help=tuple(_help(unit, manifest, subject, found, names)),
        proposals=_proposals(manifest, route, found) if manifest is not subject.manifest else (),
    )


def _outcome(found: Sequence[Drained], names: Sequence[str], replicas: int) -> tuple[str, str]:
    """Return the outcome of the drain, and its reason."""
    worst = max(found, key=lambda one: (one.stranded, one.pods))
    budgets, number = budget_names(names), len(names)
    if worst.refused:
        return "fails", f"{budgets} cover the same pods, and the eviction API refuses a pod with more than one"
    pods = "its pod" if worst.pods == 1 else f"{worst.stranded} of {counted(worst.pods, 'pod')}"
    room = f"{pods} {verb('find', worst.stranded)} no room on another node"
    if not worst.allowed or not worst.stranded:
        healthy = "its only pod is healthy" if replicas == 1 else f"all {replicas} pods are healthy"
        beside = f"; {room}, either" if worst.stranded else ""
        return "never ends", f"{budgets} {verb('allow', number)} no eviction even while {healthy}{beside}"
    return (
        "stops half way",
        f"{room}, and {budgets} {verb('allow', number)} no more than {worst.allowed} of them to be unavailable",
    )


def _help(
    unit: ApplySet, manifest: Manifest, subject: WorkloadCheck, found: Sequence[Drained], names: Sequence[str]
) -> Iterator[str]:
    judgement = judgements_in(unit).get(subject.key)
    if any(one.refused for one in found):
        yield "leave one of the budgets, or let their selectors cover different pods"
    elif manifest is subject.manifest:
        yield f"let {budget_names(names)} allow one pod to be missing (maxUnavailable: 1)"
    elif subject.controller.rolls and all(not one.stranded for one in found) and (judgement is None or judgement.ends):
        yield "with the node cordoned, kubectl rollout restart moves its pods to another node without an eviction"


def _budget(unit: ApplySet, subject: WorkloadCheck, names: Sequence[str]) -> tuple[Manifest, Pointer]:
    """Return the budget's line if it is among the manifests, else the number of replicas."""
    for manifest in unit.manifests:
        same = (manifest.namespace or "default") == subject.workload.meta.namespace
        if manifest.kind == "PodDisruptionBudget" and manifest.name in names and same:
            return manifest, _share(manifest)
    return subject.manifest, field_pointers.replicas(subject.manifest)


def _share(manifest: Manifest) -> Pointer:
    return next((("spec", key) for key in _SHARES if manifest.present(("spec", key))), ("spec",))


def _declared(unit: ApplySet, names: Sequence[str]) -> Iterator[Related]:
    for name in names:
        yield from told_at(unit, "PodDisruptionBudget", name, f"{name} covers its pods and allows no disruption")


def _proposals(manifest: Manifest, route: Pointer, found: Sequence[Drained]) -> tuple[FixCandidate, ...]:
    if route[-1] not in _SHARES or any(one.refused for one in found):
        return ()
    missing = max(1, *(one.stranded for one in found))

    def edits() -> list[editing.Edit]:
        value = editing.replace_scalar(manifest.item, route, str(missing))
        if route[-1] == "maxUnavailable":
            return [value]
        return [editing.Edit(manifest.path, manifest.item.locate(route, "key"), "maxUnavailable"), value]

    lets = "one pod at a time" if missing == 1 else f"{missing} pods that find no room"
    return (FixCandidate(f"set maxUnavailable: {missing}", "unsafe", edits, effect=f"lets a drain take {lets}"),)
