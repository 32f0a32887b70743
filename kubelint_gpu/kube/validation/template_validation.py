"""What the API server refuses of workloads, their pod templates and volumes, beyond types and single fields.

Source: pkg/apis/core/validation, pkg/apis/apps/validation and pkg/apis/batch/validation of Kubernetes, 1.33; volumes
and the claims behind them, 1.34.
"""

from __future__ import annotations

from typing import Any

from kubelint_gpu.kube.validation.field_checks import (
    NO_CONTAINER_NAME,
    NO_NAMESPACE,
    NO_SUBDOMAIN,
    NO_VOLUME_NAME,
    Problems,
    negative,
    selector_problems,
    unlawful,
    unsupported,
)
from kubelint_gpu.kube.validation.job_validation import job_problems
from kubelint_gpu.kube.validation.resource_validation import resource_problems
from kubelint_gpu.kube.values.errors import InvalidObject, Pointer, is_placeholder
from kubelint_gpu.kube.values.fields import is_label, is_label_value, is_qualified_name, is_subdomain
from kubelint_gpu.kube.values.plain import amount, at, containers, mapping, sequence, shortened, written

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


_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_RUN_FOR_EVER = ("DaemonSet", "Deployment", "ReplicaSet", "ReplicationController", "StatefulSet")
_RETENTION = ("Retain", "Delete")
_LABEL_RULE = "at most 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends"


def workload_problems(kind: str, value: dict[str, Any], template: Pointer) -> Problems:
    """Yield every problem of a whole workload; `template` is the pointer of its pod template, `()` for a Pod."""
    spec = mapping(value.get("spec"))
    yield from _labels(value, ("metadata", "labels"))
    yield from _annotations(value, ("metadata", "annotations"))
    if template:
        yield from _labels(value, (*template, "metadata", "labels"))
        yield from _annotations(value, (*template, "metadata", "annotations"))
    yield from _own_rules(kind, spec, at(value, template), template)
    claims = _names(spec.get("volumeClaimTemplates"), "metadata") if kind == "StatefulSet" else frozenset()
    pod = mapping(at(value, (*template, "spec")))
    yield from pod_problems(pod, (*template, "spec"), bare=not template, volumes=claims)


def pod_problems(
    spec: dict[str, Any], base: Pointer, *, bare: bool = False, volumes: frozenset[str] | None = frozenset()
) -> Problems:
    """Yield every problem of a pod's spec.

    A `bare` Pod is validated more strictly.
    `volumes` are the names of volumes that its controller adds; None if unknown.
    """
    yield from _containers(spec, base)
    yield from resource_problems(spec, base)
    yield from volume_problems(spec, base)
    if volumes is not None:
        yield from mount_problems(spec, base, volumes)
    yield from _ports(spec, base)
    yield from _node_selection(spec, base)
    yield from _pod_affinity(spec, base)
    yield from _spreading(spec, base)
    yield from _gates(spec, base, bare=bare)


def _own_rules(kind: str, spec: dict[str, Any], template: Any, pointer: Pointer) -> Problems:
    pod = mapping(mapping(template).get("spec"))
    policy = pod.get("restartPolicy")
    where = (*pointer, "spec", "restartPolicy")
    if kind in _RUN_FOR_EVER:
        if policy is not None and policy != "Always":
            yield InvalidObject(f'unsupported value "{policy}" in a {kind}: supported values: "Always"', where, policy)
        if pod.get("activeDeadlineSeconds") is not None:
            below = (*pointer, "spec", "activeDeadlineSeconds")
            yield InvalidObject(
                f"activeDeadlineSeconds in {kind} is not supported", below, pod["activeDeadlineSeconds"]
            )
        selector = spec.get("selector")
        if isinstance(selector, dict) and not any(selector.values()) and kind != "ReplicationController":
            yield InvalidObject(f"an empty selector is invalid for a {kind}", ("spec", "selector"), selector)
    if kind in ("Job", "CronJob") and policy in (None, "Always"):
        below = where if policy is not None else (*pointer, "spec")
        text = f'restartPolicy "{policy or "Always"}" is refused in a {kind}: supported values: "OnFailure", "Never"'
        yield InvalidObject(text, below, policy)
    if kind in ("Job", "CronJob"):
        yield from job_problems(kind, spec)
    # of a StatefulSet any revisionHistoryLimit is taken
    counts = ("minReadySeconds",) if kind == "StatefulSet" else ("minReadySeconds", "revisionHistoryLimit")
    yield from negative(spec, ("spec",), counts)
    if kind == "StatefulSet":
        yield from _stateful_set(spec)


def _stateful_set(spec: dict[str, Any]) -> Problems:
    for index, entry in enumerate(sequence(spec.get("volumeClaimTemplates"))):
        base: Pointer = ("spec", "volumeClaimTemplates", index)
        name = mapping(mapping(entry).get("metadata")).get("name")
        if name is None:
            yield InvalidObject("name is required: it is that of a volume", base, None)
        yield from unlawful(name, is_label, NO_VOLUME_NAME, (*base, "metadata", "name"))
        yield from claim_problems(mapping(mapping(entry).get("spec")), (*base, "spec"), whole=True)
    for name, policy in mapping(spec.get("persistentVolumeClaimRetentionPolicy")).items():
        if written(policy) and policy not in _RETENTION:
            text = f'unsupported value "{shortened(policy)}": supported values: "Retain", "Delete"'
            yield InvalidObject(text, ("spec", "persistentVolumeClaimRetentionPolicy", name), policy)


def template_metadata(value: dict[str, Any], pointer: Pointer) -> Problems:
    """Yield problems of the metadata of a template: only labels and annotations are allowed."""
    yield from _labels(value, (*pointer, "labels"))
    yield from _annotations(value, (*pointer, "annotations"))
    for key, found in mapping(at(value, pointer)).items():
        if found and key not in ("labels", "annotations"):
            yield InvalidObject("cannot be set", (*pointer, key), None)


def _labels(value: dict[str, Any], pointer: Pointer) -> Problems:
    for key, label in mapping(at(value, pointer)).items():
        if not is_qualified_name(key) and not is_placeholder(key):
            yield InvalidObject(f'"{key}" is not a label key', (*pointer, key), key)
        if isinstance(label, str) and not is_label_value(label):
            yield InvalidObject(f'"{shortened(label)}" is not a label value: {_LABEL_RULE}', (*pointer, key), label)


def _annotations(value: dict[str, Any], pointer: Pointer) -> Problems:
    for key in mapping(at(value, pointer)):
        if not is_qualified_name(key.lower()) and not is_placeholder(key):
            yield InvalidObject(f'"{shortened(key)}" is not the key of an annotation', (*pointer, key), key)


def _containers(spec: dict[str, Any], base: Pointer) -> Problems:
    names: set[str] = set()
    for pointer, container in containers(spec, base):
        name = container.get("name")
        if name is None:
            yield InvalidObject("name is required in a container", pointer, name)
        elif isinstance(name, str) and not is_placeholder(name):
            if name in names:
                yield InvalidObject(f'two containers are called "{name}"', (*pointer, "name"), name)
            names.add(name)
            yield from unlawful(name, is_label, NO_CONTAINER_NAME, (*pointer, "name"))


def _ports(spec: dict[str, Any], base: Pointer) -> Problems:
    taken: set[tuple[str, str, int]] = set()
    for index, container in enumerate(sequence(spec.get("containers"))):
        for place, port in enumerate(sequence(mapping(container).get("ports"))):
            found = mapping(port)
            host, inside = found.get("hostPort"), found.get("containerPort")
            where = (*base, "containers", index, "ports", place)
            if inside is None and isinstance(port, dict):
                yield InvalidObject("containerPort is required in a port", where, None)
            if isinstance(inside, int) and not isinstance(inside, bool) and not 0 < inside < 65536:
                yield InvalidObject(f"must be between 1 and 65535, not {inside}", (*where, "containerPort"), inside)
            if not isinstance(host, int) or isinstance(host, bool) or not host:
                continue
            if spec.get("hostNetwork") is True and isinstance(inside, int) and host != inside:
                text = f"must match containerPort {inside} when hostNetwork is true, not {host}"
                yield InvalidObject(text, (*where, "hostPort"), host)
            key = (str(found.get("protocol") or "TCP"), str(found.get("hostIP") or ""), host)
            if key in taken:
                text = f'duplicate value "{key[0]}/{key[1]}/{key[2]}": another port of the pod has it'
                yield InvalidObject(text, (*where, "hostPort"), host)
            taken.add(key)


def _node_selection(spec: dict[str, Any], base: Pointer) -> Problems:
    for key, value in mapping(spec.get("nodeSelector")).items():
        where = (*base, "nodeSelector", key)
        if not is_qualified_name(key) and not is_placeholder(key):
            yield InvalidObject(f'"{key}" is not a label key', where, key)
        if isinstance(value, str) and not is_label_value(value):
            yield InvalidObject(f'"{shortened(value)}" is not a label value: {_LABEL_RULE}', where, value)
    there = mapping(mapping(spec.get("affinity")).get("nodeAffinity"))
    fault = 'is not the name of a node: lower case letters, digits, "-", "."'
    yield from unlawful(spec.get("nodeName") or None, is_subdomain, fault, (*base, "nodeName"))
    if there.get(_REQUIRED) is not None and not sequence(mapping(there[_REQUIRED]).get("nodeSelectorTerms")):
        where = (*base, "affinity", "nodeAffinity", _REQUIRED)
        yield InvalidObject("must have at least one node selector term", where, None)


def _pod_affinity(spec: dict[str, Any], base: Pointer) -> Problems:
    for kind in ("podAffinity", "podAntiAffinity"):
        side = mapping(mapping(spec.get("affinity")).get(kind))
        for when, below in ((_REQUIRED, ()), (_PREFERRED, ("podAffinityTerm",))):
            for index, entry in enumerate(sequence(side.get(when))):
                term = mapping(at(mapping(entry), below))
                where: Pointer = (*base, "affinity", kind, when, index, *below)
                yield from _term(term, where)


def _term(term: dict[str, Any], where: Pointer) -> Problems:
    key = term.get("topologyKey")
    if isinstance(key, str) and key and not is_qualified_name(key) and not is_placeholder(key):
        yield InvalidObject(f'"{key}" is not a label key', (*where, "topologyKey"), key)
    for index, name in enumerate(sequence(term.get("namespaces"))):
        yield from unlawful(name, is_label, "is not a namespace name", (*where, "namespaces", index))
    yield from _label_keys(term, where, ("matchLabelKeys", "mismatchLabelKeys"))
    for index, label in enumerate(sequence(term.get("matchLabelKeys"))):
        if label in sequence(term.get("mismatchLabelKeys")):
            text = f"{label} exists in both matchLabelKeys and mismatchLabelKeys"
            yield InvalidObject(text, (*where, "matchLabelKeys", index), label)


def _label_keys(value: dict[str, Any], where: Pointer, fields: tuple[str, ...]) -> Problems:
    """Yield problems of label keys whose values are folded into the selector beside them."""
    selector = value.get("labelSelector")
    named = _selector_keys(selector)
    for field in fields:
        if selector is None and value.get(field):
            yield InvalidObject("must not be specified when labelSelector is not set", (*where, field), None)
            continue
        for index, label in enumerate(sequence(value.get(field))):
            below = (*where, field, index)
            if not written(label):
                continue
            if not is_qualified_name(label):
                yield InvalidObject(f'"{shortened(label)}" is not a label key', below, label)
            elif label in named and field == "matchLabelKeys":
                yield InvalidObject(f"{label} exists in both matchLabelKeys and labelSelector", below, label)


def _spreading(spec: dict[str, Any], base: Pointer) -> Problems:
    seen: set[tuple[str, str]] = set()
    for index, entry in enumerate(sequence(spec.get("topologySpreadConstraints"))):
        found = mapping(entry)
        where = (*base, "topologySpreadConstraints", index)
        pair = (str(found.get("topologyKey")), str(found.get("whenUnsatisfiable")))
        if pair in seen:
            text = f"another constraint has {pair[0]} and {pair[1]}: the pair must be unique"
            yield InvalidObject(text, (*where, "topologyKey"), pair[0])
        seen.add(pair)
        if found.get("minDomains") is not None and pair[1] == "ScheduleAnyway":
            text = "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway"
            yield InvalidObject(text, (*where, "minDomains"), found["minDomains"])
        yield from _label_keys(found, where, ("matchLabelKeys",))


def _gates(spec: dict[str, Any], base: Pointer, *, bare: bool) -> Problems:
    gates = [mapping(gate).get("name") for gate in sequence(spec.get("schedulingGates"))]
    for index, name in enumerate(gates):
        where = (*base, "schedulingGates", index, "name")
        if name in gates[:index]:
            yield InvalidObject(f'duplicate value "{name}"', where, name)
        if isinstance(name, str) and not is_qualified_name(name) and not is_placeholder(name):
            yield InvalidObject(f'"{name}" is not the name of a gate', where, name)
    if gates and spec.get("nodeName") and bare:
        text = "cannot be set until all schedulingGates have been cleared"
        yield InvalidObject(text, (*base, "nodeName"), spec["nodeName"])


def name_problems(kind: str, value: dict[str, Any]) -> Problems:
    """Yield problems of an object's name, which is a DNS subdomain with few exceptions, and of its namespace.

    A CronJob's name has at most 52 characters. A PodDisruptionBudget's may be any valid path segment.
    """
    namespace = mapping(value.get("metadata")).get("namespace") or None
    yield from unlawful(namespace, is_label, NO_NAMESPACE, ("metadata", "namespace"))
    name = written(mapping(value.get("metadata")).get("name"))
    if not name:
        return
    if kind == "CronJob" and len(name) > 52:
        yield InvalidObject(f"must be no more than 52 characters, not {len(name)}", ("metadata", "name"), name)
    elif kind == "PodDisruptionBudget":
        if name in (".", "..") or "/" in name or "%" in name:
            yield InvalidObject(
                f'"{shortened(name)}" is not a name: it has "/" or "%", or is dots', ("metadata", "name"), name
            )
    else:
        yield from unlawful(name, is_subdomain, NO_SUBDOMAIN, ("metadata", "name"))


def _names(entries: Any, *below: str) -> frozenset[str]:
    found = (at(entry, (*below, "name")) for entry in sequence(entries))
    return frozenset(name for name in found if isinstance(name, str))


def _selector_keys(selector: Any) -> set[str]:
    found = mapping(selector)
    named = (mapping(one).get("key") for one in sequence(found.get("matchExpressions")))
    return {key for key in (*mapping(found.get("matchLabels")), *named) if isinstance(key, str)}
