"""How many devices the pods of a workload ask for, and how many there are."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from kubelint_gpu.analysis.devices.unserved_claims import device_trial
from kubelint_gpu.analysis.devices.written_claims import TEMPLATE, PodClaimReference, claim_of, claim_references
from kubelint_gpu.groups import grouped
from kubelint_gpu.messages.wording import counted
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck, WorkloadKey

if TYPE_CHECKING:
    from kubelint_gpu.kube.dra.claim import DeviceQuery


class AskedDevices(NamedTuple):
    """Devices that one request selects: their label, how many a pod takes, and how many some nodes have."""

    label: str
    each: int
    total: int


def asked_devices(unit: ApplySet, subject: WorkloadCheck, nodes: Collection[str]) -> AskedDevices | None:
    """The devices that each pod asks for; None unless it is a number of devices of one kind, by its own claim."""
    mine, found = _references(unit).get(subject.key, []), list(device_demands(unit, subject))
    spec = claim_of(unit, mine[0]) if len(mine) == 1 else None
    if spec is None or len(spec.requests) != 1 or len(found) != 1:
        return None
    ((_, label, each, devices),) = found
    return AskedDevices(label, each, sum(node in nodes for node, _ in devices))


def device_demands(
    unit: ApplySet, subject: WorkloadCheck
) -> Iterator[tuple[str, str, int, frozenset[tuple[str, Hashable]]]]:
    """Yield the devices that each pod takes: class, label, number, and the devices that it can get as (node, device).

    Claims that several pods use are left out, and so are devices that are shared or reached from several nodes.
    """
    trial, known = device_trial(unit), _choices(unit)
    mine = [one for one in _references(unit).get(subject.key, []) if one.kind == TEMPLATE]
    specs = [spec for one in mine if (spec := claim_of(unit, one)) is not None]
    for query in (request.exactly for spec in specs for request in spec.requests) if trial is not None else ():
        if trial is None or query is None or query.mode == "All" or query.admin or query.has_capacity:
            continue
        key = (query.device_class, query.selectors)
        if key not in known:
            slots = trial.selected(query)
            shared = any(one.device.consumes or one.device.shareable or not one.origin.node_name for one in slots)
            known[key] = None if shared else frozenset((one.origin.node_name, one.id) for one in slots)
        devices = known[key]
        if devices:
            yield f"devices of class {query.device_class}", _label(query), query.count, devices


@once
def _choices(_unit: ApplySet) -> dict[Hashable, frozenset[tuple[str, Hashable]] | None]:
    """A cache: the devices that a request selects; None if they are shared. Many workloads ask for the same."""
    return {}


def _label(query: DeviceQuery) -> str:
    chosen = f" that {' && '.join(one or '' for one in query.selectors)} selects" if query.selectors else ""
    return f"devices of class {query.device_class}{chosen}"


@once
def _references(unit: ApplySet) -> dict[WorkloadKey, list[PodClaimReference]]:
    return grouped((one.subject.key, one) for one in claim_references(unit))


def own_devices(unit: ApplySet, subject: WorkloadCheck) -> list[tuple[PodClaimReference, str]]:
    """The devices that each pod takes by its own claims, with the reference; undeclared claims are left out."""
    mine = [one for one in _references(unit).get(subject.key, []) if one.kind == TEMPLATE]
    specs = [(one, spec) for one in mine if (spec := claim_of(unit, one)) is not None]
    queries = [(one, request.exactly) for one, spec in specs for request in spec.requests]
    return [
        (one, f"{counted(query.count, 'device')} of class {query.device_class}")
        for one, query in queries
        if query is not None and query.mode != "All" and not query.admin
    ]
