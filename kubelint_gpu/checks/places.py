"""Further places of a finding: what the pod asks for, what binds it, and what the inventory says of the nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.checks import routes
from kubelint_gpu.checks.finding import Related
from kubelint_gpu.checks.unit import Subject, Unit
from kubelint_gpu.checks.wording import amount, some
from kubelint_gpu.kube.requests import pod_requests

_MOST_NODES = 4


def clues(unit: Unit, subject: Subject, resource: str, nodes: Sequence[str]) -> tuple[Related, ...]:
    """The request, the selectors, and the nodes that come into question."""
    return (
        *_request(subject, resource),
        *_binding(subject, nodes),
        *(found for name in nodes[:_MOST_NODES] for found in node_clue(unit, name, resource)),
    )


def _request(subject: Subject, resource: str) -> Iterator[Related]:
    requested = pod_requests(subject.workload.spec).get(resource, 0)
    if not requested:
        return
    for route in routes.requests(subject.manifest, resource):
        yield Related(subject.manifest.place(route), f"each pod takes {amount(resource, requested)}")


def _binding(subject: Subject, nodes: Sequence[str]) -> Iterator[Related]:
    if not nodes:
        return
    only = f"only {some(nodes)} can take it"
    for route in routes.selectors(subject.manifest):
        yield Related(subject.manifest.place(route), only)
        only = "and this binds it too"


def node_clue(unit: Unit, name: str, resource: str) -> Iterator[Related]:
    """The line of the inventory that says how much of a resource a node has."""
    declared = unit.world.declared("Node", name)
    node = unit.empty.node(name)
    if declared is None or node is None:
        return
    if not resource or resource not in node.node.allocatable:
        yield Related(unit.world.place(declared), f"{name} is declared here")
        return
    status = declared.value.get("status")
    part = "allocatable" if isinstance(status, dict) and status.get("allocatable") else "capacity"
    place = unit.world.place(declared, ("status", part, resource))
    yield Related(place, f"{name} has {amount(resource, node.node.allocatable[resource])}")
