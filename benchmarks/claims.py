"""CPU time of the installed command for pods with claims to devices: 200 nodes of 8 devices, 500 pods that ask for 1 to 8.

`python benchmarks/claims.py [CASE ...]`: each case is checked without a cache; printed are CPU seconds, findings by rule, and the digest of
the findings, by which two versions of the program are compared.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_DRIVER = "gpu.example.com"
_PCIE = "resource.kubernetes.io/pcieRoot"
_GROUP = "resource.k8s.io/v1"
Object = dict[str, Any]


def nodes(count: int = 200, devices: int = 8) -> Iterator[Object]:
    yield {"apiVersion": "kubelint-gpu/v1", "kind": "ClusterInventory", "kubernetesVersion": "1.36"}
    selector = f"device.driver == '{_DRIVER}' && device.attributes['{_DRIVER}'].type == 'gpu'"
    yield _object(_GROUP, "DeviceClass", _DRIVER, {"selectors": [{"cel": {"expression": selector}}]})
    for number in range(count):
        name = f"node-{number:03}"
        allocatable = {"cpu": "96", "memory": "1Ti", "pods": "110"}
        yield {
            **_object("v1", "Node", name),
            "status": {"allocatable": allocatable, "nodeInfo": {"kubeletVersion": "v1.36.3"}},
        }
        listed = [_device(number, place) for place in range(devices)]
        pool = {"name": name, "generation": 1, "resourceSliceCount": 1}
        yield _object(
            _GROUP, "ResourceSlice", name, {"driver": _DRIVER, "nodeName": name, "pool": pool, "devices": listed}
        )


def _device(node: int, place: int) -> Object:
    attributes = {
        "type": {"string": "gpu"},
        "uuid": {"string": f"GPU-{node}-{place}"},
        "numa": {"int": place // 4},
        _PCIE: {"string": f"pci-{node}-{place // 2}"},
        "driverVersion": {"version": "570.1.0"},
    }
    return {"name": f"gpu-{place}", "attributes": attributes, "capacity": {"memory": {"value": "80Gi"}}}


def template(number: int) -> Object:
    """A template for 1 to 8 devices, of which up to four have the same root or NUMA node."""
    count = number % 8 + 1
    large = {
        "cel": {
            "expression": f"device.capacity['{_DRIVER}'].memory.compareTo(quantity('{number // 8 % 3 + 38}Gi')) >= 0"
        }
    }
    requests = [{"name": "a", "exactly": {"deviceClassName": _DRIVER, "count": count, "selectors": [large]}}]
    if count > 1 and number % 3 == 0:
        requests = [{"name": f"a{place}", "exactly": {"deviceClassName": _DRIVER}} for place in range(count)]
    same = [{"matchAttribute": _PCIE if count <= 2 else f"{_DRIVER}/numa"}] if count <= 4 else []
    return _object(
        _GROUP,
        "ResourceClaimTemplate",
        f"claim-{number}",
        {"spec": {"devices": {"requests": requests, "constraints": same}}},
    )


def deployments(templates: int, count: int, replicas: int) -> Iterator[Object]:
    for number in range(templates):
        yield template(number)
    for number in range(count):
        labels = {"app": f"app-{number}"}
        pod = {"metadata": {"labels": labels}, "spec": _pod(number % templates, number)}
        spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": pod}
        yield _object("apps/v1", "Deployment", f"app-{number}", spec)


def pods(templates: int, count: int) -> Iterator[Object]:
    for number in range(templates):
        yield template(number)
    for number in range(count):
        yield _object("v1", "Pod", f"pod-{number}", _pod(number % templates, number))


def _pod(claim: int, number: int) -> Object:
    resources = {"requests": {"cpu": "1", "memory": "1Gi"}, "claims": [{"name": "gpu"}]}
    return {
        "containers": [{"name": "c", "image": f"registry.example/app:{number}", "resources": resources}],
        "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": f"claim-{claim}"}],
    }


def fitting(count: int) -> Iterator[Object]:
    """Pods that find room together, most of them with one or two devices; which of them do rests on their order."""
    for number in range(8):
        yield template(number)
    for number in range(count):
        yield _object("v1", "Pod", f"pod-{number}", _pod((0, 1, 0, 1, 2, 0, 3, 1, 0, 7)[number % 10], number))


def named(count: int) -> Iterator[Object]:
    """Pods each of which names a claim of its own."""
    for number in range(count):
        spec = template(number)["spec"]["spec"]
        yield _object(_GROUP, "ResourceClaim", f"claim-{number}", spec)
        pod = _pod(number, number)
        entry = {"name": "gpu", "resourceClaimName": f"claim-{number}"}
        yield _object("v1", "Pod", f"pod-{number}", {**pod, "resourceClaims": [entry]})


def near_equal() -> Iterator[Object]:
    """One node of 64 devices: halves have one value of `a`, any eight one of `c`, and no two one of `b`."""
    yield from nodes(0)
    yield {
        **_object("v1", "Node", "large"),
        "status": {"allocatable": {"cpu": "96", "memory": "1Ti", "pods": "110"}},
    }
    devices = [_device(0, place) for place in range(64)]
    for place, device in enumerate(devices):
        device["attributes"] |= {"a": {"int": place % 2}, "b": {"int": place}, "c": {"int": place // 8}}
    pool = {"name": "large", "generation": 1, "resourceSliceCount": 1}
    yield _object(
        _GROUP, "ResourceSlice", "large", {"driver": _DRIVER, "nodeName": "large", "pool": pool, "devices": devices}
    )


def worst() -> Iterator[Object]:
    requests = [{"name": f"a{place}", "exactly": {"deviceClassName": _DRIVER}} for place in range(8)]
    halves = [[f"a{place}" for place in range(8)], ["a0", "a7"], [f"a{place}" for place in range(2, 6)]]
    same = [{"requests": some, "matchAttribute": f"{_DRIVER}/{key}"} for some, key in zip(halves, "abc", strict=True)]
    yield _object(
        _GROUP, "ResourceClaimTemplate", "claim-0", {"spec": {"devices": {"requests": requests, "constraints": same}}}
    )
    yield _object("v1", "Pod", "pod", _pod(0, 0))


def _object(version: str, kind: str, name: str, spec: Object | None = None) -> Object:
    found: Object = {"apiVersion": version, "kind": kind, "metadata": {"name": name}}
    return found if spec is None else {**found, "spec": spec}


CASES = {
    "8 templates": (nodes, lambda: deployments(8, 100, 5)),
    "22 templates": (nodes, lambda: deployments(22, 100, 5)),
    "500 Pods": (nodes, lambda: pods(22, 500)),
    "500 templates": (nodes, lambda: deployments(500, 500, 1)),
    "500 that fit": (nodes, lambda: fitting(500)),
    "500 claims": (nodes, lambda: named(500)),
    "worst": (near_equal, worst),
}


def written(folder: Path, cluster: Iterator[Object], objects: Iterator[Object]) -> list[str]:
    """The arguments of the command that checks some objects against a cluster."""
    import yaml

    for name, every in (("cluster.yaml", cluster), ("app.yaml", objects)):
        folder.joinpath(name).write_text(yaml.dump_all(every, Dumper=yaml.CSafeDumper), encoding="utf-8")
    return ["check", "--no-cache", "--output-format", "json", "--inventory", "cluster.yaml", "app.yaml"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"of {', '.join(CASES)}; default: all")
    chosen = parser.parse_args().cases or list(CASES)
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    for case in chosen:
        cluster, objects = CASES[case]
        with tempfile.TemporaryDirectory() as folder:
            arguments = written(Path(folder), cluster(), objects())
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            command = [sys.executable, "-m", "kubelint_gpu", *arguments]
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        found = json.loads(done.stdout)["findings"]
        codes = ", ".join(f"{code} {count}" for code, count in sorted(Counter(one["code"] for one in found).items()))
        digest = hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()[:12]
        print(f"{case}: {seconds:.2f} s CPU, exit {done.returncode}, {codes or 'no finding'}, {digest}", flush=True)


if __name__ == "__main__":
    main()
