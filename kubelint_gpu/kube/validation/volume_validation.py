"""What the API server refuses of a pod's volumes and of the claims behind them.

Source: pkg/apis/core/validation and pkg/apis/apps/validation of Kubernetes, 1.34.
"""

from __future__ import annotations

from typing import Any

from kubelint_gpu.kube.validation.field_checks import (
    NO_SUBDOMAIN,
    NO_VOLUME_NAME,
    Problems,
    selector_problems,
    unlawful,
    unsupported,
)
from kubelint_gpu.kube.values.errors import InvalidObject, Pointer, is_placeholder
from kubelint_gpu.kube.values.fields import is_label, is_subdomain
from kubelint_gpu.kube.values.plain import amount, containers, mapping, sequence

_ACCESS_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_VOLUME_MODES = ("Block", "Filesystem")
_ALONE = "ReadWriteOncePod"


def volume_problems(spec: dict[str, Any], base: Pointer) -> Problems:
    """Every problem of the volumes themselves."""
    names: set[str] = set()
    for index, entry in enumerate(sequence(spec.get("volumes"))):
        volume, where = mapping(entry), (*base, "volumes", index)
        name = volume.get("name")
        if not isinstance(entry, dict) or is_placeholder(name):
            continue
        if name is None:
            yield InvalidObject("name is required in a volume", where, None)
        elif isinstance(name, str):
            if name in names:
                yield InvalidObject(f'two volumes are called "{name}"', (*where, "name"), name)
            names.add(name)
            yield from unlawful(name, is_label, NO_VOLUME_NAME, (*where, "name"))
        yield from _source(volume, where)


def _source(volume: dict[str, Any], where: Pointer) -> Problems:
    kinds = [key for key, value in volume.items() if key != "name" and not key.startswith("$") and value is not None]
    if len(kinds) > 1:
        yield InvalidObject(f"may not specify more than 1 volume type: {', '.join(kinds)}", (*where, kinds[1]), None)
    size = mapping(volume.get("emptyDir")).get("sizeLimit")
    if (amount(size) or 0) < 0:
        yield InvalidObject(
            "SizeLimit field must be a valid resource quantity", (*where, "emptyDir", "sizeLimit"), size
        )
    claim = volume.get("persistentVolumeClaim")
    if isinstance(claim, dict) and claim.get("claimName") in (None, ""):
        yield InvalidObject("claimName is required", (*where, "persistentVolumeClaim"), None)
    template = mapping(mapping(volume.get("ephemeral")).get("volumeClaimTemplate"))
    if isinstance(template.get("spec"), dict):
        below = (*where, "ephemeral", "volumeClaimTemplate", "spec")
        yield from claim_problems(template["spec"], below, whole=True)


def mount_problems(spec: dict[str, Any], base: Pointer, added: frozenset[str]) -> Problems:
    """Yield mounts of missing volumes, or without a path; `added` are volumes that the pod's controller adds."""
    named = (mapping(volume).get("name") for volume in sequence(spec.get("volumes")))
    names = added.union(name for name in named if isinstance(name, str))
    if any(is_placeholder(name) for name in names):
        return
    for pointer, container in containers(spec, base):
        for index, mount in enumerate(sequence(container.get("volumeMounts"))):
            name = mapping(mount).get("name")
            if mount is None or isinstance(mount, dict):
                for field in ("name", "mountPath"):
                    if mapping(mount).get(field) in (None, ""):
                        yield InvalidObject(f"{field} is required", (*pointer, "volumeMounts", index), None)
            if isinstance(name, str) and name not in names and not is_placeholder(name):
                yield InvalidObject(
                    f'there is no volume "{name}"' + (f": volumes are {', '.join(sorted(names)[:8])}" if names else ""),
                    (*pointer, "volumeMounts", index, "name"),
                    name,
                )


def claim_problems(spec: dict[str, Any], base: Pointer, *, whole: bool) -> Problems:
    """Yield every problem of a claim's spec; missing fields are only a problem in a `whole` claim, not in a patch."""
    modes = spec.get("accessModes")
    where: Pointer = (*base, "accessModes")
    if modes == [] or (whole and modes is None):
        yield InvalidObject("at least 1 access mode is required", where if modes == [] else base, None)
    for index, mode in enumerate(sequence(modes)):
        yield from unsupported("" if mode is None else mode, _ACCESS_MODES, (*where, index))
    if _ALONE in sequence(modes) and any(mode != _ALONE for mode in sequence(modes)):
        yield InvalidObject(f"may not use {_ALONE} with other access modes", where, None)
    requests = mapping(mapping(spec.get("resources")).get("requests"))
    storage = requests.get("storage")
    if storage is None and whole:
        yield InvalidObject("a request for storage is required", base, None)
    found = amount(storage) if storage is not None else None
    if found is not None and found <= 0:
        at: Pointer = (*base, "resources", "requests", "storage")
        yield InvalidObject(f"must be greater than zero, not {storage}", at, storage)
    name = spec.get("storageClassName") or None
    yield from unlawful(name, is_subdomain, NO_SUBDOMAIN, (*base, "storageClassName"))
    yield from selector_problems(spec.get("selector"), (*base, "selector"))
    yield from unsupported(spec.get("volumeMode"), _VOLUME_MODES, (*base, "volumeMode"))
