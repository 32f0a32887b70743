"""A rollout on a control plane: set up, apply, wait until it is complete or nothing moves any more, clear away."""

from __future__ import annotations

import os
import re
import time
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any

from conformance.api_client import Client, Object, Refused, collection, path_of
from conformance.kubelets import Kubelets, Pace, ready
from conformance.rollout_case import WORKLOADS, Case, reference

QUIET = 5.0
"""Seconds without any change after which a rollout counts as stuck; the scheduler's back-off is one second."""
LONGEST = 90.0
FLUSH = 33.0
"""The scheduler tries everything that waits at least this often, in seconds: what waits then is stuck for sure."""
_POLL = 0.15
_ORDER = ("Namespace", "PriorityClass", "StorageClass", "CSIDriver", "Node", "CSINode", "PersistentVolume",
          "PersistentVolumeClaim", "LimitRange", "ResourceQuota", "PodDisruptionBudget", "Pod")  # fmt: skip
_STATUS: dict[str, tuple[str, ...]] = defaultdict(
    tuple,
    Node=("allocatable", "capacity"),
    Pod=("phase",),
    PersistentVolume=("phase",),
    PersistentVolumeClaim=("phase", "accessModes", "capacity"),
    ResourceQuota=("hard", "used"),
    PodDisruptionBudget=("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"),
)
_SUFFIX = re.compile(r'pods "([^"]*)-[a-z0-9]{5}"')
_OWNED = ("ReplicaSet", "Job", "Pod")


class NoStart(RuntimeError):
    """The old workloads did not all become ready: the case says nothing about a rollout."""


@dataclass(slots=True)
class Run:
    """One run of one case on one control plane; `sure` waits for the scheduler's flush before it says `stuck`."""

    client: Client
    kubelets: Kubelets
    case: Case
    old_revisions: set[str] | None = None
    inventory: tuple[Object, ...] = ()
    sure: bool = False

    def outcome(self, pace: Pace) -> Object:
        """What happened, as it is recorded.

        Raises:
            NoStart: it was no rollout.
            Refused: the API server refused something that had to be there before.
        """
        self.kubelets.begin(Pace())
        try:
            self._prepare()
            self.kubelets.begin(pace)
            before = self._placement()
            refusals = [text for each in self.case.new if (text := self._applied(each))]
            found: Object = {"outcome": "refused", "events": refusals} if refusals else self.followed()
            found["placement_before"] = before
            return found
        finally:
            self._clear()

    def repaired(self, fixed: tuple[Object, ...]) -> Object:
        """Let the rollout get stuck, replace the manifests by others, and see what becomes of it.

        Raises:
            NoStart: it was no rollout, or it did not get stuck.
            Refused: the API server refused something that had to be there before, or the repair.
        """
        self.kubelets.begin(Pace())
        try:
            self._prepare()
            for each in self.case.new:
                self._applied(each)
            first = self.followed()
            if first["outcome"] != "stuck":
                raise NoStart("it did not get stuck")
            for each in fixed:
                self.client.request("PUT", path_of(each), each)
            return {"stuck": first, "repaired": self.followed()}
        finally:
            self._clear()

    def _prepare(self) -> None:
        case = self.case
        for name in case.namespaces():
            if self.client.get(f"/api/v1/namespaces/{name}") is None:
                self.client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        for value in sorted(case.inventory, key=lambda each: _ORDER.index(each["kind"])):
            _insist(self.client, value)
        self._until_settled()
        # informers of admission plugins follow a moment later
        if any(each["kind"] in {"ResourceQuota", "LimitRange", "PriorityClass"} for each in case.inventory):
            time.sleep(0.3)
        self.kubelets.changed = time.monotonic()
        for value in case.old:
            text = self._applied(value)
            if text:
                raise NoStart(text["message"])
        _until(30, self._old_complete, "the old workloads")
        self._until_settled()
        self.old_revisions = {_revision(pod) for pod in self.kubelets.pods()}
        self.inventory = tuple(self._as_it_is(each) for each in case.inventory)

    def _until_settled(self) -> None:
        for value in self.case.inventory:
            _until(10, lambda value=value: self._settled(value), f"{value['kind']}/{value['metadata']['name']}")

    def _old_complete(self) -> bool:
        if all(self._complete(each) for each in self.case.old):
            return True
        if time.monotonic() - self.kubelets.changed > QUIET:
            raise NoStart("the old workloads do not all fit")
        return False

    def _applied(self, value: Object) -> Object | None:
        """The refusal, when there is one."""
        until = time.monotonic() + 3
        while True:
            try:
                self.client.apply(value)
            except Refused as refused:
                message = refused.status.get("message", "")
                if "no PriorityClass" in message and time.monotonic() < until:
                    time.sleep(0.1)
                    continue
                return {"object": reference(value), "reason": "Refused", "message": message}
            return None

    def _settled(self, value: Object) -> bool:
        """Whether controllers have said about an object what others read from it."""
        kind = value["kind"]
        if kind == "Pod":
            found = self.client.get(path_of(value))
            return found is not None and ready(found)
        if kind == "PersistentVolumeClaim" and value["spec"].get("volumeName"):
            found = self.client.get(path_of(value))
            return found is not None and (found.get("status") or {}).get("phase") == "Bound"
        if kind == "ResourceQuota":
            found = self.client.get(path_of(value)) or {}
            status = found.get("status") or {}
            used = [
                pod for pod in self.kubelets.pods() if pod["metadata"]["namespace"] == value["metadata"]["namespace"]
            ]
            counted = (status.get("used") or {}).get("pods")
            return set(status.get("hard") or ()) == set(value["spec"]["hard"]) and counted in {None, str(len(used))}
        if kind == "PodDisruptionBudget":
            found = self.client.get(path_of(value)) or {}
            status = found.get("status") or {}
            return bool(status.get("observedGeneration", 0) >= found.get("metadata", {}).get("generation", 1) > 0)
        return True

    def _as_it_is(self, value: Object) -> Object:
        """An object of the inventory as the API server shows it now, without what differs from run to run."""
        found = self.client.get(path_of(value)) or {}
        metadata = found.get("metadata") or {}
        kept = ("name", "namespace", "labels", "annotations")
        pruned = {
            "apiVersion": value["apiVersion"],
            "kind": value["kind"],
            "metadata": {key: metadata[key] for key in kept if key in metadata},
            **{key: found[key] for key in sorted(found) if key not in {"apiVersion", "kind", "metadata", "status"}},
        }
        status = {key: each for key, each in (found.get("status") or {}).items() if key in _STATUS[value["kind"]]}
        if isinstance(pruned.get("spec"), dict):
            pruned["spec"] = {key: each for key, each in pruned["spec"].items() if key != "tolerations" or each}
            if "claimRef" in pruned["spec"]:
                claim = pruned["spec"]["claimRef"]
                pruned["spec"]["claimRef"] = {key: claim[key] for key in ("name", "namespace") if key in claim}
        return {**pruned, "status": status} if status else pruned

    def _complete(self, value: Object) -> bool:
        """Whether a workload has all its pods, all of its last template, and no other."""
        if value["kind"] not in WORKLOADS:
            return True
        found = self.client.get(path_of(value))
        if found is None:
            return False
        spec, status = found["spec"], found.get("status") or {}
        if value["kind"] == "Job":
            return any(
                each["type"] == "Complete" and each["status"] == "True" for each in status.get("conditions") or ()
            )
        if status.get("observedGeneration", 0) < found["metadata"].get("generation", 1):
            return False
        if value["kind"] == "DaemonSet":
            wanted = status.get("desiredNumberScheduled", 0)
            on_delete = spec["updateStrategy"]["type"] == "OnDelete"
            updated = on_delete or status.get("updatedNumberScheduled", 0) == wanted
            alone = status.get("numberMisscheduled", 0) == 0
            return bool(updated and alone and status.get("numberAvailable", 0) == wanted)
        wanted = spec["replicas"]
        if value["kind"] == "StatefulSet":
            partition = ((spec.get("updateStrategy") or {}).get("rollingUpdate") or {}).get("partition") or 0
            updated = status.get("updatedReplicas", 0) >= max(0, wanted - partition)
            on_delete = spec["updateStrategy"]["type"] == "OnDelete"
            there = status.get("availableReplicas", 0) == wanted == status.get("replicas", 0)
            return bool(there and (updated or on_delete))
        numbers = ("replicas", "updatedReplicas", "availableReplicas")
        return all(status.get(name, 0) == wanted for name in numbers)

    def followed(self) -> Object:
        """Wait until every workload is complete or nothing moves any more, and say what is then."""
        workloads = self.case.workloads()
        started = changed = time.monotonic()
        seen: Any = None
        poked = 0.0
        result = "endless"
        done: dict[str, bool] = {}
        while time.monotonic() < started + LONGEST * (slow := _slowness()):
            done = {reference(each): self._complete(each) for each in workloads}
            now = time.monotonic()
            if all(done.values()):
                result = "complete"
                break
            numbers, short = self._numbers()
            if numbers != seen:
                seen, changed = numbers, now
            last = max(changed, self.kubelets.changed)
            if now - last > QUIET * slow + (FLUSH if self.sure and not poked else 0):
                if short and poked < last:
                    self._poke()
                    poked = changed = now
                    continue
                result = "stuck"
                break
            time.sleep(_POLL)
        time.sleep(0.1)
        return {
            "outcome": result,
            "workloads": {name: "complete" if is_done else "stuck" for name, is_done in sorted(done.items())},
            "events": self._events(),
            "evicted": sorted(self._named(pod) for pod in self.kubelets.evicted),
            "placement_after": self._placement(),
        }

    def _poke(self) -> None:
        """Have controllers try at once what they would try again after a back-off that doubles up to 16 minutes."""
        mark = {"metadata": {"annotations": {"conformance/poked": str(time.monotonic())}}}
        for kind in ("ReplicaSet", "StatefulSet", "DaemonSet", "Job"):
            for each in self.client.list(kind):
                self.client.request("PATCH", path_of(each), mark, "application/merge-patch+json")

    def _numbers(self) -> tuple[Any, bool]:
        """What controllers have written, and whether one of them fails to create pods."""
        found = []
        short = False
        for kind in sorted({each["kind"] for each in self.case.workloads()} | {"ReplicaSet"}):
            for each in self.client.list(kind):
                status = {key: value for key, value in (each.get("status") or {}).items() if isinstance(value, int)}
                found.append((kind, each["metadata"]["name"], each["spec"].get("replicas"), sorted(status.items())))
                if kind == "ReplicaSet":
                    short |= status.get("replicas", 0) < each["spec"].get("replicas", 0)
                elif kind != "Deployment":
                    wanted = each["spec"].get("replicas", each["spec"].get("parallelism", 0))
                    short |= status.get("replicas", status.get("active", 0)) < wanted
        return found, short

    def _events(self) -> list[Object]:
        """Why pods wait and why pods are not created, each text once."""
        found = set()
        for pod in self.kubelets.pods():
            for each in (pod.get("status") or {}).get("conditions") or ():
                if each["type"] == "PodScheduled" and each["status"] == "False":
                    found.add((self._named(pod), "FailedScheduling", each.get("message", "")))
        for kind in ("ReplicaSet", "StatefulSet", "DaemonSet", "Job"):
            for event in self.client.list("Event", fieldSelector=f"involvedObject.kind={kind},reason=FailedCreate"):
                involved = event["involvedObject"]
                text = _SUFFIX.sub(r'pods "\1-*"', event["message"].replace("(combined from similar events): ", ""))
                found.add((f"{kind}/{involved['namespace']}/{involved['name']}", "FailedCreate", text))
        return [{"object": a, "reason": b, "message": c} for a, b, c in sorted(found)]

    def _placement(self) -> list[Object]:
        """Where pods are, pods of one revision in one phase on one node counted together."""
        counted: Counter[tuple[str, str, str]] = Counter()
        for pod in self.kubelets.pods():
            status = pod.get("status") or {}
            phase = "ready" if ready(pod) else "starting" if pod["spec"].get("nodeName") else "pending"
            if pod["metadata"].get("deletionTimestamp"):
                phase = "terminating"
            if status.get("phase") in {"Succeeded", "Failed"}:
                phase = "finished"
            counted[self._named(pod), pod["spec"].get("nodeName") or "", phase] += 1
        return [{"of": a, "node": b, "phase": c, "count": n} for (a, b, c), n in sorted(counted.items())]

    def _named(self, pod: Object) -> str:
        """`Deployment/ns/name new`, `StatefulSet/ns/name old name-0`, `Pod/ns/name`."""
        metadata = pod["metadata"]
        namespace = metadata["namespace"]
        owner = next((each for each in metadata.get("ownerReferences") or () if each.get("controller")), None)
        if owner is None:
            return f"Pod/{namespace}/{metadata['name']}"
        kind, name = owner["kind"], owner["name"]
        age = "old" if self.old_revisions is None or _revision(pod) in self.old_revisions else "new"
        if kind == "ReplicaSet":
            return f"Deployment/{namespace}/{name.rsplit('-', 1)[0]} {age}"
        if kind == "StatefulSet":
            return f"{kind}/{namespace}/{name} {age} {metadata['name']}"
        return f"{kind}/{namespace}/{name} {age}"

    def _clear(self) -> None:
        client = self.client
        self.kubelets.begin(Pace())
        for value in (*self.case.old, *self.case.new):
            client.delete(value, propagation="Background")
        kept = ("Namespace", "Node", "PriorityClass", "StorageClass", "Pod")
        for value in reversed(self.case.inventory):
            if value["kind"] not in kept:
                client.delete(value)
        until = time.monotonic() + 30
        while time.monotonic() < until:
            left = [(kind, each) for kind in _OWNED for each in client.list(kind)]
            for kind, each in left:
                client.delete({**each, "kind": kind}, grace=0 if kind == "Pod" else None, propagation="Background")
            if not left and not self.kubelets.pods():
                break
            time.sleep(0.1)
        for value in self.case.inventory:
            if value["kind"] in {"Node", "PriorityClass", "StorageClass"}:
                client.delete(value)
        for name in self.case.namespaces():
            client.request("DELETE", collection("Event", name), {"kind": "DeleteOptions", "apiVersion": "v1"})


def _slowness() -> float:
    """How much longer everything takes on a machine that others use too."""
    return max(1.0, os.getloadavg()[0] / (4 * (os.cpu_count() or 1)))


def _revision(pod: Object) -> str:
    labels = pod["metadata"].get("labels") or {}
    owners = pod["metadata"].get("ownerReferences") or ()
    owner = owners[0]["uid"] if owners and owners[0]["kind"] == "Job" else ""
    return labels.get("controller-revision-hash") or labels.get("pod-template-hash") or owner


def _insist(client: Client, value: Object) -> None:
    """Create an object; an admission plugin may learn a moment late what it needs for that."""
    until = time.monotonic() + 5
    while True:
        try:
            client.create(value)
        except Refused as refused:
            if refused.code in {403, 409} and time.monotonic() < until:
                time.sleep(0.1)
                continue
            raise
        return


def _until(seconds: float, holds: Any, what: str) -> None:
    until = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > until:
            raise NoStart(f"not ready in {seconds:g} s: {what}")
        time.sleep(_POLL)
