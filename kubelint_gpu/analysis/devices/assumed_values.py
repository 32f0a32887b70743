"""Results that depend on assumed values of devices, which the inventory does not declare."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from kubelint_gpu.analysis.devices.unserved_claims import device_trial, faults
from kubelint_gpu.analysis.devices.written_claims import claim_of, claim_references
from kubelint_gpu.inventory.dra.nvidia import DRIVER, OPTIONAL
from kubelint_gpu.messages.wording import listed
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet

if TYPE_CHECKING:
    from kubelint_gpu.analysis.devices.unmet_conditions import Fault
    from kubelint_gpu.kube.dra.claim import ClaimSpec, DeviceQuery
    from kubelint_gpu.scheduler.plugins.dynamic_resources.claim_trial import ClaimTrial
    from kubelint_gpu.workspace.cluster_context import ClusterContext
    from kubelint_gpu.workspace.workload_check import WorkloadKey

_ROOT = "/pcieRoot"
_MEMORY = "memory"

_Names = set[tuple[str, str]]


def assumption(unit: ApplySet, trial: ClaimTrial, spec: ClaimSpec, fault: Fault) -> str:
    """What must be declared to make a fault certain; empty if it does not depend on assumed values."""
    asked = spec.requests[int(fault.below[1])].exactly if fault.below[-1] == "deviceClassName" else None
    if asked is not None and asked.device_class in OPTIONAL and _assumed(unit.world) and not trial.selected(asked):
        return "whether the driver publishes such devices, the inventory does not tell: declare them in `devices`"
    relaxed, read = _without_assumed(unit, trial, spec)
    names = read.intersection([path[1:] for path in fault.reads]) if fault.reads else read
    if not names or any(
        one.below[:2] == fault.below[:2] or one.below[0] == "constraints"
        for one in faults(_looser(trial, unit.world)[0], relaxed)
    ):
        return ""
    told = sorted({name for _, name in names})
    where = ["as `memory` (of MIG devices as `capacity`)"] * (_MEMORY in told)
    where += ["in `attributes`"] * (told != [_MEMORY])
    return (
        f"the inventory does not tell {listed(told)} of these devices, so values are assumed: "
        f"declare them {listed(where)}"
    )


@once
def resting_on_assumed(unit: ApplySet) -> frozenset[WorkloadKey]:
    """The workloads with a claim that may get more devices if assumed values are wrong."""
    specs = [(one.subject.key, claim_of(unit, one)) for one in claim_references(unit)]
    trial = device_trial(unit) if specs else None
    if trial is None:
        return frozenset()
    return frozenset(key for key, spec in specs if spec is not None and _may_get_more(unit, trial, spec))


def _may_get_more(unit: ApplySet, trial: ClaimTrial, spec: ClaimSpec) -> bool:
    relaxed, read = _without_assumed(unit, trial, spec)
    if not read or relaxed.constraints != spec.constraints:
        return bool(read)
    looser, _ = _looser(trial, unit.world)
    trial.renewed()
    looser.renewed()
    return any(
        one.capacity != other.capacity or len(trial.selected(one)) < len(looser.selected(other))
        for one, other in zip(spec.queries, relaxed.queries, strict=True)
    )


def _without_assumed(unit: ApplySet, trial: ClaimTrial, spec: ClaimSpec) -> tuple[ClaimSpec, _Names]:
    """A claim without its conditions on assumed values of devices, and the names of these values.

    It must be tried with the looser trial.
    """
    from kubelint_gpu.inventory.dra import nvidia
    from kubelint_gpu.kube.dra.device import qualified

    assumed, read = _assumed(unit.world), set[tuple[str, str]]()
    if not assumed:
        return spec, read
    looser, of_class = _looser(trial, unit.world)

    def is_declared(looked_at: Iterable[tuple[str, str]], kinds: frozenset[tuple[str, str]] | None = None) -> bool:
        mine = {one for one in looked_at if one in assumed and (kinds is None or not kinds.isdisjoint(assumed[one]))}
        read.update(mine)
        return not mine

    def relaxed(query: DeviceQuery) -> DeviceQuery:
        looked_at = {text: _looks_at(text, assumed) for text in query.selectors}
        if not (any(looked_at.values()) or of_class.get(query.device_class) or query.capacity):
            return query
        sure = tuple(text for text in query.selectors if not looked_at[text])
        looser.renewed()
        kinds = frozenset(nvidia.kind_of(one.device) for one in looser.selected(replace(query, selectors=sure)))
        is_declared(of_class.get(query.device_class, ()), kinds)
        left = tuple(text for text in query.selectors if is_declared(looked_at[text], kinds))
        capacity = {
            name: amount for name, amount in query.capacity.items() if is_declared([qualified(name, DRIVER)], kinds)
        }
        return replace(query, selectors=left, capacity=type(query.capacity)(capacity))

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
def _looser(trial: ClaimTrial, world: ClusterContext) -> tuple[ClaimTrial, Mapping[str, frozenset[tuple[str, str]]]]:
    """A trial whose classes have no selectors on assumed values, and the assumed values that each class uses."""
    cluster, assumed = trial.snapshot.cluster, _assumed(world)
    read = {
        one.name: frozenset[tuple[str, str]]().union(*[_looks_at(text, assumed) for text in one.selectors])
        for one in cluster.device_classes
    }
    if not any(read.values()):
        return trial, read
    classes = [
        replace(one, selectors=tuple(text for text in one.selectors if not _looks_at(text, assumed)))
        for one in cluster.device_classes
    ]
    return type(trial)(replace(cluster, device_classes=tuple(classes))), read


def _looks_at(text: str | None, names: Iterable[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    """The given attributes and capacities that an expression uses."""
    from kubelint_gpu.kube.dra.selector import selector

    sight = selector(text or "").sight
    return frozenset(names) if sight.everything else frozenset(names) & {path[1:] for path in sight.parts}


@lru_cache(maxsize=4)
def _assumed(world: ClusterContext) -> Mapping[tuple[str, str], frozenset[tuple[str, str]]]:
    """The attributes and capacities with assumed values, by domain and identifier, with the kinds of devices."""
    from kubelint_gpu.inventory.dra import nvidia

    return nvidia.assumed(world.inventory) if world.inventory is not None else {}
