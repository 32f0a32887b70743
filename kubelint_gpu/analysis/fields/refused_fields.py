"""What else the API server refuses of a manifest, apart from what keeps it from being read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from kubelint_gpu.kube.dra.resource_api import BETAS_SINCE
from kubelint_gpu.kube.objects.priority import read_priority_class
from kubelint_gpu.kube.objects.workload import api_group
from kubelint_gpu.kube.validation.api_fields import Misfit, misfits, mismatch, template_misfits
from kubelint_gpu.kube.validation.policy_validation import budget_problems, limit_range_problems, quota_problems
from kubelint_gpu.kube.validation.resource_validation import sum_problems
from kubelint_gpu.kube.validation.template_validation import name_problems, pod_problems, workload_problems
from kubelint_gpu.kube.validation.volume_validation import claim_problems
from kubelint_gpu.kube.values.errors import InvalidObject
from kubelint_gpu.kube.values.names import NAMES_AS_LABELS, is_label, is_subdomain
from kubelint_gpu.kube.values.plain import mapping, shortened, written
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.field_pointers import at
from kubelint_gpu.workspace.manifest import Manifest

DEVICE_GROUP = "resource.k8s.io"
DEVICE_KINDS = ("DeviceClass", "ResourceClaim", "ResourceClaimTemplate")


def refusals(manifest: Manifest, unfit: Iterable[Misfit], minor: int | None) -> Iterator[InvalidObject]:
    """Values of the wrong type by the schema of a release, then what the schema does not say; each place once.

    Patches are looked at for their types only. `unfit` is what `written_misfits` gives.
    """
    unfit = tuple(unfit)
    said, unknown = {one.pointer for one in manifest.problems}, [one.pointer for one in unfit if not one.wanted]
    for problem in (*_types(unfit), *_further(manifest, minor), *_gated(manifest, minor)):
        mine = problem.pointer
        # nothing was said of the field, of one around it, or of one inside it
        if any(mine[: len(one)] == one for one in unknown):
            continue
        if not any(mine[: len(one)] == one or one[: len(mine)] == mine for one in said):
            said.add(problem.pointer)
            yield problem


def written_misfits(manifest: Manifest, minor: int | None) -> Iterator[Misfit]:
    """Fields that do not fit: of the whole object, or of the pod template inside a custom resource."""
    workload = manifest.workload
    if workload is None or not workload.custom:
        yield from misfits(manifest.item.value, minor)
    elif workload.is_template and not workload.extended:
        yield from template_misfits(manifest.item.value, workload.template_pointer, minor)


@once
def unknown_fields(unit: ApplySet) -> tuple[tuple[Misfit, ...], ...]:
    """For each of the unit's templates, the fields that its kind does not have in the cluster's release."""
    return tuple(tuple(written_misfits(manifest, unit.minor_release)) for manifest in unit.templates)


def _types(unfit: Iterable[Misfit]) -> Iterator[InvalidObject]:
    for found in unfit:
        if found.wanted:
            yield InvalidObject(mismatch(found), found.pointer, found.value, is_text=found.wanted == "a string")


def _further(manifest: Manifest, minor: int | None) -> Iterator[InvalidObject]:
    workload, value = manifest.workload, manifest.item.value
    if workload is not None and workload.custom:
        if workload.is_template and not workload.partial and not workload.extended:
            spec = at(manifest, workload.spec_pointer)
            yield from pod_problems(spec if isinstance(spec, dict) else {}, workload.spec_pointer, volumes=None)
    elif workload is not None and not workload.partial:
        yield from name_problems(workload.kind, value)
        yield from workload_problems(workload.kind, value, workload.template_pointer)
        yield from sum_problems(workload.spec, workload.spec_pointer)
    elif api_group(value) == DEVICE_GROUP and manifest.kind in DEVICE_KINDS:
        from kubelint_gpu.kube.validation.device_validation import device_problems

        yield from name_problems(manifest.kind, value)
        yield from device_problems(value, minor)
    elif (api_group(value), manifest.kind) == (DEVICE_GROUP, "DeviceTaintRule"):
        from kubelint_gpu.kube.validation.slice_validation import rule_problems

        yield from name_problems(manifest.kind, value)
        yield from rule_problems(value, BETAS_SINCE if minor is None else minor)
    elif (api_group(value), manifest.kind) == (DEVICE_GROUP, "ResourceSlice"):
        from kubelint_gpu.kube.dra.resource_slice import read_resource_slice
        from kubelint_gpu.kube.validation.slice_validation import slice_problems

        yield from name_problems(manifest.kind, value)
        wrong: list[InvalidObject] = []
        read_resource_slice(value, wrong)
        yield from wrong
        yield from slice_problems(value, BETAS_SINCE if minor is None else minor)
    elif (further := _OTHERS.get((api_group(value), manifest.kind))) is not None:
        yield from name_problems(manifest.kind, value)
        yield from further(value)
    elif (api_group(value), manifest.kind) == ("autoscaling", "HorizontalPodAutoscaler"):
        from kubelint_gpu.kube.validation.autoscaler_validation import autoscaler_problems

        yield from name_problems(manifest.kind, value)
        yield from autoscaler_problems(value, minor)


def _of_class(value: dict[str, Any]) -> Iterator[InvalidObject]:
    """Numbers of a PriorityClass that no 32 bits hold; the rest is told by KLG303."""
    problems: list[InvalidObject] = []
    read_priority_class(value, problems)
    yield from (problem for problem in problems if problem.pointer == ("value",))
    if value.get("preemptionPolicy") == "":
        yield InvalidObject("preemptionPolicy may not be empty", ("preemptionPolicy",), "")


def _gated(manifest: Manifest, minor: int | None) -> Iterator[InvalidObject]:
    """What only newer releases refuse; nothing where the release is not known."""
    if manifest.kind != "StatefulSet" or minor is None or api_group(manifest.item.value) != "apps":
        return
    if minor >= NAMES_AS_LABELS:
        for route in (("metadata", "name"), ("spec", "serviceName")):
            name = written(at(manifest, route))
            # what is no name of anything is told already
            if name and not is_label(name) and (route != ("metadata", "name") or is_subdomain(name)):
                text = f'"{shortened(name)}" is not a DNS label: lower case letters, digits and "-", at most 63'
                yield InvalidObject(text, route, name)


_OTHERS: dict[tuple[str, str], Callable[[dict[str, Any]], Iterator[InvalidObject]]] = {
    ("", "ResourceQuota"): quota_problems,
    ("", "LimitRange"): limit_range_problems,
    ("", "PersistentVolumeClaim"): lambda value: claim_problems(mapping(value.get("spec")), ("spec",), whole=False),
    ("policy", "PodDisruptionBudget"): budget_problems,
    ("scheduling.k8s.io", "PriorityClass"): _of_class,
}
