"""The places of the workloads and nodes in a trace."""

from __future__ import annotations

from kubelint_gpu.engine.diagnostic import Diagnostic
from kubelint_gpu.findings.finding import Place, Step
from kubelint_gpu.kube.admission.defaults import extended_resources
from kubelint_gpu.values import replace
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_SCHEDULER = "kube-scheduler"


def located(unit: ApplySet, draft: Diagnostic) -> tuple[Step, ...]:
    """The steps of a finding, each with the place of its workload or node, unless that is the finding's own."""
    if not draft.trace:
        return ()
    subjects = {one.workload.key: one for one in unit.subjects}
    others = {key: one.manifest for key, one in subjects.items() if one.manifest is not draft.manifest}

    def place(step: Step) -> Place | None:
        kind, _, name = step.about.partition("/")
        if step.actor == _SCHEDULER and step.about in subjects:
            return _request(subjects[step.about])
        node = unit.world.declared(kind, name) if kind == "Node" else None
        if node is not None:
            return unit.world.place(node)
        manifest = others.get(step.about)
        return manifest.place(field_pointers.strategy(manifest), "key") if manifest is not None else None

    return tuple(replace(step, place=place(step)) for step in draft.trace)


def _request(subject: WorkloadCheck) -> Place | None:
    """The place of the request that the scheduler looks at: devices, if it asks for any."""
    resource = next(iter(extended_resources(subject.workload.spec)), "cpu")
    route = next(iter(field_pointers.requests(subject.manifest, resource)), None)
    return subject.manifest.place(route) if route is not None else None
