"""Autoscalers whose workloads cannot reach their maximum."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kubelint_gpu.analysis.beyond.cluster_beyond import cluster_beyond
from kubelint_gpu.analysis.growing_pools import at_most, growing
from kubelint_gpu.analysis.replica_room import Room, counted_room, room_beside
from kubelint_gpu.analysis.room.known_room import taking_nodes
from kubelint_gpu.analysis.scaling import autoscalers_of, scaling
from kubelint_gpu.budget import BUDGET
from kubelint_gpu.builders.jobs.running_for_good import MOST_OTHERS, share_nodes
from kubelint_gpu.builders.waiting_pods import NO_NODE, shortage_of_next
from kubelint_gpu.engine.api import ApplySet, Diagnostic, Manifest, Pointer, Related, WorkloadCheck, rule
from kubelint_gpu.engine.remedies import rewritten
from kubelint_gpu.evidence.exclusive_lines import spread_lines
from kubelint_gpu.evidence.node_lines import clues, refusing_quota, scarce
from kubelint_gpu.findings.finding import Place
from kubelint_gpu.messages.why_fewer import refused
from kubelint_gpu.messages.wording import CUT_OFF, counted, foremost, listed, verb, workload_name, workload_names
from kubelint_gpu.scheduler.plugins import pod_topology_spread
from kubelint_gpu.simulation.bounds.preconditions import gives_way
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.autoscalers import TARGET


@rule("KLG115")
def hpa_exceeds_capacity(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield autoscalers that may request more replicas than have places, alone or several at their maximum."""
    fitting: list[_Scaled] = []
    for autoscaler, subject in scaling(unit) if unit.has_nodes else ():
        if autoscaler.bounds is None or not subject.workload.replicas or not taking_nodes(unit, subject):
            # with 0 replicas an autoscaler is switched off
            continue
        one = _Scaled(autoscaler.manifest, autoscaler.most, subject, autoscaler.bounds[1])
        fixed = _holding(unit, subject)
        found = room_beside(unit, subject, one.most, [(each.subject, each.most) for each in fixed])
        if found is None:
            found, fixed = counted_room(unit, subject, one.most), []
        if found.known and found.pods >= one.most:
            fitting.append(one)
        elif not found.known:
            yield _undecided(one)
        else:
            yield from _findings(unit, one, found, fixed)
    while together := next(_together(unit, fitting), None):
        one, found, others = together
        yield from _findings(unit, one, found, others)
        told = {one.subject.key, *(other.subject.key for other in others)}
        fitting = [other for other in fitting if other.subject.key not in told]


def _holding(unit: ApplySet, subject: WorkloadCheck) -> list[_Scaled]:
    """Return the workloads that no autoscaler scales and that keep what its pods want; empty if they are many."""
    from kubelint_gpu.analysis import coupled

    spaces = {quota.meta.namespace for quota in unit.cluster.quotas} & {subject.workload.meta.namespace}
    apart = {subject.key, *(one.key for one in coupled.bound_to(unit, subject))}
    found = [
        _Scaled(one.manifest, field_pointers.replicas(one.manifest), one, one.workload.replicas)
        for one in unit.subjects
        if one.key not in apart and one.workload.replicas and one.admitted and not one.workload.approximate
        if not (one.controller.runs_to_completion or one.controller.node_bound or autoscalers_of(unit, one))
        if share_nodes(unit, one, subject) or one.workload.meta.namespace in spaces
        if not gives_way(one.workload.spec, subject.workload.spec)
    ]
    return found if len(found) <= MOST_OTHERS else []


def _together(unit: ApplySet, fitting: Sequence[_Scaled]) -> Iterator[tuple[_Scaled, Room, list[_Scaled]]]:
    """Yield autoscalers that cannot reach their maximum beside others that leave room for the written replicas."""
    for one in fitting:
        mine, replicas = taking_nodes(unit, one.subject), one.subject.workload.replicas
        near = [other for other in fitting if mine & taking_nodes(unit, other.subject)]
        others = [other for other in near if other.subject is not one.subject]
        room = _beside(unit, one, others) if others else Room(one.most)
        if room.known and room.pods < replicas:
            others = _fewer_at_most(unit, one, others)
            room = _beside(unit, one, others)
        if room.known and replicas <= room.pods < one.most:
            yield one, room, others


def _fewer_at_most(unit: ApplySet, one: _Scaled, others: Sequence[_Scaled]) -> list[_Scaled]:
    """Return the others, as many as possible at their maximum if the written replicas of one keep their room."""

    def beside(number: int) -> list[_Scaled]:
        written = (other._replace(most=other.subject.workload.replicas) for other in others[number:])
        return [*others[:number], *written]

    def lacks(number: int) -> bool:
        return _beside(unit, one, beside(number)).pods < one.subject.workload.replicas

    return beside(bisect_left(range(1, len(others) + 1), True, key=lacks))


class _Scaled(NamedTuple):
    manifest: Manifest
    pointer: Pointer
    subject: WorkloadCheck
    most: int

    @property
    def place(self) -> Place:
        """Return where the number of replicas is written, or where it would be."""
        return self.manifest.place(self.pointer, "value" if len(self.pointer) > 1 else "key")


def _beside(unit: ApplySet, one: _Scaled, others: Sequence[_Scaled], *, further: bool = False) -> Room:
    scaled = [(other.subject, other.most) for other in others]
    return counted_room(unit, one.subject, one.most, further=further, scaled=scaled)


def _findings(unit: ApplySet, one: _Scaled, found: Room, others: Sequence[_Scaled] = ()) -> Iterator[Diagnostic]:
    if one.subject.workload.replicas <= found.pods and found.pods:
        certain = _is_certain(unit, one, found, others)
        if certain or not unit.may_outgrow(one.subject):
            yield _draft(unit, one, found, others, certain=certain)


def _is_certain(unit: ApplySet, one: _Scaled, found: Room, others: Sequence[_Scaled]) -> bool:
    """Whether no node beyond the inventory makes room for more; pools have grown to their limit."""
    if unit.is_closed_to(one.subject) or (unit.is_closed and not unit.may_outgrow(one.subject)):
        return True
    return cluster_beyond(unit).known and _beside(unit, one, others, further=True).pods == found.pods


def _undecided(one: _Scaled) -> Diagnostic:
    return Diagnostic(
        "KLG115",
        one.place,
        f"whether {one.most} replicas of {workload_name(one.subject.workload)} find room is undecided: "
        f"the search ended after {BUDGET.placements} placements",
        one.manifest,
        cause=f"{one.pointer[-1]} undecided",
        severity="note",
        certainty="possible",
        undecided=CUT_OFF,
    )


def _draft(unit: ApplySet, one: _Scaled, found: Room, scaled: Sequence[_Scaled], *, certain: bool) -> Diagnostic:
    from kubelint_gpu.analysis import coupled

    manifest, pointer, subject, most = one
    name, written, mine = str(pointer[-1]), manifest.present(pointer), any(one is manifest for one in unit.manifests)
    pools, room = at_most(unit, subject), found.pods
    others = workload_names([one.workload for one in found.beside])
    at_most_too = [
        f"{counted(number, 'replica')} of {workload_name(other.subject.workload)}"
        for other, number in zip(scaled, found.scaled, strict=True)
    ]
    _, why, lacks = shortage_of_next(unit, subject, room, taking_nodes(unit, subject))
    if found.refusal is not None:
        why, lacks = f"the next one is refused {refused(found.refusal)}", ()
    elif why == NO_NODE or found.beside or scaled or subject.workload.claims or pools:
        # it is known of its pods alone, on nodes that are there
        why, lacks = "", ()
    names = listed([*filter(None, ("running pods" if unit.cluster.pods else "", foremost(at_most_too), others))])
    beside = f" beside {names}" if names else ""
    return Diagnostic(
        "KLG115",
        one.place,
        f"{name} is {most}{'' if written else ' by default'}, but only {counted(room, 'replica')} {verb('find', room)} "
        f"room{beside}{f', even with {pools}' if pools else ''}"
        f"{f': {why}' if why else ''}",
        manifest,
        cause=f"{name} together" if scaled else name,
        moment="later",
        certainty="certain" if certain else "possible",
        related=(
            Related(manifest.place((*TARGET, "name")), f"it scales {workload_name(subject.workload)}"),
            *(
                Related(
                    other.place,
                    "it keeps its replicas"
                    if other.manifest is other.subject.manifest
                    else f"it scales {other.subject.workload.meta.name}",
                )
                for other in scaled
            ),
            *coupled.ties(unit, subject, found.beside),
            *(spread_lines(subject) if any(one.reason == pod_topology_spread.REASON for one in lacks) else ()),
            *(
                clues(unit, subject, scarce(subject), sorted(taking_nodes(unit, subject)), holders=True)
                if found.refusal is None
                else refusing_quota(unit, subject, found.refusal)
            ),
            *growing(unit, subject),
        ),
        # what another unit declares is not changed by this one
        help=() if mine else (f"set {name}: {room}, as many as find room",),
        proposals=rewritten(
            manifest,
            pointer,
            [str(room)] * (written and mine),
            f"set {name}: {{}}, as many as find room",
            of_amounts=True,
        ),
        # a rollout for which one more pod finds no room waits for the same
        follows=(f"{subject.manifest.object} at {room}",) if not scaled else (),
    )
