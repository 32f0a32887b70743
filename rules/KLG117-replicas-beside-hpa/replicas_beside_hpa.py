"""Replicas that are written beside an autoscaler."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.engine.api import ApplySet, Diagnostic, Related, field_pointers, rule
from kubelint_gpu.kube.admission.defaults import extended_resources
from kubelint_gpu.messages.wording import counted, listed
from kubelint_gpu.workspace.autoscalers import SCALED

_LEFT_OUT = (
    "leave replicas out, and out of what kubectl applied last (kubectl apply edit-last-applied), or it is 1 once"
)


@rule("KLG117", of_workloads=True)
def replicas_beside_hpa(unit: ApplySet) -> Iterator[Diagnostic]:
    """Each apply sets the written number, and the autoscaler another one: pods with GPUs die and are made again."""
    for subject in unit.subjects:
        manifest, workload = subject.manifest, subject.workload
        autoscaler = unit.autoscalers.get(workload.key)
        written = field_pointers.at(manifest, field_pointers.REPLICAS)
        if autoscaler is None or workload.kind not in SCALED or workload.custom or type(written) is not int:
            continue
        bounds = autoscaler.bounds
        resources = extended_resources(workload.spec)
        if bounds is None or not written or not (resources or written > bounds[1]) or bounds == (written, written):
            # with 0 replicas an autoscaler is switched off
            continue
        (least, most), name = bounds, autoscaler.name
        told = f"and {name} {least} to {most}: what was scaled up loses pods with {listed(resources)}"
        if written > most:
            told = f"more than {name} ever sets, {most}: it deletes {counted(written - most, 'pod')} again"
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
