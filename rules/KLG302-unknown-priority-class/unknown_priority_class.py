"""Priority classes that do not exist."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.engine.api import ApplySet, Diagnostic, field_pointers, rule
from kubelint_gpu.engine.put_off import when_admitted
from kubelint_gpu.engine.remedies import rewritten
from kubelint_gpu.kube.objects.priority import SYSTEM_CLASSES, SYSTEM_PREFIX
from kubelint_gpu.messages.wording import some

_CLASS = "priorityClassName"


@rule("KLG302", of_workloads=True)
def unknown_priority_class(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield workloads with a missing priority class, whose pods admission refuses."""
    import difflib

    declared = bool(unit.cluster.priority_classes)
    every = (*unit.manifests, *unit.surroundings(("PriorityClass",)))
    written = {one.name for one in every if one.kind == "PriorityClass"}
    for subject in unit.subjects:
        manifest, name = subject.manifest, subject.workload.spec.priority_class_name
        reserved = name.startswith(SYSTEM_PREFIX)
        if subject.known_class or subject.awaits_class or name in written or not (reserved or unit.has_nodes):
            # of a class that cannot be read, its own fields are told
            continue
        route = (*field_pointers.pod_spec(manifest), _CLASS)
        known = sorted({found.name for found in (*SYSTEM_CLASSES, *unit.cluster.priority_classes)})
        near = difflib.get_close_matches(name, known, 1, 0.75)
        where = "is neither in the manifests nor in the inventory" if unit.has_nodes else "cannot exist"
        others = f"known are {some(known, 'class')}" if declared else "the inventory declares no class"
        if reserved and not declared:
            others = f"no other class than {some(known)} may begin with {SYSTEM_PREFIX}"
        draft = Diagnostic(
            "KLG302",
            manifest.place(route),
            f'PriorityClass "{name}" {where}: admission refuses the pods ({others})',
            manifest,
            cause=name,
            certainty="certain" if declared or reserved else "possible",
            help=(f"did you mean {near[0]}?",) if near else (),
            proposals=rewritten(manifest, route, near, "use PriorityClass {}"),
        )
        yield when_admitted(unit, subject, draft)
