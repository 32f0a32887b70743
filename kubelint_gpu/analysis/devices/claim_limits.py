"""Claims that exceed limits, use features that their namespace must not use, or fields that a release drops."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.devices.claim_shapes import ClaimFault
from kubelint_gpu.analysis.devices.written_claims import CLAIM, claim_references, device_objects, written_claims
from kubelint_gpu.documents import Pointer
from kubelint_gpu.kube.dra.resource_api import MOST_CONSUMERS, MOST_DEVICES, MOST_REQUESTS
from kubelint_gpu.kube.values.errors import field_path
from kubelint_gpu.scheduler.framework.release import behaviour
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.field_pointers import at
from kubelint_gpu.workspace.manifest import Manifest

ADMIN_LABEL = "resource.kubernetes.io/admin-access"


def limit_faults(unit: ApplySet) -> Iterator[ClaimFault]:
    """Yield all faults of this kind in a unit."""
    for manifest in device_objects(unit):
        from kubelint_gpu.kube.validation.device_validation import device_limits

        for problem in device_limits(manifest.item.value):
            text = f"the API server refuses it: {problem.pointer[-1]} {problem.detail}"
            yield ClaimFault(manifest, problem.pointer, text, field_path(problem.pointer), at_key=True)
    yield from _too_many_devices(unit)
    yield from _admin_access(unit)
    yield from _dropped(unit)
    yield from _consumers(unit)


def _too_many_devices(unit: ApplySet) -> Iterator[ClaimFault]:
    """Counts that the API server accepts but no allocation can hold."""
    for claim in written_claims(unit):
        from kubelint_gpu.kube.dra.claim import ALL

        if len(claim.spec.requests) > MOST_REQUESTS:
            continue  # the API server does not accept it
        total = 0
        for number, request in enumerate(claim.spec.requests):
            every = (request.exactly,) if request.exactly is not None else request.first_available
            least = min((1 if one.mode == ALL else one.count for one in every), default=0)
            total += least
            if total <= MOST_DEVICES:
                continue
            where = (*claim.base, "requests", number)
            pointer = next(
                (
                    (*found, "count")
                    for found, query in claim.queries()
                    if found[: len(where)] == where and claim.manifest.present((*found, "count")) and query.count > 1
                ),
                where,
            )
            who = f"the claim asks for {total}" if number else f"the request asks for {least}"
            text = (
                f"{who} devices, and an allocation holds {MOST_DEVICES} at most: the API server accepts it, and no pod "
                "with it is ever scheduled"
            )
            yield ClaimFault(claim.manifest, pointer, text, "devices")
            break


def _admin_access(unit: ApplySet) -> Iterator[ClaimFault]:
    known = {one.name: one for one in unit.cluster.namespaces}
    for claim in written_claims(unit):
        namespace = known.get(claim.namespace)
        labelled = namespace is not None and namespace.labels.get(ADMIN_LABEL) == "true"
        if labelled:
            continue
        # where no namespace is declared, its label is nobody's to see
        told = namespace is not None or (unit.has_nodes and bool(known))
        label = f'the label {ADMIN_LABEL}: "true"'
        if namespace is not None:
            text = f"namespace {claim.namespace} has not {label}, without which the API server refuses adminAccess"
        else:
            text = f"the API server refuses adminAccess unless {claim.namespace}, which nothing declares, has {label}"
        for pointer, query in claim.queries():
            if query.admin:
                yield ClaimFault(
                    claim.manifest,
                    (*pointer, "adminAccess"),
                    text,
                    "adminAccess",
                    certainty="certain" if namespace is not None else "possible",
                    severity=None if told else "note",
                )


def _dropped(unit: ApplySet) -> Iterator[ClaimFault]:
    """Fields that have no effect, because their feature gate is off by default in the cluster's release."""
    minor = unit.minor_release
    if minor is None or not behaviour(unit.cluster.version).dynamic_resources:
        return
    for manifest in device_objects(unit):
        from kubelint_gpu.scheduler.plugins.dynamic_resources.features import features_of

        if features_of(behaviour(unit.cluster.version)).betas:
            return
        for pointer, what, gate, effect in _gated(manifest):
            text = f"{pointer[-1]} {what} in 1.{minor}, where {gate} is off by default: {effect}"
            yield ClaimFault(manifest, pointer, text, field_path(pointer), at_key=True, severity="warning")


def _gated(manifest: Manifest) -> Iterator[tuple[Pointer, str, str, str]]:
    from kubelint_gpu.kube.validation.device_validation import queries, spec_pointer

    # drivers write extendedResourceName of a class for all releases: it matters to pods that ask for it
    for where, query in queries(manifest.item.value):
        if query.get("tolerations"):
            yield (*where, "tolerations"), "has no effect", "DRADeviceTaints", "taints of devices are dropped"
        if query.get("capacity"):
            yield (*where, "capacity"), "is dropped", "DRAConsumableCapacity", "the request takes whole devices"
    base: Pointer = (*spec_pointer(manifest.item.value), "devices", "constraints")
    constraints = at(manifest, base)
    for number in range(len(constraints)) if isinstance(constraints, list) else ():
        where = (*base, number, "distinctAttribute")
        if manifest.present(where):
            effect = "devices with equal values are given out together, too"
            yield where, "keeps nothing apart", "DRAConsumableCapacity", effect


def _consumers(unit: ApplySet) -> Iterator[ClaimFault]:
    """Named claims with more users than a claim can be reserved for."""
    users: dict[tuple[str, str], int] = {}
    for reference in claim_references(unit):
        if reference.kind != CLAIM or reference.subject.controller.node_bound:
            continue
        key = (reference.namespace, reference.name)
        replicas = reference.subject.workload.replicas
        before, users[key] = users.get(key, 0), users.get(key, 0) + replicas
        if before <= MOST_CONSUMERS < users[key]:
            text = (
                f"claim {reference.name} is used by {users[key]} pods, and a claim can be reserved for {MOST_CONSUMERS}"
            )
            yield ClaimFault(
                reference.subject.manifest, reference.pointer, f"{text}: the others are never bound", "consumers"
            )
