"""Pods with claims and the devices that drivers publish, for one attempt of the scheduler each: random, from a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from conformance.api_client import Object
from conformance.device_objects import (
    DRIVER,
    claim,
    claim_spec,
    device,
    device_class,
    first_available,
    query,
    resource_slice,
)
from conformance.objects import node

NAMESPACE = "vision"
GPU = "example.com/gpu"
_NET = "net.example.com"
_ADMIN = {"resource.kubernetes.io/admin-access": "true"}
_SELECTORS = (
    f'device.attributes["{DRIVER}"].model == "A100"',
    f'device.attributes["{DRIVER}"].model.lowerAscii().startsWith("h")',
    f'device.attributes["{DRIVER}"].numa == 0',
    f'device.attributes["{DRIVER}"].numa < 1 || device.attributes["{DRIVER}"].model == "T4"',
    f'device.capacity["{DRIVER}"].memory.compareTo(quantity("40Gi")) >= 0',
    f'device.driver == "{DRIVER}" && device.attributes["{DRIVER}"].model in ["A100", "H100"]',
    f'"healthy" in device.attributes["{DRIVER}"] && device.attributes["{DRIVER}"].healthy',
    f'device.attributes["{DRIVER}"].healthy',
    f'device.attributes["{DRIVER}"].release.isGreaterThan(semver("1.0.0"))',
    'device.attributes["other.example.com"].model == "A100"',
    "device.allowMultipleAllocations",
)
_GUARDED = 7
"""How many of the selectors, the first ones, end in no error for any device of the driver."""
_MATCHED = (f"{DRIVER}/model", f"{DRIVER}/numa", f"{DRIVER}/healthy")
_TAINTS = (("maintenance", "NoSchedule"), ("broken", "NoExecute"), ("looked-at", "None"))
_PLACES: tuple[Object, ...] = (
    {"allNodes": True},
    {
        "nodeSelector": {
            "nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}]
        }
    },
)


def scenarios(seed: int, count: int) -> Iterator[Object]:
    """So many scenarios, each with `id` and `scenario` as recorded scheduler scenarios have them."""
    for number in range(count):
        yield {
            "id": f"random-{seed}-{number:04}",
            "scenario": _Scenario(random.Random(f"devices/{seed}/{number}")).made(),
        }


class _Scenario:
    """One scenario while it is made."""

    def __init__(self, source: random.Random) -> None:
        self.source = source
        self.nodes: list[Object] = []
        self.slices: list[Object] = []
        self.claims: list[Object] = []
        self.pods: list[Object] = []
        self.classes = [device_class()]

    def made(self) -> Object:
        """Nodes with devices, who holds some, and the pod."""
        for number in range(self.source.choice((1, 1, 2, 2, 3))):
            self._node(f"n{number}")
        if self._one_in(6):
            self._network()
        self._hold()
        if self._one_in(3):
            self.classes.append(device_class("big", _SELECTORS[4]))
        if self._one_in(4):
            self.classes.append(device_class("served", extendedResourceName=GPU))
        pod = self._pod()
        return {
            "nodes": self.nodes,
            "namespaces": [{"metadata": {"name": NAMESPACE, "labels": _ADMIN}}],
            "deviceClasses": self.classes,
            "resourceSlices": self.slices,
            "resourceClaims": self.claims,
            "pods": self.pods,
            "pod": pod,
        }

    def _one_in(self, number: int) -> bool:
        return self.source.random() * number < 1

    def _node(self, name: str) -> None:
        found = node(name, 0, {"zone": self.source.choice("ab")}, cpu="1" if self._one_in(12) else "8")
        if self._one_in(15):
            found["spec"] = {"unschedulable": True}
        if self._one_in(10):
            found["status"]["allocatable"][GPU] = found["status"]["capacity"][GPU] = "1"
        self.nodes.append(found)
        kind = self.source.choice(
            ("plain", "plain", "plain", "plain", "plain", "parted", "shared", "shared", "tainted", "none")
        )
        devices = [] if kind == "none" else [self._device(number, kind) for number in range(self.source.randint(2, 5))]
        if kind == "parted":
            self._parted(name)
        elif devices and self._one_in(5):
            half = len(devices) // 2
            self.slices.append(resource_slice(name, devices[:half] or devices, name=f"{name}-a", slices=2))
            if not self._one_in(3) and devices[:half]:
                self.slices.append(resource_slice(name, devices[half:], name=f"{name}-b", slices=2))
        elif devices:
            self.slices.append(resource_slice(name, devices))
        if devices and self._one_in(10):
            older = resource_slice(name, [device("gone")], name=f"{name}-old", generation=0)
            self.slices.append(older)

    def _device(self, number: int, kind: str) -> Object:
        more: Object = {"attributes": {}}
        if self._one_in(3):
            more["attributes"]["healthy"] = {"bool": not self._one_in(4)}
        if self._one_in(3):
            more["attributes"]["release"] = {"version": self.source.choice(("0.9.0", "1.2.3", "2.0.0"))}
        if kind == "tainted" and self._one_in(2):
            key, effect = self.source.choice(_TAINTS)
            more["taints"] = [{"key": key, "effect": effect}]
        found = device(
            f"gpu-{number}",
            self.source.choice(("A100", "A100", "H100", "T4")),
            self.source.choice(("40Gi", "40Gi", "80Gi", "16Gi")),
            numa=self.source.choice((0, 0, 1)),
            **more,
        )
        if kind == "shared":
            found["allowMultipleAllocations"] = True
            policy = self.source.choice(
                (
                    {"default": "10Gi", "validRange": {"min": "5Gi", "max": "30Gi", "step": "5Gi"}},
                    {"default": "8Gi", "validValues": ["8Gi", "16Gi"]},
                    None,
                )
            )
            if policy is not None:
                found["capacity"]["memory"] = {"value": "40Gi", "requestPolicy": policy}
        return found

    def _parted(self, name: str) -> None:
        """A GPU, and partitions of it that exclude it and each other by counters."""
        counter = {"name": "gpu-0", "counters": {"memory": {"value": "40Gi"}}}
        parts = [("whole", "40Gi"), ("half-0", "20Gi"), ("half-1", "20Gi"), ("quarter", "10Gi")]
        found = [
            device(
                part,
                memory=memory,
                consumesCounters=[{"counterSet": "gpu-0", "counters": {"memory": {"value": memory}}}],
            )
            for part, memory in parts
        ]
        self.source.shuffle(found)
        self.slices.append(resource_slice(name, [], name=f"{name}-counters", slices=2, sharedCounters=[counter]))
        self.slices.append(resource_slice(name, found, name=f"{name}-parts", slices=2))

    def _network(self) -> None:
        """A pool that several nodes reach, of the same driver or of another one whose devices lack its attributes."""
        driver = self.source.choice((DRIVER, _NET))
        found = [device(f"port-{number}") for number in range(2)]
        if driver == _NET:
            found = [{"name": f"port-{number}", "attributes": {"speed": {"int": 100}}} for number in range(2)]
        place = self.source.choice(_PLACES)
        self.slices.append(resource_slice("fabric", found, driver=driver, **place))
        if driver == _NET:
            self.classes.append(device_class("net", f'device.driver == "{_NET}"'))

    def _hold(self) -> None:
        """Claims that pods have already, and now and then one that nobody uses any more."""
        for one in self.slices:
            for each in one["spec"].get("devices", ()):
                if self._one_in(4) and "nodeName" in one["spec"] and one["spec"]["pool"]["generation"]:
                    self._held(one["spec"], each["name"], used=not self._one_in(8))

    def _held(self, spec: Object, name: str, *, used: bool) -> None:
        key, where = f"held-{len(self.claims)}", spec["nodeName"]
        found = claim(key, namespace=NAMESPACE)
        result = {"request": "gpu", "driver": spec["driver"], "pool": spec["pool"]["name"], "device": name}
        term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [where]}]}
        found["status"] = {
            "allocation": {
                "devices": {"results": [result]},
                "nodeSelector": {"nodeSelectorTerms": [term]},
                "allocationTimestamp": "2026-01-01T00:00:00Z",
            }
        }
        if used:
            found["status"]["reservedFor"] = [{"resource": "pods", "name": f"user-{key}", "uid": ""}]
            self.pods.append(_pod(f"user-{key}", {key: key}, nodeName=where))
        self.claims.append(found)

    def _pod(self) -> Object:
        if (
            len(self.classes) > 1
            and self._one_in(3)
            and any("extendedResourceName" in one["spec"] for one in self.classes)
        ):
            return _pod("incoming", {}, limits={GPU: str(self.source.randint(1, 3))})
        names = {}
        held = [one["metadata"]["name"] for one in self.claims]
        for number in range(self.source.choice((1, 1, 1, 2))):
            if held and self._one_in(6):
                names[f"c{number}"] = held.pop(self.source.randrange(len(held)))
                continue
            self.claims.append(claim(f"asked-{number}", self._asked(), NAMESPACE))
            names[f"c{number}"] = f"asked-{number}"
        return _pod("incoming", names, limits={"cpu": "2" if self._one_in(6) else "1"})

    def _asked(self) -> Object:
        requests = [self._request(f"r{number}") for number in range(self.source.choice((1, 1, 1, 2, 2, 3)))]
        constraints: dict[str, tuple[str, ...]] = {}
        if self._one_in(3):
            constraints["matchAttribute"] = (self.source.choice(_MATCHED),)
        if self._one_in(8):
            constraints["distinctAttribute"] = (self.source.choice(_MATCHED),)
        return claim_spec(*requests, **constraints)

    def _request(self, name: str) -> Object:
        if self._one_in(5):
            first, second = self._query(), self._query()
            for one in (first, second):
                one.pop("adminAccess", None)
            return first_available(name, good=first, other=second)
        return {"name": name, "exactly": self._query()}

    def _query(self) -> Object:
        names = [one["metadata"]["name"] for one in self.classes]
        found = query(self.source.choice((1, 1, 1, 1, 1, 2, 2, 3, 0)), of=self.source.choice(names))
        if self._one_in(60):
            found["deviceClassName"] = "unknown"
        known = len(_SELECTORS) if self._one_in(4) else _GUARDED
        chosen = self.source.sample(_SELECTORS[:known], self.source.choice((0, 0, 1, 1, 2)))
        if chosen:
            found["selectors"] = [{"cel": {"expression": text}} for text in chosen]
        if self._one_in(5):
            found["tolerations"] = [{"key": self.source.choice(_TAINTS)[0], "operator": "Exists"}]
        if self._one_in(8):
            found["capacity"] = {"requests": {"memory": self.source.choice(("7Gi", "12Gi", "30Gi", "50Gi"))}}
        if self._one_in(12):
            found["adminAccess"] = True
        return found


def _pod(name: str, claims: dict[str, str], *, limits: dict[str, str] | None = None, **spec: Any) -> Object:
    container: Object = {"name": "main", "image": "registry.invalid/main:1", "resources": {"limits": limits or {}}}
    entries = [{"name": key, "resourceClaimName": value} for key, value in claims.items()]
    if entries:
        container["resources"]["claims"] = [{"name": key} for key in claims]
        spec["resourceClaims"] = entries
    metadata = {"name": name, "namespace": NAMESPACE, "uid": name}
    return {"metadata": metadata, "spec": {"containers": [container], **spec}}
