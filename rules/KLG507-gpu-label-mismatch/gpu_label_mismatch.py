"""GPU labels that leave no node with enough GPUs."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.diagnosis import of_cause
from kubelint_gpu.analysis.node_misfit import excluding_gpu_label
from kubelint_gpu.builders.waiting_pods import scheduler_message
from kubelint_gpu.engine.api import ApplySet, Diagnostic, rule
from kubelint_gpu.evidence.declared_lines import source_of
from kubelint_gpu.evidence.node_lines import clues, node_clues
from kubelint_gpu.messages.wording import amount, listed


@rule("KLG507", of_workloads=True)
def gpu_label_mismatch(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield GPU labels that match only nodes with too few GPUs."""
    for subject, found in of_cause(unit, "KLG507"):
        enough = [node for node in unit.possible_nodes if node.allocatable.get(found.resource, 0) >= found.needed]
        bound = excluding_gpu_label(subject, tuple(enough))
        if bound is None:
            continue
        key = bound.requirement.key
        values = sorted({node.labels[key] for node in enough if key in node.labels})
        left = amount(found.resource, found.allocatable) if found.allocatable else f"no {found.resource}"
        where = f"{key} {listed(values)}" if values else f"without the label {key}"
        yield Diagnostic(
            "KLG507",
            subject.manifest.place(source_of(subject.manifest, bound.pointer)),
            f"{bound.requirement} leaves only nodes with {'at most ' if found.allocatable else ''}{left}, and "
            f"{amount(found.resource, found.needed)} is asked for; nodes with enough are {where}",
            subject.manifest,
            cause=str(bound.requirement),
            certainty=found.certainty,
            scheduler=scheduler_message(unit, subject),
            related=(
                *clues(unit, subject, found.resource, ()),
                *node_clues(unit, [node.name for node in enough[:2]], found.resource),
            ),
            help=("ask for fewer GPUs, or select the GPU that has them",),
        )
