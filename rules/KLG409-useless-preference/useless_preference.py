"""Preferences without effect."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.affinity.pod_affinity import takers
from kubelint_gpu.engine.api import ApplySet, Diagnostic, field_pointers, rule
from kubelint_gpu.kube.values.selectors import NodeSelectorTerm
from kubelint_gpu.messages.wording import listed

_PREFERRED = ("affinity", "nodeAffinity", "preferredDuringSchedulingIgnoredDuringExecution")


@rule("KLG409", of_workloads=True)
def useless_preference(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield preferred node terms that all nodes that could take the pod meet, or none."""
    if not unit.complete or not unit.has_nodes:
        return
    for subject in unit.subjects:
        preferred = subject.workload.spec.preferred_nodes
        if not preferred or not subject.places_pods:
            continue
        nodes = takers(unit, subject)
        if len(nodes) < 2:
            continue
        for number, one in enumerate(preferred):
            if not one.term.expressions and not one.term.fields:
                continue
            met = sum(one.term.matches(node.labels, node.name) for node in nodes)
            if 0 < met < len(nodes):
                continue
            manifest = subject.manifest
            which = "each" if met else "none"
            yield Diagnostic(
                "KLG409",
                manifest.place((*field_pointers.pod_spec(manifest), *_PREFERRED, number, "preference")),
                f"{which} of the {len(nodes)} nodes that could take the pod meets "
                f"{_text(one.term)}: the preference has no effect",
                manifest,
                cause=f"preference/{number}/{_text(one.term)}",
            )


def _text(term: NodeSelectorTerm) -> str:
    return listed([str(requirement) for requirement in (*term.expressions, *term.fields)])
