"""Rollout strategies that may not need what the old pods hold."""

from __future__ import annotations

from kubelint_gpu.builders.node_pins import wider_selector
from kubelint_gpu.engine.api import ApplySet, FixCandidate, WorkloadCheck
from kubelint_gpu.engine.remedies import no_daemon_surge, no_surge, recreate, within_a_revision
from kubelint_gpu.kube.objects.meta import Meta
from kubelint_gpu.messages.kept_pods import surges_on_nodes


def strategy_fixes(unit: ApplySet, subject: WorkloadCheck, code: str) -> tuple[FixCandidate, ...]:
    """Return fixes with rollout strategies that may not need the resources of the old pods."""
    manifest, replicas = subject.manifest, subject.workload.replicas
    if surges_on_nodes(subject.controller):
        return (no_daemon_surge(manifest),)
    if not subject.controller.leaves_first:
        return ()
    if subject.workload.custom:
        return (no_surge(manifest, replicas), *wider_selector(unit, subject))
    apart = (within_a_revision(manifest, _pods_of_others(unit, subject)),) if code == "KLG103" else ()
    return (no_surge(manifest, replicas), recreate(manifest, replicas), *apart, *wider_selector(unit, subject))


def _pods_of_others(unit: ApplySet, subject: WorkloadCheck) -> tuple[Meta, ...]:
    """The metadata of pods of other owners: of the manifests, and of running ones."""
    selector, namespace = subject.workload.selector, subject.workload.meta.namespace
    made = [one.pod.meta for one in unit.subjects if one.key != subject.key]
    running = [pod.meta for pod in unit.cluster.pods]
    if selector is not None:
        running = [meta for meta in running if meta.namespace != namespace or not selector.matches(meta.labels)]
    return (*made, *running)
