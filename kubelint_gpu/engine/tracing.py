"""Where those who act in a trace stand: the workload that a step is about, or the node."""

from __future__ import annotations

from kubelint_gpu.engine.diagnostic import Diagnostic
from kubelint_gpu.findings.finding import Place, Step
from kubelint_gpu.messages.wording import workload_name
from kubelint_gpu.patterns import pattern
from kubelint_gpu.values import replace
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.apply_set import ApplySet

_WORKLOAD = pattern(r"\b[A-Z][A-Za-z]+ [a-z0-9][a-z0-9.-]*/[a-z0-9.-]*[a-z0-9]")
_KUBELET = "kubelet on "


def located(unit: ApplySet, draft: Diagnostic) -> tuple[Step, ...]:
    """The steps of a finding, with the place of whom each is about where that is not the finding's own."""
    if not draft.trace:
        return ()
    others = {
        workload_name(subject.workload): subject.manifest
        for subject in unit.subjects
        if subject.manifest is not draft.manifest
    }

    def place(step: Step) -> Place | None:
        if step.actor.startswith(_KUBELET):
            node = unit.world.declared("Node", step.actor.removeprefix(_KUBELET))
            return unit.world.place(node) if node is not None else None
        named = _WORKLOAD.search(step.message)
        manifest = others.get(named[0]) if named is not None else None
        return manifest.place(field_pointers.strategy(manifest), "key") if manifest is not None else None

    return tuple(replace(step, place=place(step)) for step in draft.trace)
