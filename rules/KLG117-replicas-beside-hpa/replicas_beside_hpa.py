"""Replicas that are written beside an autoscaler, or removed in favour of it."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.engine.api import ApplySet, Diagnostic, Related, WorkloadCheck, field_pointers, rule
from kubelint_gpu.kube.admission.defaults import extended_resources
from kubelint_gpu.messages.wording import counted, listed
from kubelint_gpu.workspace.autoscalers import SCALED, Autoscaler, read_autoscaler

_LEFT_OUT = (
    "remove replicas from the manifest, and with kubectl apply edit-last-applied from the object: without the second "
    "step the next apply sets 1"
)
_KEPT_OUT = (
    "remove replicas with kubectl apply edit-last-applied first, and then from the manifest; or keep the number written"
)
_DEFAULT = 1


@rule("KLG117", of_workloads=True)
def replicas_beside_hpa(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield workloads whose written replicas and autoscaler overwrite each other, so that GPU pods are recreated."""
    for subject in unit.subjects:
        manifest, workload = subject.manifest, subject.workload
        autoscaler = unit.autoscalers.get(workload.key)
        if autoscaler is None or autoscaler.bounds is None or workload.kind not in SCALED or workload.custom:
            continue
        written = field_pointers.at(manifest, field_pointers.REPLICAS)
        if type(written) is int:
            yield from _reset(subject, autoscaler, written, autoscaler.bounds)
        elif written is None:
            yield from _given_up(unit, subject, autoscaler, autoscaler.bounds)


def _reset(
    subject: WorkloadCheck, autoscaler: Autoscaler, written: int, bounds: tuple[int, int]
) -> Iterator[Diagnostic]:
    """Yield the finding that each apply sets the written number."""
    manifest, resources, (least, most), name = (
        subject.manifest,
        extended_resources(subject.workload.spec),
        bounds,
        autoscaler.name,
    )
    if not written or not (resources or written > most) or bounds == (written, written):
        # with 0 replicas an autoscaler is switched off
        return
    told = f"and {name} {least} to {most}: what was scaled up loses pods with {listed(resources)}"
    if written > most:
        told = f"above the {most} that {name} allows: the autoscaler then deletes {counted(written - most, 'pod')}"
    yield Diagnostic(
        "KLG117",
        manifest.place(field_pointers.REPLICAS),
        f"each apply sets {counted(written, 'replica')}, {told}",
        manifest,
        cause="replicas",
        moment="next",
        related=(Related(autoscaler.manifest.place(autoscaler.most), f"it sets {least} to {most} replicas"),),
        help=(_LEFT_OUT,),
    )


def _given_up(
    unit: ApplySet, subject: WorkloadCheck, autoscaler: Autoscaler, bounds: tuple[int, int]
) -> Iterator[Diagnostic]:
    """Yield the finding that this change removes `replicas`, so that the API server sets the default once.

    The three-way merge of client-side apply deletes a field that the last applied manifest had (apimachinery,
    strategicpatch, 1.34).
    """
    manifest, before = subject.manifest, unit.before.get(subject.manifest.object)
    written = field_pointers.at(before, field_pointers.REPLICAS) if before is not None else None
    if before is None or type(written) is not int or not written or bounds[1] <= _DEFAULT:
        return
    runs, exact = _running(unit, autoscaler, written, bounds[0])
    lost, name = runs - _DEFAULT, autoscaler.name
    if exact and not lost:
        return
    are = "is" if lost == 1 else "are"
    gone = f"{lost} of {counted(runs, 'pod')} {are} deleted"
    if not exact:
        gone = f"at least {counted(lost, 'pod')} {are} deleted"
    if not lost:
        gone = f"the pods that {name} added are deleted"
    place = autoscaler.manifest.place(autoscaler.least if bounds[0] > _DEFAULT else autoscaler.most)
    yield Diagnostic(
        "KLG117",
        field_pointers.replicas_place(manifest),
        f"this change removes replicas, and kubectl apply then scales it to {_DEFAULT} once: "
        f"{gone} before {name} scales it up again",
        manifest,
        cause="replicas removed",
        certainty="certain" if lost else "possible",
        severity="warning" if lost else "note",
        related=(Related(place, f"it sets {bounds[0]} to {bounds[1]} replicas"),),
        help=(_KEPT_OUT,),
    )


def _running(unit: ApplySet, autoscaler: Autoscaler, written: int, least: int) -> tuple[int, bool]:
    """Return the fewest pods that run before this change, and whether no more do."""
    if autoscaler.manifest.object in unit.made:
        return written, True
    before = unit.before.get(autoscaler.manifest.object)
    known = read_autoscaler(before) if before is not None else None
    if known is not None and known.bounds is not None and known.scales == autoscaler.scales:
        return max(known.bounds[0], _DEFAULT), False
    return max(min(written, least), _DEFAULT), False
