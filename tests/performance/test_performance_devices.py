"""Devices at scale: 200 nodes of 8 devices and 500 pods with claims."""

from __future__ import annotations

import random
import time
from typing import Any

from kubelint_gpu.scheduler import Snapshot, attempt, read_cluster, read_pod
from kubelint_gpu.scheduler.attempt import assume

# The goal is 2 s of CPU time, of which a machine without other work takes about 1 s; a slow one may take this.
LIMIT = 4.0
DRIVER = "gpu.nvidia.com"
PCIE = "resource.kubernetes.io/pcieRoot"


def gpu(node: int, place: int) -> dict[str, Any]:
    attributes = {
        "type": {"string": "gpu"},
        "uuid": {"string": f"GPU-{node}-{place}"},
        "numa": {"int": place // 4},
        PCIE: {"string": f"pci-{node}-{place // 2}"},
        "driverVersion": {"version": "570.1.0"},
    }
    return {"name": f"gpu-{place}", "attributes": attributes, "capacity": {"memory": {"value": "80Gi"}}}


def node(number: int) -> list[dict[str, Any]]:
    name = f"n{number:03}"
    pool = {"name": name, "generation": 1, "resourceSliceCount": 1}
    devices = [gpu(number, place) for place in range(8)]
    allocatable = {"cpu": "64", "memory": "512Gi", "pods": "110"}
    return [
        {
            "kind": "Node",
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
            "status": {"allocatable": allocatable},
        },
        {
            "kind": "ResourceSlice",
            "metadata": {"name": f"s{number}"},
            "spec": {"driver": DRIVER, "nodeName": name, "pool": pool, "devices": devices},
        },
    ]


def claim(number: int, rng: random.Random) -> dict[str, Any]:
    count = rng.randint(1, 8)
    large = {"cel": {"expression": f"device.capacity['{DRIVER}'].memory.compareTo(quantity('40Gi')) >= 0"}}
    requests = [{"name": "a", "exactly": {"deviceClassName": DRIVER, "count": count, "selectors": [large]}}]
    if count > 1 and number % 3 == 0:
        requests = [{"name": f"a{place}", "exactly": {"deviceClassName": DRIVER}} for place in range(count)]
    constraints = [{"matchAttribute": rng.choice([PCIE, f"{DRIVER}/numa"])}] if count <= 4 else []
    return {
        "kind": "ResourceClaim",
        "metadata": {"name": f"c{number}", "namespace": "ns", "uid": f"c{number}"},
        "spec": {"devices": {"requests": requests, "constraints": constraints}},
    }


def pod(number: int) -> dict[str, Any]:
    return {
        "metadata": {"name": f"p{number}", "namespace": "ns", "uid": f"p{number}"},
        "spec": {
            "priority": 0,
            "containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}],
            "resourceClaims": [{"name": "g", "resourceClaimName": f"c{number}"}],
        },
    }


def test_pods_with_claims_are_scheduled_in_time() -> None:
    rng = random.Random(1)
    selector = f"device.driver == '{DRIVER}' && device.attributes['{DRIVER}'].type == 'gpu'"
    objects = [one for number in range(200) for one in node(number)]
    objects += [
        {
            "kind": "DeviceClass",
            "metadata": {"name": DRIVER},
            "spec": {"selectors": [{"cel": {"expression": selector}}]},
        },
        *[claim(number, rng) for number in range(500)],
    ]
    cluster = read_cluster(objects, version="1.36")
    pods = [read_pod(pod(number)) for number in range(500)]
    started = time.process_time()
    snapshot, placed = Snapshot.of(cluster), 0
    for one in pods:
        found = attempt(one, snapshot)
        assert found.fit.unknown is None
        if found.fit.fits:
            snapshot, placed = assume(one, snapshot, found.fit.fits[0]), placed + 1
    assert time.process_time() - started < LIMIT
    assert 300 < placed < 500
