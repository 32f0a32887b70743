"""Pods that request more GPUs than a node has."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.diagnosis import of_cause
from kubelint_gpu.analysis.node_misfit import title
from kubelint_gpu.builders.gpu_requests import request_place
from kubelint_gpu.builders.waiting_pods import scheduler_message
from kubelint_gpu.engine.api import ApplySet, Diagnostic, rule
from kubelint_gpu.evidence.node_lines import clues
from kubelint_gpu.messages.wording import amount


@rule("KLG503", of_workloads=True)
def gpu_count_exceeds_node(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield pods that request more GPUs than the largest node has."""
    for subject, found in of_cause(unit, "KLG503"):
        most = amount(found.resource, found.allocatable)
        yield Diagnostic(
            "KLG503",
            request_place(subject, found.resource, "value"),
            f"its pod asks for {amount(found.resource, found.needed)}, and the largest node that may take it, "
            f"{title(unit, found.nodes[0])}, has {most}",
            subject.manifest,
            cause=found.resource,
            certainty=found.certainty,
            scheduler=scheduler_message(unit, subject),
            related=clues(unit, subject, found.resource, found.nodes),
            help=(f"ask for at most {most}, or spread the work over several pods",),
        )
