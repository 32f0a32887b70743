"""Kinds that the cluster does not serve under their apiVersion."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.engine.api import ApplySet, Diagnostic, Manifest, field_pointers, rule
from kubelint_gpu.engine.remedies import rewritten
from kubelint_gpu.kube.validation.api_fields import Service, service

# the oldest release that anybody still maintains; what it lacks, no cluster is likely to have
_OLDEST = 31
# beta versions of an API are off by default
_DEVICES, _DEVICES_SINCE = "resource.k8s.io/v1", 34
_RULE, _OWN_GATE_SINCE = "DeviceTaintRule", 35


@rule("KLG004")
def removed_api(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield objects whose apiVersion the cluster's release no longer has, or will soon not have."""
    minor = unit.minor_release
    for manifest in unit.manifests:
        found = service(manifest.item.value, minor)
        if found is None:
            continue
        version = str(manifest.item.value["apiVersion"])
        what = f"{version} {manifest.kind}"
        instead = f"; {found.successor} has it" if found.successor else ""
        if minor is None:
            if found.gone and found.gone <= _OLDEST:
                text = f"{what} was removed in 1.{found.gone}{instead}"
                yield _draft(manifest, found, text, possible=True)
        elif found.gone and minor >= found.gone:
            yield _draft(
                manifest, found, f"1.{minor} does not serve {what}, which was removed in 1.{found.gone}{instead}"
            )
        elif minor < found.since:
            yield _draft(manifest, found, f"1.{minor} does not serve {what}, which comes with 1.{found.since}{instead}")
        elif found.gone and minor + 1 >= found.gone and found.successor:
            text = f"{what} is removed in 1.{found.gone}, one release after that of the cluster{instead}"
            yield _draft(manifest, found, text, warning=True)
        elif version.startswith(_DEVICES) and version != _DEVICES:
            if manifest.kind == _RULE and unit.cluster.device_taint_rules:
                continue  # the cluster has such objects, so it serves them
            text = f"1.{minor} serves {version} only with --runtime-config of the API server"
            gate = _gate(manifest, minor)
            if gate:
                text = f"{text}; the object has an effect only with the feature gate {gate}, which is off by default"
            yield _draft(manifest, found, f"{text}{instead if found.successor == _DEVICES else ''}", possible=True)


def _gate(manifest: Manifest, minor: int) -> str:
    """Return the feature gate, off by default, without which an object of a beta version has no effect."""
    if minor < _DEVICES_SINCE:
        return "DynamicResourceAllocation"
    if manifest.kind != _RULE:
        return ""
    return "DRADeviceTaintRules" if minor >= _OWN_GATE_SINCE else "DRADeviceTaints"


def _draft(
    manifest: Manifest, found: Service, text: str, *, possible: bool = False, warning: bool = False
) -> Diagnostic:
    return Diagnostic(
        "KLG004",
        manifest.place(("apiVersion",)),
        text,
        manifest,
        cause="apiVersion",
        certainty="possible" if possible else "certain",
        severity="warning" if warning else None,
        proposals=rewritten(manifest, ("apiVersion",), [found.successor], "write apiVersion: {}", "safe")
        if found.same and found.successor and _carries_over(manifest)
        else (),
    )


def _carries_over(manifest: Manifest) -> bool:
    """Whether the object has the fields that older versions defaulted: the selector of workloads."""
    if manifest.workload is not None and manifest.kind != "CronJob":
        return field_pointers.at(manifest, ("spec", "selector")) is not None
    if manifest.kind == "PodDisruptionBudget":
        # an empty selector meant nothing in v1beta1 and means everything in v1
        selector = field_pointers.at(manifest, ("spec", "selector"))
        return isinstance(selector, dict) and any(selector.values())
    return True
