"""Devices requested both by a claim and as an extended resource, or in the way that the nodes do not serve."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.devices.written_claims import claim_of, claim_references, class_of_resource
from kubelint_gpu.builders.gpu_requests import request_place
from kubelint_gpu.engine.api import ApplySet, Diagnostic, Related, WorkloadCheck, rule
from kubelint_gpu.inventory.dra.nvidia import CLASSES
from kubelint_gpu.kube.objects.requests import is_served_by_devices, pod_requests
from kubelint_gpu.messages.wording import amount, some
from kubelint_gpu.scheduler import fit
from kubelint_gpu.values import replace

_SINCE = 36
_PRESET = {
    one["spec"]["extendedResourceName"]: one["metadata"]["name"]
    for one in CLASSES
    if "extendedResourceName" in one["spec"]
}


@rule("KLG708")
def device_and_extended_resource(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield pods that get two GPUs instead of one, or request them in a way that the cluster does not serve."""
    classes = {**_PRESET, **class_of_resource(unit)}
    if claim_references(unit):
        yield from _twice(unit, classes)
        yield from _of_device_plugin(unit, classes)
    yield from _not_served(unit, classes)


def _of_device_plugin(unit: ApplySet, classes: dict[str, str]) -> Iterator[Diagnostic]:
    """Yield claims of pods whose nodes offer the devices only as an extended resource."""
    publishing = {one.node_name for one in unit.cluster.resource_slices}
    if not unit.has_nodes or "" in publishing:
        return
    for reference in claim_references(unit):
        subject, spec = reference.subject, claim_of(unit, reference)
        names = {one.device_class for one in spec.queries} if spec is not None else set()
        asked = {resource for resource, name in classes.items() if name in names and resource in unit.supply.advertised}
        if not asked or not subject.places_pods:
            continue
        bare = replace(subject.pod, spec=replace(subject.pod.spec, resource_claims=()))
        nodes = [info.node for info in map(unit.empty.node, fit(bare, unit.empty).fits) if info is not None]
        for resource in sorted(asked):
            offering = [one.name for one in nodes if one.allocatable.get(resource, 0)]
            if not offering or any(one.name in publishing for one in nodes):
                continue
            yield Diagnostic(
                "KLG708",
                subject.manifest.place(reference.pointer),
                f"claim {reference.alias} asks for devices of a DRA driver, and {some(offering)}, where the pod may "
                f"go, {'offers' if len(offering) == 1 else 'offer'} them as {resource} of a device plugin, with no "
                "ResourceSlice declared",
                subject.manifest,
                cause=f"plugin/{resource}",
                certainty="possible",
                severity="warning",
                help=(f"ask for {resource}, or declare the ResourceSlices if a DRA driver runs there, too",),
            )


def _twice(unit: ApplySet, classes: dict[str, str]) -> Iterator[Diagnostic]:
    for reference in claim_references(unit):
        subject, spec = reference.subject, claim_of(unit, reference)
        asked = _asked(subject)
        for resource in asked:
            name = classes.get(resource)
            if spec is None or name is None:
                continue
            if not any(query.device_class == name and not query.admin for query in spec.queries):
                continue
            yield Diagnostic(
                "KLG708",
                request_place(subject, resource),
                f"it takes GPUs of one kind twice: {amount(resource, asked[resource])}, and devices of class {name} "
                f"by claim {reference.alias}",
                subject.manifest,
                cause=f"{resource}/{reference.alias}",
                related=(Related(subject.manifest.place(reference.pointer), "the claim is named here"),),
                help=(f"leave {resource} out if the claim is meant",),
            )


def _not_served(unit: ApplySet, classes: dict[str, str]) -> Iterator[Diagnostic]:
    """Yield extended resources whose nodes publish devices instead, if no class maps them or its gate is off."""
    minor, supply = unit.minor_release, unit.supply
    if not unit.has_nodes or not unit.cluster.nodes or not unit.cluster.resource_slices:
        return
    for subject in unit.subjects:
        for resource in _asked(subject):
            if resource in supply.advertised or unit.world.ignores(resource):
                continue
            gate = resource in supply.mapped
            if gate and minor is not None and minor < _SINCE:
                text = (
                    f"no node advertises {resource}, and DeviceClass {classes.get(resource, '')} serves it by devices "
                    f"only from 1.{_SINCE} on: in 1.{minor} the gate DRAExtendedResource is off by default"
                )
            elif not gate and (drivers := _drivers_of(unit, resource)):
                text = (
                    f"no node advertises {resource}: {some(drivers, 'DRA driver')} publishes its devices, and no "
                    f"DeviceClass has {resource} as its extendedResourceName"
                )
            else:
                continue
            yield Diagnostic(
                "KLG708",
                request_place(subject, resource),
                text,
                subject.manifest,
                cause=f"gate/{resource}",
                certainty="possible",
                severity="warning",
                help=("ask for the devices by a ResourceClaimTemplate",),
            )


def _drivers_of(unit: ApplySet, resource: str) -> list[str]:
    """Return the drivers of an extended resource's domain that publish devices: gpu.nvidia.com for nvidia.com/gpu."""
    domain = resource.partition("/")[0]
    return sorted({one.driver for one in unit.cluster.resource_slices if f".{one.driver}".endswith(f".{domain}")})


def _asked(subject: WorkloadCheck) -> dict[str, int]:
    """Return the extended resources that the pod requests, as written."""
    written = subject.manifest.workload
    if written is None:
        return {}
    asked = pod_requests(written.spec)
    return {name: asked[name] for name in sorted(asked) if asked[name] and is_served_by_devices(name)}
