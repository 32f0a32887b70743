"""Anti-affinity that leaves too few places for the replicas."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.affinity.crowding import Crowding, crowding
from kubelint_gpu.engine.api import ApplySet, Diagnostic, FixCandidate, Related, WorkloadCheck, field_pointers, rule
from kubelint_gpu.engine.remedies import rewritten
from kubelint_gpu.messages.wording import counted
from kubelint_gpu.scheduler.companions import HOSTNAME


@rule("KLG404", of_workloads=True)
def anti_affinity_exceeds_domains(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield workloads with more replicas than places under their anti-affinity."""
    for subject in unit.subjects:
        found = crowding(unit, subject)
        if found is None:
            continue
        manifest, wanted = subject.manifest, subject.workload.replicas
        route = field_pointers.pod_affinity_term(subject.manifest, "podAntiAffinity", found.term)
        most = len(found.domains)
        yield Diagnostic(
            "KLG404",
            manifest.place((*route, "topologyKey")),
            f"{counted(wanted, 'replica')} must be kept apart by {found.key}, and only {_places(found)}: "
            f"{counted(wanted - most, 'replica')} would wait",
            manifest,
            cause=f"anti-affinity/{found.key}",
            certainty=found.certainty,
            scheduler=found.message,
            related=(Related(subject.replicas_place, f"{counted(wanted, 'replica')} wanted"),),
            help=("add nodes for the rest, or make the anti-affinity a preference (preferredDuringScheduling)",),
            proposals=_fewer(subject, most) if subject.scaled is None else (),
        )


def _places(found: Crowding) -> str:
    number = len(found.domains)
    verb = "takes" if number == 1 else "take"
    if found.key == HOSTNAME:
        return f"{counted(number, 'node')} {verb} them"
    return f"the nodes of {counted(number, 'domain')} take them ({', '.join(found.domains)})"


def _fewer(subject: WorkloadCheck, most: int) -> tuple[FixCandidate, ...]:
    manifest = subject.manifest
    if not most or not manifest.present(field_pointers.REPLICAS):
        return ()
    return rewritten(manifest, field_pointers.REPLICAS, [str(most)], "set replicas: {}", of_amounts=True)
