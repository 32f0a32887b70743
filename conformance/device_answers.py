"""What the linter's core says about recorded pods with claims, beside what a running cluster did with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from conformance.api_client import Object

if TYPE_CHECKING:
    from kubelint_gpu.kube.objects.pod import Pod
    from kubelint_gpu.scheduler import Snapshot

_KINDS = {
    "nodes": "Node",
    "namespaces": "Namespace",
    "deviceClasses": "DeviceClass",
    "resourceSlices": "ResourceSlice",
    "resourceClaims": "ResourceClaim",
    "pods": "Pod",
}


def foretold(scenario: Object, version: str) -> Object:
    """What the scheduler shall answer: `fits`, and `message` where it answers anything and the pod fits nowhere.

    `anyOf` holds each of the texts where a node that is tried at random decides which.
    """
    from kubelint_gpu.scheduler import attempt

    pod, snapshot = _asked(scenario, version)
    found = attempt(pod, snapshot)
    if found.fit is not None and found.fit.schedulable:
        return {"fits": list(found.fit.fits)}
    return {"fits": [], **({"message": found.message} if found.message else {})}


def _asked(scenario: Object, version: str) -> tuple[Pod, Snapshot]:
    from kubelint_gpu.scheduler import Snapshot, read_cluster, read_pod

    objects = [{"kind": kind, **each} for key, kind in _KINDS.items() for each in scenario.get(key) or ()]
    return read_pod(scenario["pod"]), Snapshot.of(read_cluster(objects, version=version, complete=True))


def disagreement(record: Object) -> str:
    """Where the core disagrees with a recorded answer; empty where it does not."""
    expect = foretold(record["scenario"], record["kubernetes"])
    if "node" not in record:
        said = expect.get("message") if not expect["fits"] else f"fits {', '.join(expect['fits'])}"
        seen = record.get("message")
        return "" if said == seen else f"the scheduler says {seen}, the linter {said}"
    if record["node"] not in expect["fits"]:
        return f"the scheduler takes {record['node']}, the linter says {expect.get('message')}"
    possible = _devices(record)
    if record.get("devices", []) not in possible:
        return f"the scheduler takes {record.get('devices')} on {record['node']}, the linter one of {possible}"
    return ""


def _devices(record: Object) -> list[list[str]]:
    """The devices that the pod may have on the node where it is, in each way in which it may get them."""
    from kubelint_gpu.scheduler.attempt import reservations

    pod, snapshot = _asked(record["scenario"], record["kubernetes"])
    held = {each["metadata"]["name"]: each for each in record["scenario"]["resourceClaims"] if each.get("status")}
    named = {each["resourceClaimName"] for each in record["scenario"]["pod"]["spec"].get("resourceClaims") or ()}
    had = [
        f"{one['driver']}/{one['pool']}/{one['device']}"
        for name, claim in held.items()
        if name in named
        for one in claim["status"]["allocation"]["devices"]["results"]
    ]
    found = []
    for way in reservations(pod, snapshot, record["node"]):
        new = [
            str(one.id) for key, given in way.allocations if key.partition("/")[2] not in held for one in given.devices
        ]
        found.append(sorted([*had, *new]))
    return found


def compared(records: Sequence[Object]) -> tuple[Counter[str], list[str]]:
    """How often the core agrees, and each scenario about which it does not."""
    counts: Counter[str] = Counter()
    wrong = []
    for record in records:
        counts["scheduled" if "node" in record else "waits, as an event says" if "message" in record else "waits"] += 1
        if text := disagreement(record):
            wrong.append(f"{record['id']} ({record['kubernetes']}): {text}")
    return counts, wrong
