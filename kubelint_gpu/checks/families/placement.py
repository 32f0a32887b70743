"""Is there a node at all."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.checks import routes
from kubelint_gpu.checks.diagnosis import Diagnosis, diagnose
from kubelint_gpu.checks.draft import Draft
from kubelint_gpu.checks.places import clues
from kubelint_gpu.checks.registry import rule
from kubelint_gpu.checks.unit import Subject, Unit
from kubelint_gpu.checks.wording import amount


@rule("KLG201")
def unschedulable(unit: Unit) -> Iterator[Draft]:
    """No node takes the pod, even with nothing else running, and no more telling rule says why."""
    for subject, found in diagnose(unit):
        if found.code != "KLG201":
            continue
        manifest = subject.manifest
        yield Draft(
            "KLG201",
            manifest.place(_route(subject, found)),
            f"no node takes its pod, even with nothing else running: {_nearest(found)}",
            manifest,
            cause="unschedulable",
            certainty=found.certainty,
            scheduler=unit.beside_running(subject).message or unit.alone(subject).message,
            related=clues(unit, subject, found.resource, found.nodes),
        )


def _route(subject: Subject, found: Diagnosis) -> tuple[str | int, ...]:
    manifest = subject.manifest
    if found.resource:
        for route in routes.requests(manifest, found.resource):
            return route
    for route in routes.selectors(manifest):
        return route
    return routes.pod_spec(manifest)


def _nearest(found: Diagnosis) -> str:
    if not found.nodes:
        return found.reason
    node = found.nodes[0]
    if found.resource:
        has = amount(found.resource, found.allocatable) if found.allocatable else f"no {found.resource}"
        return f"{node} misses by least, it has {has} and {amount(found.resource, found.needed)} is asked for"
    return f"{node} misses by least, {found.reason}"
