"""What the API server refuses of workloads and their pod templates, beyond types and single fields.

Source: pkg/apis/core/validation, pkg/apis/apps/validation and pkg/apis/batch/validation of Kubernetes, 1.33.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from kubelint_gpu.kube.errors import InvalidObject, Pointer, is_placeholder
from kubelint_gpu.kube.names import is_label_value, is_qualified_name, is_subdomain
from kubelint_gpu.kube.quantity import QuantityError, thousandths
from kubelint_gpu.kube.requests import is_extended

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", re.ASCII)
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_RUN_FOR_EVER = ("DaemonSet", "Deployment", "ReplicaSet", "ReplicationController", "StatefulSet")
_STANDARD = ("cpu", "memory", "ephemeral-storage")
_CONTAINERS = ("containers", "initContainers")
_LABEL_RULE = "at most 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends"
Problems = Iterator[InvalidObject]


def workload_problems(kind: str, value: dict[str, Any], template: Pointer) -> Problems:
    """Every problem of a whole workload; `template` is where its pod template stands, `()` for a Pod."""
    spec = _mapping(value.get("spec"))
    yield from _labels(value, ("metadata", "labels"))
    if template:
        yield from _labels(value, (*template, "metadata", "labels"))
    yield from _own_rules(kind, spec, _at(value, template), template)
    claims = _names(spec.get("volumeClaimTemplates"), "metadata") if kind == "StatefulSet" else frozenset()
    pod = _mapping(_at(value, (*template, "spec")))
    yield from pod_problems(pod, (*template, "spec"), bare=not template, volumes=claims)


def pod_problems(
    spec: dict[str, Any], base: Pointer, *, bare: bool = False, volumes: frozenset[str] | None = frozenset()
) -> Problems:
    """Every problem of a pod's spec.

    `bare` is a Pod of its own, which is validated more strictly.
    `volumes` are the names of volumes that its controller adds; None where that is not known.
    """
    yield from _containers(spec, base)
    if volumes is not None:
        yield from _mounts(spec, base, volumes)
    yield from _ports(spec, base)
    yield from _node_selection(spec, base)
    yield from _pod_affinity(spec, base)
    yield from _spreading(spec, base)
    yield from _gates(spec, base, bare=bare)


def _own_rules(kind: str, spec: dict[str, Any], template: Any, pointer: Pointer) -> Problems:
    pod = _mapping(_mapping(template).get("spec"))
    policy = pod.get("restartPolicy")
    where = (*pointer, "spec", "restartPolicy")
    if kind in _RUN_FOR_EVER:
        if policy is not None and policy != "Always":
            yield InvalidObject(f'unsupported value "{policy}" in a {kind}: supported values: "Always"', where, policy)
        if pod.get("activeDeadlineSeconds") is not None:
            at = (*pointer, "spec", "activeDeadlineSeconds")
            yield InvalidObject(f"activeDeadlineSeconds in {kind} is not supported", at, pod["activeDeadlineSeconds"])
        selector = spec.get("selector")
        if isinstance(selector, dict) and not any(selector.values()) and kind != "ReplicationController":
            yield InvalidObject(f"an empty selector is invalid for a {kind}", ("spec", "selector"), selector)
    if kind in ("Job", "CronJob") and policy in (None, "Always"):
        at = where if policy is not None else (*pointer, "spec")
        text = f'restartPolicy "{policy or "Always"}" is refused in a {kind}: supported values: "OnFailure", "Never"'
        yield InvalidObject(text, at, policy)
    if kind == "CronJob":
        yield from _cron_job(spec)


def _cron_job(spec: dict[str, Any]) -> Problems:
    schedule = spec.get("schedule")
    if isinstance(schedule, str) and "TZ" in schedule:
        yield InvalidObject(
            "cannot use TZ or CRON_TZ in schedule, use timeZone field instead", ("spec", "schedule"), schedule
        )
    job = _mapping(_mapping(spec.get("jobTemplate")).get("spec"))
    if job.get("selector") is not None:
        yield InvalidObject("`selector` will be auto-generated", ("spec", "jobTemplate", "spec", "selector"), None)


def _labels(value: dict[str, Any], pointer: Pointer) -> Problems:
    for key, label in _mapping(_at(value, pointer)).items():
        if not is_qualified_name(key) and not is_placeholder(key):
            yield InvalidObject(f'"{key}" is not a label key', (*pointer, key), key)
        if isinstance(label, str) and not is_label_value(label):
            yield InvalidObject(f'"{_short(label)}" is not a label value: {_LABEL_RULE}', (*pointer, key), label)


def _containers(spec: dict[str, Any], base: Pointer) -> Problems:
    names: set[str] = set()
    for pointer, container in _every_container(spec, base):
        name = container.get("name")
        if name is None:
            yield InvalidObject("name is required in a container", pointer, name)
        elif isinstance(name, str) and not is_placeholder(name):
            if name in names:
                yield InvalidObject(f'two containers are called "{name}"', (*pointer, "name"), name)
            names.add(name)
            if _LABEL.fullmatch(name) is None or len(name) > 63:
                text = f'"{_short(name)}" is not a container name: lower case letters, digits and "-", at most 63'
                yield InvalidObject(text, (*pointer, "name"), name)
        yield from _resources(_mapping(container.get("resources")), (*pointer, "resources"))


def _resources(resources: dict[str, Any], base: Pointer) -> Problems:
    limits, requests = _mapping(resources.get("limits")), _mapping(resources.get("requests"))
    for part, amounts in (("limits", limits), ("requests", requests)):
        for name in amounts:
            where = (*base, part, name)
            if (
                "/" not in name
                and name not in _STANDARD
                and not name.startswith("hugepages-")
                and not is_placeholder(name)
            ):
                yield InvalidObject(
                    f'"{name}" must be a standard resource for containers, or have a domain', where, name
                )
            elif "/" in name and "kubernetes.io/" not in name and not is_extended(name) and not is_placeholder(name):
                yield InvalidObject(f'"{name}" doesn\'t follow extended resource name standard', where, name)
    for name, amount in requests.items():
        if is_extended(name) or name not in limits:
            continue
        asked, most = _thousandths(amount), _thousandths(limits[name])
        if asked is not None and most is not None and asked > most:
            text = f"must be less than or equal to the {name} limit of {limits[name]}, not {amount}"
            yield InvalidObject(text, (*base, "requests", name), amount)


def _mounts(spec: dict[str, Any], base: Pointer, added: frozenset[str]) -> Problems:
    names: set[str] = set()
    for index, volume in enumerate(_list(spec.get("volumes"))):
        name = _mapping(volume).get("name")
        if isinstance(name, str) and name in names and not is_placeholder(name):
            yield InvalidObject(f'two volumes are called "{name}"', (*base, "volumes", index, "name"), name)
        if isinstance(name, str):
            names.add(name)
    names |= added
    if any(is_placeholder(name) for name in names):
        return
    for pointer, container in _every_container(spec, base):
        for index, mount in enumerate(_list(container.get("volumeMounts"))):
            name = _mapping(mount).get("name")
            if isinstance(name, str) and name not in names and not is_placeholder(name):
                yield InvalidObject(
                    f'there is no volume "{name}"' + (f": volumes are {', '.join(sorted(names)[:8])}" if names else ""),
                    (*pointer, "volumeMounts", index, "name"),
                    name,
                )


def _ports(spec: dict[str, Any], base: Pointer) -> Problems:
    taken: set[tuple[str, str, int]] = set()
    for index, container in enumerate(_list(spec.get("containers"))):
        for place, port in enumerate(_list(_mapping(container).get("ports"))):
            found = _mapping(port)
            host, inside = found.get("hostPort"), found.get("containerPort")
            where = (*base, "containers", index, "ports", place)
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
    for key, value in _mapping(spec.get("nodeSelector")).items():
        where = (*base, "nodeSelector", key)
        if not is_qualified_name(key) and not is_placeholder(key):
            yield InvalidObject(f'"{key}" is not a label key', where, key)
        if isinstance(value, str) and not is_label_value(value):
            yield InvalidObject(f'"{_short(value)}" is not a label value: {_LABEL_RULE}', where, value)
    required = _mapping(_mapping(_mapping(spec.get("affinity")).get("nodeAffinity")).get(_REQUIRED))
    there = _mapping(_mapping(spec.get("affinity")).get("nodeAffinity"))
    if there.get(_REQUIRED) is not None and not _list(required.get("nodeSelectorTerms")):
        where = (*base, "affinity", "nodeAffinity", _REQUIRED)
        yield InvalidObject("must have at least one node selector term", where, None)


def _pod_affinity(spec: dict[str, Any], base: Pointer) -> Problems:
    for kind in ("podAffinity", "podAntiAffinity"):
        side = _mapping(_mapping(spec.get("affinity")).get(kind))
        for when, below in ((_REQUIRED, ()), (_PREFERRED, ("podAffinityTerm",))):
            for index, entry in enumerate(_list(side.get(when))):
                term = _mapping(_at(_mapping(entry), below))
                where: Pointer = (*base, "affinity", kind, when, index, *below)
                yield from _term(term, where)


def _term(term: dict[str, Any], where: Pointer) -> Problems:
    key = term.get("topologyKey")
    if isinstance(key, str) and key and not is_qualified_name(key) and not is_placeholder(key):
        yield InvalidObject(f'"{key}" is not a label key', (*where, "topologyKey"), key)
    selector = term.get("labelSelector")
    named = _selector_keys(selector)
    both = _list(term.get("mismatchLabelKeys"))
    for field in ("matchLabelKeys", "mismatchLabelKeys"):
        for index, label in enumerate(_list(term.get(field))):
            at = (*where, field, index)
            if selector is None:
                yield InvalidObject("must not be specified when labelSelector is not set", (*where, field), None)
                break
            if label in named and field == "matchLabelKeys":
                yield InvalidObject(f"{label} exists in both matchLabelKeys and labelSelector", at, label)
            if label in both and field == "matchLabelKeys":
                yield InvalidObject(f"{label} exists in both matchLabelKeys and mismatchLabelKeys", at, label)


def _spreading(spec: dict[str, Any], base: Pointer) -> Problems:
    seen: set[tuple[str, str]] = set()
    for index, entry in enumerate(_list(spec.get("topologySpreadConstraints"))):
        found = _mapping(entry)
        where = (*base, "topologySpreadConstraints", index)
        pair = (str(found.get("topologyKey")), str(found.get("whenUnsatisfiable")))
        if pair in seen:
            text = f"another constraint has topologyKey {pair[0]} and {pair[1]}, too: the pair must be unique"
            yield InvalidObject(text, (*where, "topologyKey"), pair[0])
        seen.add(pair)
        if found.get("minDomains") is not None and pair[1] == "ScheduleAnyway":
            text = "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway"
            yield InvalidObject(text, (*where, "minDomains"), found["minDomains"])
        if found.get("matchLabelKeys") and found.get("labelSelector") is None:
            yield InvalidObject("must not be specified when labelSelector is not set", (*where, "matchLabelKeys"), None)


def _gates(spec: dict[str, Any], base: Pointer, *, bare: bool) -> Problems:
    gates = [_mapping(gate).get("name") for gate in _list(spec.get("schedulingGates"))]
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
    """The name of an object: a DNS subdomain, for a CronJob of at most 52 characters."""
    name = _mapping(value.get("metadata")).get("name")
    if not isinstance(name, str) or is_placeholder(name):
        return
    if kind == "CronJob" and len(name) > 52:
        yield InvalidObject(f"must be no more than 52 characters, not {len(name)}", ("metadata", "name"), name)
    elif not is_subdomain(name):
        text = f'"{_short(name)}" is not a name: lower case letters, digits, "-", ".", no "-" or "." at the ends'
        yield InvalidObject(text, ("metadata", "name"), name)


def quota_problems(value: dict[str, Any]) -> Problems:
    """What the API server refuses of a ResourceQuota."""
    spec = _mapping(value.get("spec"))
    for name, amount in _mapping(spec.get("hard")).items():
        where = ("spec", "hard", name)
        found = _thousandths(amount)
        if found is None:
            continue
        if found < 0:
            yield InvalidObject(f"must be greater than or equal to 0, not {amount}", where, amount)
        elif found % 1000 and (is_extended(name) or name == "pods"):
            yield InvalidObject(f"must be an integer, not {amount}", where, amount)
    scopes = _list(spec.get("scopes"))
    for one, other in (("Terminating", "NotTerminating"), ("BestEffort", "NotBestEffort")):
        if one in scopes and other in scopes:
            yield InvalidObject(f"conflicting scopes {one} and {other}", ("spec", "scopes"), None)


def _names(entries: Any, *below: str) -> frozenset[str]:
    found = (_at(entry, (*below, "name")) for entry in _list(entries))
    return frozenset(name for name in found if isinstance(name, str))


def _every_container(spec: dict[str, Any], base: Pointer) -> Iterable[tuple[Pointer, dict[str, Any]]]:
    for key in _CONTAINERS:
        for index, container in enumerate(_list(spec.get(key))):
            if isinstance(container, dict):
                yield (*base, key, index), container


def _selector_keys(selector: Any) -> set[str]:
    found = _mapping(selector)
    named = {_mapping(one).get("key") for one in _list(found.get("matchExpressions"))}
    return {key for key in (*_mapping(found.get("matchLabels")), *named) if isinstance(key, str)}


def _thousandths(value: Any) -> int | None:
    try:
        return thousandths(value)
    except QuantityError:
        return None


def _at(value: Any, pointer: Iterable[str | int]) -> Any:
    for part in pointer:
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:37] + "..."
