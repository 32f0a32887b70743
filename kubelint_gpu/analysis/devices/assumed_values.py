"""What rests on values of devices that follow from nothing that the inventory declares."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING

from kubelint_gpu.analysis.devices.unserved_claims import Fault, device_trial, faults
from kubelint_gpu.analysis.devices.written_claims import claim_of, claim_references
from kubelint_gpu.documents import value_at
from kubelint_gpu.inventory.dra.nvidia import ASSUMED, OPTIONAL
from kubelint_gpu.messages.wording import listed
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet

if TYPE_CHECKING:
    from kubelint_gpu.kube.dra.request import ClaimSpec, DeviceQuery
    from kubelint_gpu.scheduler.plugins.dynamic_resources.claim_trial import ClaimTrial
    from kubelint_gpu.workspace.cluster_context import ClusterContext
    from kubelint_gpu.workspace.workload_check import WorkloadKey

_ROOT = "/pcieRoot"


def assumption(unit: ApplySet, trial: ClaimTrial, spec: ClaimSpec, fault: Fault) -> str:
    """What would have to be declared for a fault to be certain; empty where it does not rest on assumed values."""
    asked = spec.requests[int(fault.below[1])].exactly if fault.below[-1] == "deviceClassName" else None
    if asked is not None and asked.device_class in OPTIONAL and _assumed(unit.world) and not trial.selected(asked):
        return "whether the driver publishes such devices, the inventory does not tell: declare them in `devices`"
    relaxed, read = _without_assumed(unit, spec)
    names = {fault.reads[1:]} & read if fault.reads is not None else read
    if not names or any(
        one.below[:2] == fault.below[:2] or one.below[0] == "constraints" for one in faults(trial, relaxed)
    ):
        return ""
    told = listed(sorted(name for _, name in names))
    return f"the inventory does not tell {told} of these devices, so values are assumed: declare them in `attributes`"


@once
def resting_on_assumed(unit: ApplySet) -> frozenset[WorkloadKey]:
    """The workloads whose pods have a claim that may get more devices where assumed values are other ones."""
    specs = [(one.subject.key, claim_of(unit, one)) for one in claim_references(unit)]
    trial = device_trial(unit) if specs else None
    if trial is None:
        return frozenset()
    return frozenset(key for key, spec in specs if spec is not None and _may_get_more(unit, trial, spec))


def _may_get_more(unit: ApplySet, trial: ClaimTrial, spec: ClaimSpec) -> bool:
    from kubelint_gpu.kube.dra.request import queries_of

    relaxed, read = _without_assumed(unit, spec)
    if not read or relaxed.constraints != spec.constraints:
        return bool(read)
    pairs = zip(queries_of(spec), queries_of(relaxed), strict=True)
    trial.renewed()
    return any(len(trial.selected(one)) < len(trial.selected(other)) for one, other in pairs)


def _without_assumed(unit: ApplySet, spec: ClaimSpec) -> tuple[ClaimSpec, set[tuple[str, ...]]]:
    """A claim without the selectors and constraints that look at assumed values, and the attributes of these."""
    from kubelint_gpu.kube.dra.device import qualified
    from kubelint_gpu.kube.dra.selector import selector

    read: set[tuple[str, ...]] = set()

    def is_declared(looked_at: Iterable[tuple[str, ...]]) -> bool:
        mine = _assumed(unit.world).intersection(looked_at)
        read.update(mine)
        return not mine

    def relaxed(query: DeviceQuery) -> DeviceQuery:
        sights = [(text, selector(text or "").sight) for text in query.selectors]
        left = [
            text
            for text, sight in sights
            if is_declared(_assumed(unit.world) if sight.everything else [path[1:] for path in sight.parts])
        ]
        return replace(query, selectors=tuple(left))

    requests = [
        replace(
            one,
            exactly=relaxed(one.exactly) if one.exactly is not None else None,
            first_available=tuple(map(relaxed, one.first_available)),
        )
        for one in spec.requests
    ]
    # that the others differ, or not, is known
    kept = [one for one in spec.constraints if not one.match.endswith(_ROOT) or is_declared([qualified(one.match, "")])]
    return replace(spec, requests=tuple(requests), constraints=tuple(kept)), read


@lru_cache(maxsize=4)
def _assumed(world: ClusterContext) -> frozenset[tuple[str, str]]:
    """The attributes of devices, by domain and identifier, whose values follow from nothing that is declared."""
    from kubelint_gpu.kube.dra.device import qualified

    found: set[tuple[str, str]] = set()
    if world.inventory is None:
        return frozenset()
    slices = world.inventory.of_kind("ResourceSlice"), *(pool.slices for pool in world.inventory.pools)
    for one in chain(*slices):
        for entry in (value_at(one.item.value, where) for field, where in one.routes if field):
            if "model" in entry:
                driver = one.value["spec"]["driver"]
                found |= ASSUMED - {qualified(name, driver) for name in entry.get("attributes", ())}
    return frozenset(found)
