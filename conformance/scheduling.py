"""Recorded scheduler scenarios set up in a live cluster: does the pod's own condition say what was recorded?"""

from __future__ import annotations

import contextlib
import json
import lzma
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conformance.api_client import Client, Object, Refused, path_of
from conformance.device_objects import DEVICES

_KINDS = (
    ("storageClasses", "StorageClass", "storage.k8s.io/v1"),
    ("nodes", "Node", "v1"),
    ("pvs", "PersistentVolume", "v1"),
    ("pvcs", "PersistentVolumeClaim", "v1"),
    ("pdbs", "PodDisruptionBudget", "policy/v1"),
    ("deviceClasses", "DeviceClass", DEVICES),
    ("resourceSlices", "ResourceSlice", DEVICES),
    ("resourceClaimTemplates", "ResourceClaimTemplate", DEVICES),
    ("resourceClaims", "ResourceClaim", DEVICES),
)
_FINALIZED = ("PersistentVolume", "PersistentVolumeClaim", "ResourceClaim")
_BARE: Object = {"metadata": {"finalizers": None}}
_PATIENCE, _LONG_PATIENCE = 4.0, 20.0
_SETTLE = 0.25


class Unlike(ValueError):
    """A scenario that no API server would hold."""


def scenarios(folder: Path, version: str, each: int) -> Iterator[tuple[str, Object]]:
    """Every n-th scenario of each family recorded from a release so that there are `each`, with the family's name."""
    families: dict[str, list[Object]] = defaultdict(list)
    for path in sorted(folder.rglob("*.jsonl.xz")):
        with lzma.open(path, "rt", encoding="utf-8") as file:
            for record in map(json.loads, file):
                if record["kubernetes"] == version and not _unlike(record["scenario"]):
                    families[record["id"].partition("-")[0]].append(record)
    for name, records in sorted(families.items()):
        step = max(1, len(records) // each)
        for record in records[::step][:each]:
            yield name, record


def _unlike(scenario: Object) -> bool:
    """Whether an API server would change the incoming pod, by merging label keys into its affinity, or it has claims.

    Claims are played by the suite `devices`, with objects that an API server takes.
    """
    affinity = scenario["pod"]["spec"].get("affinity") or {}
    return "resourceClaims" in scenario or "atchLabelKeys" in json.dumps(affinity)


def live(client: Client, record: Object, lasting: float = 0.0) -> Object:
    """Set the scenario up, create the pod, and say where it went or why not, until it is as recorded or time is up.

    That a pod waits has to be as recorded for so many seconds.
    """
    scenario, expect = record["scenario"], record["expect"]
    created: list[Object] = []
    try:
        _set_up(client, scenario, created)
        time.sleep(_SETTLE)
        pod = _pod(client, scenario["pod"])
        _create(client, pod, created)
        started = since = time.monotonic()
        while True:
            found = _answer(client, scenario, pod)
            agrees, now = _agrees(found, expect), time.monotonic()
            since = since if agrees else now
            # an attempt that fails is made anew, also where another order of pools lets it succeed
            patience = _LONG_PATIENCE if str(found.get("message", "")).startswith("running ") else _PATIENCE
            if (agrees and ("node" in found or now - since >= lasting)) or now - started > patience + lasting:
                return {"id": record["id"], **found, "agrees": agrees}
            time.sleep(0.05)
    finally:
        _clear(client, created)


def _set_up(client: Client, scenario: Object, created: list[Object]) -> None:
    for each in scenario["namespaces"]:
        client.apply({"apiVersion": "v1", "kind": "Namespace", **each})
    used = {
        each["metadata"].get("namespace", "default")
        for key in ("pods", "pvcs", "pdbs")
        for each in scenario.get(key) or ()
    }
    for name in sorted(used | {scenario["pod"]["metadata"].get("namespace", "default")}):
        if client.get(f"/api/v1/namespaces/{name}") is None:
            client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    for key, kind, version in _KINDS:
        for each in scenario.get(key) or ():
            value = {"apiVersion": version, "kind": kind, **_without_uid(each)}
            if kind == "PersistentVolumeClaim" and "volumeName" in value["spec"]:
                value["metadata"].setdefault("annotations", {}).setdefault("pv.kubernetes.io/bind-completed", "yes")
            _create(client, value, created)
            if kind == "PodDisruptionBudget":
                numbers = {"currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0}
                client.patch_status(value, {**numbers, **(each.get("status") or {})})
            elif kind.startswith("PersistentVolume"):
                client.patch_status(value, each.get("status") or {"phase": "Bound"})
    for each in scenario["pods"]:
        value = _pod(client, each)
        _create(client, value, created)
        status = {"phase": "Running", **(each.get("status") or {})}
        client.patch_status(value, status)
        if each["metadata"].get("deletionTimestamp"):
            client.delete(value, grace=600)
    for each in scenario.get("resourceClaims") or ():
        if each.get("status"):
            value = {"apiVersion": DEVICES, "kind": "ResourceClaim", **_without_uid(each)}
            client.patch_status(value, _with_uids(client, each))


def _with_uids(client: Client, claim: Object) -> Object:
    """The status of a claim, reserved for the pods that now have the names of those that it is reserved for."""
    status: Object = claim["status"]
    users = []
    for user in status.get("reservedFor") or ():
        metadata = {"name": user["name"], "namespace": claim["metadata"].get("namespace", "default")}
        pod = client.get(path_of({"kind": "Pod", "metadata": metadata})) or {}
        users.append({**user, "uid": pod.get("metadata", {}).get("uid") or user["uid"]})
    return {**status, "reservedFor": users} if users else status


def _create(client: Client, value: Object, created: list[Object]) -> None:
    until = time.monotonic() + 3
    while True:
        try:
            client.create(value)
        except Refused as refused:
            late = refused.code == 403 and "PriorityClass" in str(refused)
            if (late or refused.code == 409) and time.monotonic() < until:
                time.sleep(0.05)
                continue
            if refused.code in {400, 403, 422}:
                raise Unlike(str(refused)) from refused
            raise
        created.append(value)
        return


def _pod(client: Client, value: Object) -> Object:
    """The pod with a class that gives it its priority, as admission insists on."""
    spec = dict(value["spec"])
    priority, policy = spec.pop("priority", 0), spec.pop("preemptionPolicy", "PreemptLowerPriority")
    if (priority or policy == "Never") and not spec.get("priorityClassName"):
        name = f"p{priority}{'-never' if policy == 'Never' else ''}".replace("p-", "minus-")
        spec["priorityClassName"] = name
        found = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}}
        if client.get(path_of(found)) is None:
            _create(client, {**found, "value": priority, "preemptionPolicy": policy}, [])
    return {"apiVersion": "v1", "kind": "Pod", **_without_uid(value), "spec": spec}


def _without_uid(value: Object) -> Object:
    drop = {"uid", "deletionTimestamp", "creationTimestamp", "resourceVersion"}
    metadata = {key: each for key, each in value["metadata"].items() if key not in drop}
    return {**value, "metadata": metadata}


def _answer(client: Client, scenario: Object, pod: Object) -> Object:
    found = client.get(path_of(pod)) or {}
    status = found.get("status") or {}
    answer: Object = {}
    if (found.get("spec") or {}).get("nodeName"):
        answer["node"] = found["spec"]["nodeName"]
    for each in scenario.get("pvcs") or ():
        # nobody provisions the volume: the claim says which node the scheduler has chosen
        claim = client.get(path_of({"kind": "PersistentVolumeClaim", **each})) or {}
        chosen = claim.get("metadata", {}).get("annotations", {}).get("volume.kubernetes.io/selected-node")
        if chosen and "node" not in answer:
            answer["node"] = chosen
    if "node" in answer and (taken := _taken(client, found)):
        answer["devices"] = taken
    for each in status.get("conditions") or ():
        if each["type"] == "PodScheduled" and each["status"] == "False":
            answer["message"] = each.get("message", "")
    if status.get("nominatedNodeName"):
        answer["nominated"] = status["nominatedNodeName"]
        answer["victims"] = sorted(
            each["metadata"]["name"]
            for each in client.list("Pod")
            if any(c["type"] == "DisruptionTarget" for c in (each.get("status") or {}).get("conditions") or ())
        )
    return answer


def _taken(client: Client, pod: Object) -> list[str]:
    """The devices of a pod's claims."""
    names = [each["resourceClaimName"] for each in pod["spec"].get("resourceClaims") or ()]
    extended = (pod["status"].get("extendedResourceClaimStatus") or {}).get("resourceClaimName")
    taken = []
    for name in (*names, *([extended] if extended else ())):
        metadata = {"name": name, "namespace": pod["metadata"]["namespace"]}
        claim = client.get(path_of({"kind": "ResourceClaim", "metadata": metadata})) or {}
        results = ((claim.get("status") or {}).get("allocation") or {}).get("devices", {}).get("results") or ()
        taken += [f"{each['driver']}/{each['pool']}/{each['device']}" for each in results]
    return sorted(taken)


def _agrees(found: Object, expect: Object) -> bool:
    if expect["fits"]:
        return found.get("node") in expect["fits"]
    if found.get("message") != expect.get("message"):
        return False
    choices: list[Any] = expect.get("anyOf") or [
        {key: expect[key] for key in ("nominated", "victims") if key in expect}
    ]
    seen = {key: found[key] for key in ("nominated", "victims") if key in found}
    wanted = [{key: each[key] for key in ("nominated", "victims") if each.get(key)} for each in choices]
    return seen in wanted


def _clear(client: Client, created: list[Object]) -> None:
    for value in reversed(created):
        with contextlib.suppress(Refused):
            if value["kind"] in _FINALIZED or value["metadata"].get("finalizers"):
                client.request("PATCH", path_of(value), _BARE, "application/merge-patch+json")
        client.delete(value, grace=0 if value["kind"] == "Pod" else None)
    until = time.monotonic() + 5
    while time.monotonic() < until and client.list("Pod"):
        for each in client.list("Pod"):
            client.delete(each, grace=0)
        time.sleep(0.05)
    if any(value["apiVersion"] == DEVICES for value in created):
        # the scheduler makes claims for extended resources, and nobody here takes its finalizers away
        for each in client.list("ResourceClaim"):
            with contextlib.suppress(Refused):
                client.request("PATCH", path_of(each), _BARE, "application/merge-patch+json")
            client.delete(each)
