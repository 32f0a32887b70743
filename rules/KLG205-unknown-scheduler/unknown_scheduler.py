"""Schedulers that do not run."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.engine.api import ApplySet, Diagnostic, field_pointers, rule
from kubelint_gpu.engine.remedies import rewritten
from kubelint_gpu.kube.gpu.resource_owners import SCHEDULERS
from kubelint_gpu.kube.objects.pod import DEFAULT_SCHEDULER
from kubelint_gpu.kube.values.plain import mapping
from kubelint_gpu.messages.wording import some

_NAME = "schedulerName"


@rule("KLG205", of_workloads=True)
def unknown_scheduler(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield pods whose scheduler is not declared, not used by running pods, and not well known."""
    import difflib

    if not unit.has_nodes or unit.world.inventory is None:
        return
    declared = {str(profile.get(_NAME) or DEFAULT_SCHEDULER) for profile in unit.world.inventory.scheduler.profiles}
    used = {pod.spec.scheduler_name for pod in unit.cluster.pods if pod.spec.node_name}
    known, configured = {DEFAULT_SCHEDULER, *declared, *used}, {*_configured(unit)}
    for subject in unit.subjects:
        name = subject.workload.spec.scheduler_name
        if name in known or name in SCHEDULERS or name in configured:
            continue
        manifest = subject.manifest
        route = (*field_pointers.pod_spec(manifest), _NAME)
        near = difflib.get_close_matches(name, sorted({*known, *configured, *SCHEDULERS}), 1, 0.75)
        yield Diagnostic(
            "KLG205",
            manifest.place(route),
            f'no scheduler of the inventory answers to "{name}": its pods stay Pending without any event '
            f"({'known is' if len(known) == 1 else 'known are'} {some(sorted(known), 'scheduler')})",
            manifest,
            cause=name,
            certainty="certain" if declared else "possible",
            help=(f"did you mean {near[0]}?",) if near else (),
            proposals=rewritten(manifest, route, near),
        )


def _configured(unit: ApplySet) -> Iterator[str]:
    """Yield the words of each scheduler configuration in a ConfigMap of the unit: it is applied with the pods."""
    for one in unit.manifests:
        value = one.item.value
        for text in map(str, mapping(value.get("data")).values()) if value.get("kind") == "ConfigMap" else ():
            if "KubeSchedulerConfiguration" in text:
                yield from (word.strip("\"'") for word in text.split())
