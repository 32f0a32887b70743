"""Kubelets without containers: what is bound becomes ready, what is deleted goes away, each after a while."""

from __future__ import annotations

import contextlib
import heapq
import random
import threading
import time
from dataclasses import dataclass
from typing import Any

from conformance.api_client import Client, Object, Refused, collection

_NOW = "%Y-%m-%dT%H:%M:%SZ"


@dataclass(frozen=True, slots=True)
class Pace:
    """How long a kubelet takes, in seconds, each time a random part of it.

    Attributes:
        seed: makes the sequence of delays the same again.
        ready: at most this long from bound to ready.
        gone: at most this long from deletion to gone.
        finish: from ready to succeeded, for the pods of Jobs.
    """

    seed: int = 0
    ready: float = 0.0
    gone: float = 0.0
    finish: float = 0.3


class Kubelets:
    """All kubelets of one control plane: a thread that follows the pods and one that acts when their time has come."""

    def __init__(self, client: Client, *, active: bool = True) -> None:
        self._client = client
        self._stopped = threading.Event()
        self._lock = threading.Condition()
        self._due: list[tuple[float, int, str, str]] = []
        self._planned: set[tuple[str, str]] = set()
        self._count = 0
        self._pace = Pace()
        self._random = random.Random(0)
        self._pods: dict[str, Object] = {}
        self.changed = time.monotonic()
        self.evicted: list[Object] = []
        for work in (self._follow, self._act) if active else ():
            threading.Thread(target=work, daemon=True).start()

    def begin(self, pace: Pace) -> None:
        """Take up another pace, for pods that come from now on."""
        with self._lock:
            self._pace, self._random = pace, random.Random(pace.seed)
            self.evicted = []
            self._planned.clear()
            self._due.clear()

    def stop(self) -> None:
        """End both threads."""
        self._stopped.set()
        with self._lock:
            self._lock.notify_all()

    def pods(self) -> list[Object]:
        """The pods that there are now."""
        with self._lock:
            return list(self._pods.values())

    def _follow(self) -> None:
        for event, value in self._client.watch(collection("Pod"), self._stopped):
            with self._lock:
                if event == "LISTED":
                    self._pods = {item["metadata"]["uid"]: item for item in value.get("items") or ()}
                    for pod in list(self._pods.values()):
                        self._plan(pod)
                elif event == "DELETED":
                    self._pods.pop(value["metadata"]["uid"], None)
                    self.changed = time.monotonic()
                    self._retry_volumes()
                else:
                    before = self._pods.get(value["metadata"]["uid"])
                    if _preempted(value) and (before is None or not _preempted(before)):
                        self.evicted.append(value)
                    self._pods[value["metadata"]["uid"]] = value
                    if before is None or _essence(before) != _essence(value):
                        self.changed = time.monotonic()
                    self._plan(value)
                self._lock.notify_all()

    def _plan(self, pod: Object) -> None:
        metadata, spec, status = pod["metadata"], pod["spec"], pod.get("status") or {}
        if not spec.get("nodeName"):
            return
        if metadata.get("deletionTimestamp"):
            self._at(self._random.uniform(0, self._pace.gone), metadata["uid"], "gone")
        elif status.get("phase", "Pending") == "Pending":
            self._at(self._random.uniform(0, self._pace.ready), metadata["uid"], "ready")
        elif status.get("phase") == "Running" and _owner_kind(pod) == "Job":
            self._at(self._pace.finish, metadata["uid"], "finish")

    def _at(self, delay: float, uid: str, what: str) -> None:
        if (uid, what) not in self._planned:
            self._planned.add((uid, what))
            self._count += 1
            heapq.heappush(self._due, (time.monotonic() + delay, self._count, uid, what))

    def _retry_volumes(self) -> None:
        for pod in self._pods.values():
            uid = pod["metadata"]["uid"]
            if (uid, "waits") in self._planned:
                self._planned -= {(uid, "waits"), (uid, "ready")}
                self._at(0.0, uid, "ready")

    def _act(self) -> None:
        while not self._stopped.is_set():
            with self._lock:
                now = time.monotonic()
                if not self._due or self._due[0][0] > now:
                    self._lock.wait(min(1.0, self._due[0][0] - now) if self._due else 1.0)
                    continue
                _, _, uid, what = heapq.heappop(self._due)
                pod = self._pods.get(uid)
                if pod is None or (what != "gone" and pod["metadata"].get("deletionTimestamp")):
                    continue
                if what == "ready" and self._attached_elsewhere(pod):
                    self._planned.add((uid, "waits"))
                    continue
            with contextlib.suppress(Refused, OSError):
                if what == "gone":
                    self._client.delete({"kind": "Pod", **pod}, grace=0, uid=uid)
                else:
                    self._client.patch_status({"kind": "Pod", **pod}, _status(pod, what))

    def _attached_elsewhere(self, pod: Object) -> bool:
        """Whether a claim of the pod, marked as of one node at a time, is used by a pod on another node."""
        wanted = _claims(pod)
        if not wanted:
            return False
        node, namespace = pod["spec"]["nodeName"], pod["metadata"]["namespace"]
        return any(
            other["spec"].get("nodeName") not in {None, "", node}
            and other["metadata"]["namespace"] == namespace
            and (other.get("status") or {}).get("phase") not in {"Succeeded", "Failed"}
            and wanted & _claims(other)
            for other in self._pods.values()
        )


def _claims(pod: Object) -> set[str]:
    """Claims whose volume attaches to one node at a time: those of the suites are named `rwo-…`."""
    volumes = pod["spec"].get("volumes") or ()
    names = (volume.get("persistentVolumeClaim", {}).get("claimName", "") for volume in volumes)
    return {name for name in names if name.startswith("rwo-")}


def _owner_kind(pod: Object) -> str:
    owners = pod["metadata"].get("ownerReferences") or ()
    return next((owner["kind"] for owner in owners if owner.get("controller")), "")


def _essence(pod: Object) -> tuple[Any, ...]:
    """What a change of is progress; conditions of a pod that does not fit are rewritten without any."""
    status = pod.get("status") or {}
    return (
        pod["spec"].get("nodeName"),
        status.get("phase"),
        bool(pod["metadata"].get("deletionTimestamp")),
        status.get("nominatedNodeName"),
        ready(pod),
    )


def ready(pod: Object) -> bool:
    """Whether a pod says that it is ready."""
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)


def _preempted(pod: Object) -> bool:
    """Whether the scheduler has marked the pod as one that it evicts for another."""
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return any(
        each["type"] == "DisruptionTarget" and each.get("reason") == "PreemptionByScheduler" for each in conditions
    )


def _status(pod: Object, what: str) -> Object:
    now = time.strftime(_NOW, time.gmtime())
    kept = [each for each in (pod.get("status") or {}).get("conditions") or () if each["type"] == "PodScheduled"]
    true = "True" if what == "ready" else "False"
    state: Object = {"running": {"startedAt": now}}
    if what == "finish":
        state = {"terminated": {"exitCode": 0, "reason": "Completed", "startedAt": now, "finishedAt": now}}
    return {
        "phase": "Running" if what == "ready" else "Succeeded",
        "startTime": now,
        "conditions": [
            *kept,
            *({"type": kind, "status": true, "lastTransitionTime": now} for kind in ("ContainersReady", "Ready")),
            {"type": "Initialized", "status": "True", "lastTransitionTime": now},
        ],
        "containerStatuses": [
            {
                "name": container["name"],
                "image": container.get("image", ""),
                "imageID": "",
                "ready": what == "ready",
                "restartCount": 0,
                "state": state,
            }
            for container in pod["spec"]["containers"]
        ],
    }
