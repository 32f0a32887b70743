"""Pods of a DaemonSet on nodes that have no room for them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from kubelint_gpu.analysis.certainty import is_certain
from kubelint_gpu.analysis.node_misfit import tainted
from kubelint_gpu.analysis.replica_room import kept_from, on_its_node
from kubelint_gpu.analysis.room.crowded_nodes import ports_of_daemons
from kubelint_gpu.analysis.transitions import transitions_in
from kubelint_gpu.builders.common_cause import exclusive_causes, of_daemon_pods
from kubelint_gpu.engine.api import ApplySet, Diagnostic, WorkloadCheck, field_pointers
from kubelint_gpu.evidence.declared_lines import binding
from kubelint_gpu.evidence.node_lines import clues, holding, node_clues, scarce, too_much_for
from kubelint_gpu.evidence.stakes import told_holders
from kubelint_gpu.messages.wait import every
from kubelint_gpu.messages.wording import counted, foremost, listed, owner_name, said, some
from kubelint_gpu.simulation.bounds import preconditions
from kubelint_gpu.simulation.controllers import daemon_nodes
from kubelint_gpu.simulation.prepare.workload_change import own_pods
from kubelint_gpu.simulation.search.verdict import Judgement


def daemon_pods_pending(unit: ApplySet, subject: WorkloadCheck, judgement: Judgement) -> Iterator[Diagnostic]:
    """Findings about a DaemonSet whose pods stay Pending: it creates a pod for a node even if the node is full.

    Pods that name their node are left out: they are never Pending, and another rule says what the kubelet does.
    """
    if subject.workload.spec.node_name or not subject.controller.node_bound:
        return
    resource = _short(unit, subject, judgement)
    if not judgement.room.eligible and (resource not in unit.supply.advertised or unit.may_grow_for(subject)):
        # of a resource that nobody knows another rule speaks, and a pool may bring the first node
        return
    manifest = subject.manifest
    asked = [manifest.place(route) for route in field_pointers.requests(manifest, resource)]
    made_for = daemon_nodes.daemon_nodes(subject.workload.choosing, unit.cluster.nodes)
    never = [name for name in sorted(made_for) if name not in judgement.room.eligible]
    full = judgement.room.full
    barred = _barred(unit, subject, never)
    lacking = [name for name in never if name not in barred]
    held = _held(unit, subject, judgement, resource, full)
    certain = _is_known(judgement) and is_certain(unit, subject, judgement)
    stay = "it stays" if judgement.room.missing == 1 else "they stay"
    why = f"{too_much_for(unit, subject, resource, full or never)}{_why_pending(unit, subject, resource, full)}"
    yield Diagnostic(
        "KLG109",
        asked[0] if asked else manifest.place(("spec",), "key"),
        f"{_how_many(judgement, never, held)}{why}, and {stay} Pending{_halted(unit, subject, judgement, full)}",
        manifest,
        cause="daemon pods",
        certainty="certain" if certain else "possible",
        severity=None if certain and _is_caused(unit, subject, judgement) else "warning",
        scheduler=_text(unit, subject, judgement, full),
        help=tuple(_help(unit, subject, never, barred, full)),
        waits=(manifest.object,),
        follows=exclusive_causes(unit, subject, judgement.room.waiting),
        shared=of_daemon_pods(unit, subject, judgement, resource, full),
        related=(
            *clues(unit, subject, resource, sorted({*(full or judgement.room.eligible or never)}.difference(barred))),
            *node_clues(unit, [name for name in lacking if judgement.room.eligible and name not in full][:2], resource),
            *(binding(unit, subject, f"{some(barred)} cannot take it") if barred else ()),
            *told_holders(unit, resource, held),
        ),
    )


def _is_known(judgement: Judgement) -> bool:
    """Whether no more pods find room, wherever the other workloads are placed."""
    return judgement.room.alone <= judgement.room.placed or judgement.room.at_best == judgement.room.placed


def _how_many(judgement: Judgement, never: Sequence[str], held: Collection[str]) -> str:
    """How many pods find no room, beside which others, on which nodes, and who holds these."""
    pending, made = judgement.room.missing, counted(judgement.room.wanted, "node")
    told = f"of the pods that it makes for {made}, {pending} {'finds' if pending == 1 else 'find'} no room"
    if not judgement.room.placed:
        told = f"no pod that it makes for {made} finds room"
    if judgement.room.alone > judgement.room.placed:
        told += " beside the other workloads" if _is_known(judgement) else " where others come first"
    if pending not in (len(never), len(judgement.room.full)):
        return told
    holders = f", held by {foremost([owner_name(key) for key in held])}" if held and not never else ""
    return f"{told} (on {some(sorted(judgement.room.full) or never)}{holders})"


def _is_caused(unit: ApplySet, subject: WorkloadCheck, judgement: Judgement) -> bool:
    """Whether this change makes pods wait, so that it never ends: not anyway, and not for pods that they preempt."""
    change = transitions_in(unit).get(subject.key)
    if change is None or (change.existing and not change.known):
        return False
    others = (one.new.spec for one in transitions_in(unit).values())
    every = (*others, *(pod.spec for pod in unit.cluster.pods))
    return judgement.room.alone <= judgement.room.placed or not any(
        preconditions.gives_way(spec, subject.workload.spec) for spec in every
    )


def _short(unit: ApplySet, subject: WorkloadCheck, judgement: Judgement) -> str:
    """The resource that pods wait for: a device if they ask for any, otherwise what the scheduler reports."""
    resource, first = scarce(subject), min(judgement.room.full, default="")
    if "/" in resource:
        status = kept_from(unit, subject, first) if first else None
        return resource if status is None or status.short else ""
    lacks = judgement.room.waiting.lacks if judgement.room.waiting is not None else ()
    told = [lack.resource for lack in lacks if lack.resource]
    made_for = daemon_nodes.daemon_nodes(subject.workload.choosing, unit.cluster.nodes)
    names = sorted(judgement.room.full) or [name for name in sorted(made_for) if name not in judgement.room.eligible]
    for name in names if not told else ():
        status = kept_from(unit, subject, name)
        told += status.short if status is not None else ()
    return told[0] if told else "" if judgement.room.eligible else resource


def _barred(unit: ApplySet, subject: WorkloadCheck, names: Sequence[str]) -> list[str]:
    """The nodes that the RuntimeClass of the pods excludes: the controller ignores it."""
    nodes = [node for node in unit.cluster.nodes if node.name in names]
    allowed = daemon_nodes.daemon_nodes(subject.workload.spec, nodes)
    return [name for name in names if name not in allowed]


def _help(
    unit: ApplySet, subject: WorkloadCheck, never: Sequence[str], barred: Sequence[str], full: Collection[str]
) -> Iterator[str]:
    if barred:
        yield (
            f"write the nodeSelector of RuntimeClass {subject.workload.spec.runtime_class_name} in the template, too: "
            "the DaemonSet controller chooses nodes by the template, and the class is added to the pods that it makes"
        )
    if len(barred) < len(never):
        shunned = tainted(unit, subject)
        if shunned is not None:
            told = listed([str(taint) for taint in shunned.taints])
            yield f"only untolerated taints keep its pods from {some(shunned.nodes)}: tolerate {told}"
        yield "select only the nodes that have what the pod asks for"
    ports = ports_of_daemons(unit, full)
    if ports:
        yield "give one of them other host ports, or nodes that the other one does not select"


def _held(
    unit: ApplySet, subject: WorkloadCheck, judgement: Judgement, resource: str, full: frozenset[str]
) -> dict[str, list[tuple[str, int]]]:
    """Return the amounts of the resource that other pods hold on these nodes, by owner."""
    found = holding(unit, subject, resource, full or judgement.room.eligible)
    for lack in every(judgement.room.waiting.lacks) if judgement.room.waiting is not None else ():
        for holder in lack.holders if lack.resource == resource else ():
            if holder.owner != subject.workload.key and holder.owner not in found:
                found[holder.owner] = [(lack.node, holder.amount)]
    return found


def _halted(unit: ApplySet, subject: WorkloadCheck, judgement: Judgement, full: frozenset[str]) -> str:
    """A clause that no rolling update continues while these pods are Pending; empty if it does.

    A new node does not count if the DaemonSet surges, as long as its pod has the newest template.
    """
    controller = subject.controller
    if controller.on_delete or not judgement.room.placed:
        return ""
    surge, unavailable = controller.surge(judgement.room.wanted), controller.unavailable(judgement.room.wanted)
    pending = judgement.room.missing
    transition = transitions_in(unit).get(subject.key)
    if surge and full and transition is not None:
        had = {*daemon_nodes.daemon_nodes(transition.old.choosing, unit.cluster.nodes)}
        had |= {pod.spec.node_name for pod in own_pods(subject.workload, unit.cluster.pods)}
        pending = len(full & had)
    if pending < max(surge, unavailable):
        return ""
    most = f"maxSurge is {surge}" if surge else f"maxUnavailable is {unavailable}"
    does = "it does" if judgement.room.missing == 1 else "they do"
    return f"; while {does}, no rolling update replaces the others ({most})"


def _text(unit: ApplySet, subject: WorkloadCheck, judgement: Judgement, full: frozenset[str]) -> str | None:
    """The scheduler's message for the pod of the first of these nodes."""
    if judgement.room.waiting is not None:
        return judgement.room.waiting.scheduler or None
    return next(filter(None, (on_its_node(unit, subject, name).message for name in sorted(full))), None)


def _why_pending(unit: ApplySet, subject: WorkloadCheck, resource: str, full: frozenset[str]) -> str:
    """Why the first of these nodes refuses its pod, in the scheduler's words; empty if it is a resource."""
    status = kept_from(unit, subject, min(full)) if full and not resource else None
    return f": {said(status.reasons[0], min(full))}" if status is not None and status.reasons else ""
