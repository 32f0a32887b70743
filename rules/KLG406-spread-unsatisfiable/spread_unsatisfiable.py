"""Topology spread constraints that cannot be met."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.affinity.spread import unspreadable
from kubelint_gpu.engine.api import ApplySet, Diagnostic, Related, field_pointers, rule
from kubelint_gpu.messages.wording import counted


@rule("KLG406", of_workloads=True)
def spread_unsatisfiable(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield constraints that forbid more replicas than they allow."""
    for subject in unit.subjects:
        found = unspreadable(unit, subject)
        if found is None:
            continue
        manifest, wanted = subject.manifest, subject.workload.replicas
        route = (*field_pointers.pod_spec(manifest), "topologySpreadConstraints", found.constraint)
        named = "this constraint" if manifest.present(route) else f"the cluster's default constraint for {found.key}"
        yield Diagnostic(
            "KLG406",
            manifest.place(route),
            f"only {found.placed} of {counted(wanted, 'replica')} can be placed under {named}, all without it: "
            f"{found.why}",
            manifest,
            cause=f"spread/{found.key}",
            certainty=found.certainty,
            scheduler=found.message,
            related=(Related(subject.replicas_place, f"{counted(wanted, 'replica')} wanted"),),
        )
