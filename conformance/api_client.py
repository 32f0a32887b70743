"""The API server over HTTPS, as little of it as the suites need."""

from __future__ import annotations

import http.client
import json
import ssl
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

Object = dict[str, Any]

_PLURALS = {
    "Node": "nodes", "Namespace": "namespaces", "Pod": "pods", "Event": "events", "Service": "services",
    "ResourceQuota": "resourcequotas", "LimitRange": "limitranges", "PersistentVolume": "persistentvolumes",
    "PersistentVolumeClaim": "persistentvolumeclaims", "PriorityClass": "priorityclasses",
    "PodDisruptionBudget": "poddisruptionbudgets", "StorageClass": "storageclasses", "CSINode": "csinodes",
    "CSIDriver": "csidrivers", "RuntimeClass": "runtimeclasses", "Deployment": "deployments",
    "ReplicaSet": "replicasets", "StatefulSet": "statefulsets", "DaemonSet": "daemonsets", "Job": "jobs",
    "CronJob": "cronjobs", "ConfigMap": "configmaps", "ControllerRevision": "controllerrevisions",
    "DeviceClass": "deviceclasses", "ResourceSlice": "resourceslices", "ResourceClaim": "resourceclaims",
    "ResourceClaimTemplate": "resourceclaimtemplates", "HorizontalPodAutoscaler": "horizontalpodautoscalers",
    "PodTemplate": "podtemplates", "ReplicationController": "replicationcontrollers",
    "ServiceAccount": "serviceaccounts", "Secret": "secrets",
}  # fmt: skip
_CLUSTER_SCOPED = frozenset(
    {"Node", "Namespace", "PersistentVolume", "PriorityClass", "StorageClass", "CSINode", "CSIDriver", "RuntimeClass",
     "DeviceClass", "ResourceSlice"}
)  # fmt: skip
_GROUPS = {
    "Deployment": "apps/v1", "ReplicaSet": "apps/v1", "StatefulSet": "apps/v1", "DaemonSet": "apps/v1",
    "ControllerRevision": "apps/v1", "Job": "batch/v1", "CronJob": "batch/v1", "PodDisruptionBudget": "policy/v1",
    "PriorityClass": "scheduling.k8s.io/v1", "RuntimeClass": "node.k8s.io/v1", "StorageClass": "storage.k8s.io/v1",
    "DeviceClass": "resource.k8s.io/v1", "ResourceSlice": "resource.k8s.io/v1", "ResourceClaim": "resource.k8s.io/v1",
    "ResourceClaimTemplate": "resource.k8s.io/v1",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where an API server listens and what proves who asks."""

    port: int
    token: str
    authority: str


class Refused(RuntimeError):
    """The API server answered with an error.

    Attributes:
        code: the HTTP status.
        status: the `Status` object, with `details.causes` where validation failed.
    """

    def __init__(self, code: int, status: Object) -> None:
        self.code = code
        self.status = status
        super().__init__(f"{code} {status.get('message', '')}")

    def answer(self) -> Object:
        """What it said, as recordings keep it."""
        causes = (self.status.get("details") or {}).get("causes") or ()
        return {
            "accepted": False,
            "code": self.code,
            "reason": self.status.get("reason", ""),
            "message": self.status.get("message", ""),
            "causes": [{key: each[key] for key in ("field", "reason", "message") if key in each} for each in causes],
        }


def collection(kind: str, namespace: str | None = None, api_version: str | None = None) -> str:
    """The path of all objects of a kind, in one namespace or in all."""
    group = api_version or _GROUPS.get(kind, "v1")
    root = f"/api/{group}" if "/" not in group else f"/apis/{group}"
    if namespace and kind not in _CLUSTER_SCOPED:
        root += f"/namespaces/{quote(namespace)}"
    return f"{root}/{_PLURALS[kind]}"


def path_of(value: Object) -> str:
    """The path of one object."""
    metadata = value["metadata"]
    kind = value["kind"]
    namespace = None if kind in _CLUSTER_SCOPED else metadata.get("namespace", "default")
    return f"{collection(kind, namespace, value.get('apiVersion'))}/{quote(metadata['name'])}"


class Client:
    """One connection at a time per thread; reconnects when the server has closed it."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._context = ssl.create_default_context(cafile=endpoint.authority)
        self._local = threading.local()

    def connect(self, timeout: float = 30) -> http.client.HTTPSConnection:
        """A new connection."""
        return http.client.HTTPSConnection("127.0.0.1", self._endpoint.port, timeout=timeout, context=self._context)

    def headers(self, content: str = "application/json") -> dict[str, str]:
        """What every request carries."""
        return {
            "Authorization": f"Bearer {self._endpoint.token}",
            "Content-Type": content,
            "Accept": "application/json",
        }

    def request(
        self, method: str, path: str, body: Any = None, content: str = "application/json", **query: str
    ) -> Object:
        """The answer to one request.

        Raises:
            Refused: the answer is an error.
            OSError: no connection, also not the second time.
        """
        url = f"{path}?{urlencode(query)}" if query else path
        data = None if body is None else json.dumps(body)
        for last in (False, True):
            connection = getattr(self._local, "connection", None) or self.connect()
            self._local.connection = connection
            try:
                connection.request(method, url, data, self.headers(content))
                answer = connection.getresponse()
                raw = answer.read()
                break
            except (http.client.HTTPException, OSError):
                connection.close()
                self._local.connection = None
                if last:
                    raise
        try:
            value = json.loads(raw) if raw else {}
        except ValueError:
            value = {"message": raw.decode("utf-8", "replace")}
        if answer.status >= 400:
            raise Refused(answer.status, value)
        return value

    def get(self, path: str) -> Object | None:
        """An object, or nothing when there is none."""
        try:
            return self.request("GET", path)
        except Refused as refused:
            if refused.code == 404:
                return None
            raise

    def list(self, kind: str, namespace: str | None = None, **query: str) -> list[Object]:
        """All objects of a kind."""
        found = self.request("GET", collection(kind, namespace), **query)
        return [{"kind": kind, **item} for item in found.get("items") or ()]

    def create(self, value: Object, **query: str) -> Object:
        """Create an object, with its status where it has one and the kind has that subresource."""
        path = path_of(value).rsplit("/", 1)[0]
        return self.request("POST", path, value, **query)

    def apply(self, value: Object) -> Object:
        """Server-side apply, taking over every field."""
        content = "application/apply-patch+yaml"
        return self.request("PATCH", path_of(value), value, content, fieldManager="conformance", force="true")

    def patch_status(self, value: Object, status: Object) -> Object:
        """Set parts of an object's status."""
        return self.request("PATCH", path_of(value) + "/status", {"status": status}, "application/merge-patch+json")

    def delete(self, value: Object, *, grace: int | None = None, propagation: str | None = None, uid: str = "") -> None:
        """Delete an object; nothing happens when it is gone already, or when another now has its name."""
        options: Object = {"kind": "DeleteOptions", "apiVersion": "v1"}
        if grace is not None:
            options["gracePeriodSeconds"] = grace
        if uid:
            options["preconditions"] = {"uid": uid}
        if propagation:
            options["propagationPolicy"] = propagation
        try:
            self.request("DELETE", path_of(value), options)
        except Refused as refused:
            if refused.code not in {404, 409}:
                raise

    def watch(self, path: str, stopped: threading.Event) -> Iterator[tuple[str, Object]]:
        """Changes of a collection: first every object as `ADDED`, then what happens, until stopped."""
        while not stopped.is_set():
            connection = self.connect(timeout=3600)
            try:
                found = self.request("GET", path)
                yield "LISTED", found
                query = urlencode({"watch": "1", "resourceVersion": found["metadata"]["resourceVersion"]})
                connection.request("GET", f"{path}?{query}", headers=self.headers())
                answer = connection.getresponse()
                if answer.status >= 400:
                    time.sleep(0.2)
                    continue
                while not stopped.is_set():
                    line = answer.readline()
                    if not line:
                        break
                    event = json.loads(line)
                    if event["type"] in {"ADDED", "MODIFIED", "DELETED"}:
                        yield event["type"], event["object"]
                    elif event["type"] == "ERROR":
                        break
            except (http.client.HTTPException, OSError, Refused):
                time.sleep(0.2)
            finally:
                connection.close()


def is_cluster_scoped(kind: str) -> bool:
    """Whether objects of a kind live in no namespace."""
    return kind in _CLUSTER_SCOPED
