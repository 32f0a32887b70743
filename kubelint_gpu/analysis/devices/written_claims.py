"""Claims, claim templates and classes in manifests, and the pods that use them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from kubelint_gpu.documents import Pointer
from kubelint_gpu.kube.objects.workload import api_group
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.scheduler.companions import fit_lone
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.answers import once, once_each
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.manifest import Manifest
from kubelint_gpu.workspace.workload_check import WorkloadCheck

if TYPE_CHECKING:
    from kubelint_gpu.kube.dra.claim import ClaimSpec, DeviceQuery

GROUP = "resource.k8s.io"
CLAIM, TEMPLATE, CLASS = "ResourceClaim", "ResourceClaimTemplate", "DeviceClass"
KINDS = (CLASS, CLAIM, TEMPLATE)
_REFERENCES = (("resourceClaimName", CLAIM), ("resourceClaimTemplateName", TEMPLATE))
_DEFAULT = "default"


class WrittenClaim(Value):
    """A readable claim or claim template of a manifest.

    Attributes:
        manifest: its manifest.
        spec: what it asks for.
        base: the pointer of `devices`.
        flat: whether its version has requests without `exactly`.
    """

    manifest: Manifest
    spec: ClaimSpec
    base: Pointer
    flat: bool

    @property
    def namespace(self) -> str:
        """Its namespace; the default one if none is written."""
        return self.manifest.namespace or _DEFAULT

    @property
    def key(self) -> tuple[str, str, str]:
        """Its kind, namespace and name."""
        return self.manifest.kind, self.namespace, self.manifest.name

    def queries(self) -> Iterator[tuple[Pointer, DeviceQuery]]:
        """Yield each request or alternative, with its pointer."""
        for number, request in enumerate(self.spec.requests):
            where = (*self.base, "requests", number)
            for place, one in enumerate(request.first_available):
                yield (*where, "firstAvailable", place), one
            if request.exactly is not None:
                yield where if self.flat else (*where, "exactly"), request.exactly


class PodClaimReference(Value):
    """An entry of a pod's `resourceClaims` that names a claim or a template.

    Attributes:
        subject: the workload.
        entry: the pointer of the entry.
        pointer: the pointer of the object's name in it.
        alias: its name for containers.
        kind: the object's kind.
        name: the object's name.
    """

    subject: WorkloadCheck
    entry: Pointer
    pointer: Pointer
    alias: str
    kind: str
    name: str

    @property
    def namespace(self) -> str:
        """The namespace of the object: that of the pod."""
        return self.subject.workload.meta.namespace

    @property
    def key(self) -> tuple[str, str, str]:
        """Kind, namespace and name of the object."""
        return self.kind, self.namespace, self.name


def device_objects(unit: ApplySet) -> Iterator[Manifest]:
    """The claims, templates and classes of a unit."""
    return (one for one in unit.manifests if one.kind in KINDS and api_group(one.item.value) == GROUP)


@once_each
def written_claims(unit: ApplySet) -> Iterator[WrittenClaim]:
    """The claims and templates of a unit that can be read, apart from their tolerations."""
    for manifest in device_objects(unit):
        if manifest.kind == CLASS:
            continue
        from kubelint_gpu.kube.dra.claim import read_resource_claim, read_resource_claim_template
        from kubelint_gpu.kube.dra.resource_api import is_flat
        from kubelint_gpu.kube.validation.device_validation import spec_pointer

        value, problems = manifest.item.value, list[Any]()
        read = read_resource_claim if manifest.kind == CLAIM else read_resource_claim_template
        spec = read(value, problems).spec
        # a toleration that is refused is read as one that tolerates most
        if all("tolerations" in one.pointer for one in problems) and spec.requests:
            yield WrittenClaim(manifest, spec, (*spec_pointer(value), "devices"), is_flat(value))


@once_each
def claim_references(unit: ApplySet) -> Iterator[PodClaimReference]:
    """The references of the unit's pods to claims and templates; an entry with both is refused and left out."""
    for subject in unit.subjects:
        if not subject.workload.spec.resource_claims:
            continue
        base: Pointer = (*field_pointers.pod_spec(subject.manifest), "resourceClaims")
        for number, entry in enumerate(subject.workload.spec.resource_claims):
            named = [(key, kind, name) for key, kind in _REFERENCES if isinstance(name := entry.get(key), str) and name]
            for key, kind, name in named if len(named) == 1 else ():
                if subject.manifest.present((*base, number, key)):
                    where, alias = (*base, number), str(entry.get("name") or "")
                    yield PodClaimReference(subject, where, (*where, key), alias, kind, name)


def users_of(unit: ApplySet, claim: Manifest) -> tuple[str, ...]:
    """The workloads whose pods name a claim or a template of a unit."""
    users = [one for one in claim_references(unit) if f"{one.kind}/{one.namespace}/{one.name}" == claim.object]
    return tuple(dict.fromkeys(one.subject.manifest.object for one in users))


def open_to(references: Sequence[PodClaimReference], snapshot: Snapshot) -> frozenset[str] | None:
    """The nodes that all earlier filters let pass for pods that name a claim; None, for all, without references."""
    pods = [one.subject.pod for one in references]
    without = [replace(pod, spec=replace(pod.spec, resource_claims=())) for pod in pods]
    return frozenset().union(*(fit_lone(pod, snapshot).fits for pod in without)) if pods else None


def claim_of(unit: ApplySet, reference: PodClaimReference) -> ClaimSpec | None:
    """Return the spec of the referenced claim or template; None if it does not exist."""
    return _specs(unit).get(reference.key)


def has_devices(unit: ApplySet, one: WrittenClaim | PodClaimReference) -> bool:
    """Whether the claim is already allocated: it is not allocated again while pods use it."""
    kind, namespace, name = one.key
    return kind == CLAIM and f"{namespace}/{name}" in _allocated(unit)


@once
def _allocated(unit: ApplySet) -> frozenset[str]:
    held = {key for pod in unit.cluster.pods for key, _ in pod.allocations}
    return frozenset(held.union(one.key for one in unit.cluster.resource_claims if one.allocation or one.idle))


@once
def _specs(unit: ApplySet) -> dict[tuple[str, str, str], ClaimSpec]:
    both = (CLAIM, unit.cluster.resource_claims), (TEMPLATE, unit.cluster.claim_templates)
    return {(kind, one.meta.namespace, one.meta.name): one.spec for kind, every in both for one in every}


def class_of_resource(unit: ApplySet) -> dict[str, str]:
    """The declared class behind each extended resource, as in the newest release."""
    if not unit.cluster.device_classes:
        return {}
    from kubelint_gpu.kube.dra.device_class import classes_by_resource

    return {name: found.name for name, found in classes_by_resource(unit.cluster.device_classes).items()}
