"""A rollout on a control plane: set up, apply, wait until it is complete or nothing moves any more, clear away."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from typing import Any

from conformance.api_client import Client, Object, Refused, collection, path_of
from conformance.kubelets import Kubelets, Pace
from conformance.rollout_case import Case, reference
from conformance.rollout_view import View, revision

QUIET = 5.0
"""Seconds without any change after which a rollout counts as stuck; the scheduler's back-off is one second."""
LONGEST = 90.0
FLUSH = 33.0
"""The scheduler tries everything that waits at least this often, in seconds: what waits then is stuck for sure."""
_POLL = 0.15
_ORDER = ("Namespace", "PriorityClass", "RuntimeClass", "StorageClass", "CSIDriver", "Node", "CSINode",
          "PersistentVolume", "PersistentVolumeClaim", "DeviceClass", "ResourceSlice", "ResourceClaimTemplate",
          "ResourceClaim", "LimitRange", "ResourceQuota", "PodDisruptionBudget", "Pod")  # fmt: skip
_ADMITTING = {"ResourceQuota", "LimitRange", "PriorityClass", "RuntimeClass", "DeviceClass", "Namespace"}
_LAST = ("Node", "PriorityClass", "RuntimeClass", "StorageClass")
_OWNED = ("ReplicaSet", "Job", "Pod", "ResourceClaim", "PersistentVolumeClaim", "PersistentVolume")


class NoStart(RuntimeError):
    """The old workloads did not all become ready: the case says nothing about a rollout."""


@dataclass(slots=True)
class Run:
    """One run of one case on one control plane; `sure` waits for the scheduler's flush before it says `stuck`."""

    client: Client
    kubelets: Kubelets
    case: Case
    inventory: tuple[Object, ...] = ()
    sure: bool = False
    view: View = field(init=False)

    def __post_init__(self) -> None:
        self.view = View(self.client, self.kubelets)

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
            before = self.view.placement()
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
            if value["kind"] == "Namespace":
                self.client.apply(value)
            else:
                _insist(self.client, value)
        self._until_settled()
        # informers of admission plugins follow a moment later
        if any(each["kind"] in _ADMITTING for each in case.inventory):
            time.sleep(0.3)
        self.kubelets.changed = time.monotonic()
        for value in case.old:
            text = self._applied(value)
            if text:
                raise NoStart(text["message"])
        _until(30, self._old_complete, "the old workloads")
        self._until_settled()
        self._meanwhile()
        self.view.old_revisions = {revision(pod) for pod in self.kubelets.pods()}
        self.inventory = tuple(self.view.as_it_is(each) for each in case.inventory)

    def _meanwhile(self) -> None:
        """Apply what waits, and change what changes before the rollout."""
        for value in self.case.pending:
            text = self._applied(value)
            if text:
                raise NoStart(text["message"])
        if self.case.pending:
            self.kubelets.changed = time.monotonic()
            _until(LONGEST, lambda: time.monotonic() - self.kubelets.changed > QUIET, "what waits")
        for value in self.case.meanwhile:
            found = _put(self.client, value)
            if value["kind"] == "Node" and "status" in value:
                found = {**found, "kind": "Node", "apiVersion": "v1", "status": value["status"]}
                self.client.request("PUT", path_of(value) + "/status", found)
        if self.case.meanwhile:
            self._until_settled(self.case.meanwhile)
            time.sleep(1.0)

    def _until_settled(self, values: tuple[Object, ...] | None = None) -> None:
        for value in self.case.inventory if values is None else values:
            _until(10, lambda value=value: self.view.settled(value), f"{value['kind']}/{value['metadata']['name']}")

    def _old_complete(self) -> bool:
        if all(self.view.complete(each) for each in self.case.old):
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

    def followed(self) -> Object:
        """Wait until every workload is complete or nothing moves any more, and say what is then."""
        workloads = self.case.workloads()
        started = changed = time.monotonic()
        seen: Any = None
        poked = 0.0
        result = "endless"
        done: dict[str, bool] = {}
        while time.monotonic() < started + LONGEST * (slow := _slowness()):
            before, done = done, {reference(each): self.view.complete(each) for each in workloads}
            now = time.monotonic()
            # a status that was written while a pod was made shows that of the moment before: it is looked at twice
            if all(done.values()) and before == done:
                result = "complete"
                break
            numbers, short = self.view.numbers(workloads)
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
            "events": self.view.events(),
            "evicted": sorted(self.view.named(pod) for pod in self.kubelets.evicted),
            "placement_after": self.view.placement(),
        }

    def _poke(self) -> None:
        """Have controllers try at once what they would try again after a back-off that doubles up to 16 minutes."""
        mark = {"metadata": {"annotations": {"conformance/poked": str(time.monotonic())}}}
        for kind in ("ReplicaSet", "StatefulSet", "DaemonSet", "Job"):
            for each in self.client.list(kind):
                self.client.request("PATCH", path_of(each), mark, "application/merge-patch+json")

    def _clear(self) -> None:
        client = self.client
        self.kubelets.begin(Pace())
        for value in (*self.case.old, *self.case.pending, *self.case.new):
            client.delete(value, propagation="Background")
        kept = ("Namespace", *_LAST, "Pod")
        for value in reversed((*self.case.inventory, *self.case.meanwhile)):
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
            if value["kind"] in _LAST:
                client.delete(value)
        for name in self.case.namespaces():
            client.request("DELETE", collection("Event", name), {"kind": "DeleteOptions", "apiVersion": "v1"})


def _slowness() -> float:
    """How much longer everything takes on a machine that others use too."""
    return max(1.0, os.getloadavg()[0] / (4 * (os.cpu_count() or 1)))


def _put(client: Client, value: Object) -> Object:
    """Replace an object as a whole, so that what it no longer has goes; create one that is not there."""
    if client.get(path_of(value)) is None:
        return client.create(value)
    return client.request("PUT", path_of(value), value)


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
