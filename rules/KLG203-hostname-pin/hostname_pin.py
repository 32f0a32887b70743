"""Pods that are pinned to a node by its hostname label."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.drain_facts import held_drains
from kubelint_gpu.analysis.rollout_facts import judgements_in
from kubelint_gpu.builders.node_pins import Wider, by_label, wider_selection
from kubelint_gpu.engine.api import ApplySet, Diagnostic, Pointer, Related, WorkloadCheck, field_pointers, rule
from kubelint_gpu.messages.wording import some

# files of the host that every node has
_EVERYWHERE = ("/dev", "/proc", "/sys", "/run", "/var/run", "/etc", "/usr", "/lib")


@rule("KLG203", of_workloads=True)
def hostname_pin(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield pods bound to a node by its name, where another label of the node would do."""
    held = {one.subject.key for one in held_drains(unit)}
    for subject in unit.subjects:
        if not subject.places_pods or _has_reason(subject):
            continue
        found = wider_selection(unit, subject)
        kept = any(volume.kind == "persistentVolumeClaim" for volume in subject.workload.spec.volumes)
        if found is None or (kept and len(found.nodes) <= len(found.pinned)):
            continue
        manifest = subject.manifest
        route: Pointer = (*field_pointers.pod_spec(manifest), *found.pin.pointer)
        label = f"{found.key}={found.value}"
        others = sorted(set(found.nodes) - set(found.pinned))
        if not others and _sticks(unit, subject):
            continue
        told = (
            f"{label} would also let it run on {some(others)} when {some(found.pinned)} is drained or fails"
            if others
            else f"{label} selects the same node and stays right when the node is replaced"
        )
        yield Diagnostic(
            "KLG203",
            manifest.place(route),
            f"its pods are pinned to {some(found.pinned)} by name; {told}",
            manifest,
            cause=str(found.pin.requirement),
            severity="warning" if subject.key in held or _sticks(unit, subject) else "note",
            follows=(manifest.object,) if _sticks(unit, subject) and subject.key not in held else (),
            related=tuple(_nodes(unit, found, others)),
            proposals=(by_label(subject, found),),
        )


def _has_reason(subject: WorkloadCheck) -> bool:
    """Whether the pods use data of that host."""
    paths = [
        str(volume.source.get("path", "")) for volume in subject.workload.spec.volumes if volume.kind == "hostPath"
    ]
    return any(not path.startswith(_EVERYWHERE) for path in paths)


def _sticks(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether the rollout gets stuck because of the pin."""
    judgement = judgements_in(unit).get(subject.key)
    return judgement is not None and judgement.waits


def _nodes(unit: ApplySet, found: Wider, others: list[str]) -> Iterator[Related]:
    said = set()
    for name in (*found.pinned[:1], *others[:2]):
        declared = unit.world.declared("Node", name)
        if declared is None:
            continue
        place = unit.world.place(declared, ("metadata", "labels", found.key))
        if place not in said:
            said.add(place)
            yield Related(place, f"{name} has {found.key}: {found.value}")
