"""Expressions of claims and classes that do not compile, or fail for a device."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from kubelint_gpu.analysis.devices.unserved_claims import device_trial
from kubelint_gpu.analysis.devices.written_claims import (
    CLASS,
    PodClaimReference,
    WrittenClaim,
    claim_of,
    claim_references,
    device_objects,
    has_devices,
    open_to,
    written_claims,
)
from kubelint_gpu.documents import Pointer
from kubelint_gpu.findings.finding import Certainty
from kubelint_gpu.groups import grouped
from kubelint_gpu.inventory.dra.nvidia import CLASSES, preset_objects
from kubelint_gpu.kube.objects.cluster import read_cluster
from kubelint_gpu.scheduler.framework.release import behaviour
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.manifest import Manifest
from kubelint_gpu.workspace.workload_check import WorkloadCheck

if TYPE_CHECKING:
    from kubelint_gpu.kube.dra.claim import ClaimSpec
    from kubelint_gpu.kube.dra.device_class import DeviceClass
    from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.outcome import SelectorFailure
    from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.pools import Slot
    from kubelint_gpu.scheduler.plugins.dynamic_resources.claim_trial import ClaimTrial


class RuntimeFailure(Value):
    """An expression that fails for a device.

    Attributes:
        manifest: the object whose pods wait because of that.
        pointer: the expression, or the reference to the object that contains it.
        owner: the object that contains the expression, if that is not at the pointer; else empty.
        device: the device.
        has: the attributes and capacities of that device.
        error: the error of the scheduler.
        certainty: possible if the devices are only those that the driver is known to publish.
        declared: whether they are those of the cluster.
        in_some_order: whether it fails only if the scheduler, which has no fixed order, tries the device first.
    """

    manifest: Manifest
    pointer: Pointer
    owner: str
    device: str
    has: tuple[str, ...]
    error: str
    certainty: Certainty
    declared: bool
    in_some_order: bool = False


def runtime_failures(unit: ApplySet) -> Iterator[RuntimeFailure]:
    """Yield the expressions of a unit's claims and classes that fail when a pod is scheduled.

    If the cluster's devices are unknown, claims for NVIDIA's classes are tried on the devices that its driver
    publishes.
    """
    declared = device_trial(unit)
    trial = declared if declared is not None else preset_trial(unit)
    if trial is None:
        return
    said: set[tuple[Manifest, Pointer]] = set()
    for failure in _failures(unit, trial):
        place = (failure.manifest, failure.pointer)
        if place not in said:
            said.add(place)
            certainty: Certainty = failure.certainty if declared is not None else "possible"
            yield replace(failure, certainty=certainty, declared=declared is not None)


def _failures(unit: ApplySet, trial: ClaimTrial) -> Iterator[RuntimeFailure]:
    classes = {one.name: one for one in device_objects(unit) if one.kind == CLASS}
    known = {one["metadata"]["name"] for one in CLASSES} if device_trial(unit) is None else None
    references = [one for one in claim_references(unit) if not has_devices(unit, one)]
    of_class = grouped((name, one) for one in references for name in _class_names(claim_of(unit, one)))
    for name, manifest in classes.items():
        if known is None or name in known:
            yield from _of_class(unit, trial, manifest, of_class.get(name, ()))
    users = grouped((one.key, one) for one in references)
    for claim in written_claims(unit):
        if not has_devices(unit, claim) and (known is None or known.issuperset(_class_names(claim.spec))):
            yield from _of_claim(unit, trial, claim, users.get(claim.key, ()), classes)
    mine = {claim.key for claim in written_claims(unit)}
    for reference in references if known is None else ():
        spec = claim_of(unit, reference)
        found = _asked(unit, trial, spec, [reference]) if spec is not None and reference.key not in mine else None
        if found is not None and found.device_class not in classes:
            owner = f"DeviceClass {found.device_class}" if found.device_class else f"{reference.kind} {reference.name}"
            yield _failure(found, reference.subject.manifest, reference.pointer, owner)


def _of_class(
    unit: ApplySet, trial: ClaimTrial, manifest: Manifest, askers: Sequence[PodClaimReference]
) -> Iterator[RuntimeFailure]:
    """Yield that the expressions of a class fail, in a claim for one device or in those of the `askers`."""
    from kubelint_gpu.kube.dra.claim import ClaimSpec, DeviceQuery, DeviceRequest

    lone_claim = ClaimSpec((DeviceRequest("r", DeviceQuery("r", manifest.name)),))
    specs = grouped((claim_of(unit, one) or lone_claim, one) for one in askers)
    every = [_asked(unit, trial, spec, those) for spec, those in ((lone_claim, askers), *specs.items())]
    failing = [one for one in every if one is not None and one.device_class == manifest.name]
    if failing:
        failure = _failure(min(failing, key=lambda one: one.certainty), manifest, ("spec", "selectors"), "")
        yield failure if askers else replace(failure, certainty="possible")


def _of_claim(
    unit: ApplySet, trial: ClaimTrial, claim: WrittenClaim, users: Sequence[PodClaimReference], classes: Container[str]
) -> Iterator[RuntimeFailure]:
    """Yield that the expressions of a claim fail, or those of a class that no manifest has."""
    found = _asked(unit, trial, claim.spec, users)
    pointer = next((where for where, query in claim.queries() if found is not None and query == found.query), None)
    if found is None or pointer is None:
        return
    if not found.device_class:
        yield _failure(found, claim.manifest, (*pointer, "selectors"), "")
    elif found.device_class not in classes:
        yield _failure(found, claim.manifest, (*pointer, "deviceClassName"), f"DeviceClass {found.device_class}")


def _class_names(spec: ClaimSpec | None) -> list[str]:
    return [query.device_class for query in spec.queries] if spec is not None else []


def _asked(unit: ApplySet, trial: ClaimTrial, spec: ClaimSpec, askers: Sequence[PodClaimReference]) -> _Found | None:
    """Try a claim on the cluster's nodes that its pods may use, or on a preset, whose nodes only have devices."""
    trial.renewed()
    fails = trial.asked(spec).error is not None
    if not fails and trial.failure_in_some_order(spec) is None:
        return None
    among = open_to(askers, trial.snapshot) if device_trial(unit) is not None else None
    outcome = trial.asked(spec, among=among) if fails else None
    found = _found(outcome.selector) if outcome is not None and outcome.error is not None else None
    if found is None:
        found = _found(trial.failure_in_some_order(spec, among))
        return found and replace(found, certainty="possible", in_some_order=True)
    # a device that somebody has is asked for nothing until it is free
    sure = not askers or any(_fails_now(unit, one.subject) for one in askers)
    return found if sure else replace(found, certainty="possible")


class _Found(Value):
    query: object
    device_class: str
    number: int
    device: str
    has: tuple[str, ...]
    error: str
    certainty: Certainty = "certain"
    in_some_order: bool = False


def _fails_now(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether scheduling its pod beside the running ones fails with an error."""
    found = unit.beside_running(subject).fit
    return found is not None and found.error is not None


def _found(selector: tuple[SelectorFailure, Slot] | None) -> _Found | None:
    if selector is None or not selector[0].error:
        return None
    failure, slot = selector
    has = tuple(sorted({*slot.subject.attributes, *slot.subject.capacity}))
    return _Found(failure.query, failure.device_class, failure.number, str(slot.id), has, failure.error)


def _failure(found: _Found, manifest: Manifest, pointer: Pointer, owner: str) -> RuntimeFailure:
    if not owner:
        pointer = (*pointer, found.number, "cel", "expression")
    told = found.device, found.has, found.error, found.certainty
    return RuntimeFailure(manifest, pointer, owner, *told, declared=True, in_some_order=found.in_some_order)


def preset_trial(unit: ApplySet) -> ClaimTrial | None:
    """A trial with NVIDIA's devices, if the unit has claims and the cluster's devices are unknown; else None."""
    if unit.world.has_slices or not (written_claims(unit) or any(device_objects(unit))):
        return None
    minor = unit.minor_release
    if minor is not None and not behaviour(unit.cluster.version).dynamic_resources:
        return None
    return _preset_trial_with(unit.cluster.version, unit.cluster.device_classes)


@lru_cache(maxsize=16)
def _preset_trial_with(version: str | None, own: tuple[DeviceClass, ...]) -> ClaimTrial:
    from kubelint_gpu.scheduler.plugins.dynamic_resources.claim_trial import ClaimTrial

    cluster = read_cluster(preset_objects(), version=version)
    names = {one.name for one in own}
    classes = (*own, *[one for one in cluster.device_classes if one.name not in names])
    return ClaimTrial(replace(cluster, device_classes=classes))
