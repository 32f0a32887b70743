"""What admission makes of a pod: priority, tolerations, resources, label keys, or the refusal."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from conformance.api_client import Client, Object, Refused, path_of

_TOLD = ("priority", "priorityClassName", "preemptionPolicy", "tolerations", "affinity", "topologySpreadConstraints",
         "schedulerName", "hostNetwork", "overhead", "nodeSelector")  # fmt: skip


def hand_written(folder: Path) -> Iterator[Object]:
    """The cases: `id`, `given`, `pod`."""
    from kubelint_gpu.documents import read

    for path in sorted(folder.glob("*.yaml")):
        reading = read(str(path), path.read_bytes())
        for problem in reading.problems:
            raise ValueError(f"{path}: {problem.message}")
        for document in reading.documents:
            if isinstance(document.value, dict):
                yield document.value


def admitted(client: Client, case: Object) -> Object:
    """The case with what became of its pod; `given` is what the API server let stand of it."""
    created: list[Object] = []
    pod = {"apiVersion": "v1", "kind": "Pod", **case["pod"]}
    pod["metadata"] = {"namespace": "default", **pod["metadata"]}
    try:
        for value in case.get("given") or ():
            try:
                client.create(value)
            except Refused as refused:
                if refused.code != 403:
                    raise
                continue
            created.append(value)
            if "status" in value:
                client.patch_status(value, value["status"])
        # admission reads these objects from caches that follow a moment later
        time.sleep(1.0 if created else 0.0)
        return {**case, **({"given": list(created)} if created else {}), **_answer(client, pod)}
    finally:
        for value in reversed(created):
            client.delete(value)
        _gone(client, created)


def _answer(client: Client, pod: Object) -> Object:
    try:
        found = client.request("POST", path_of(pod).rsplit("/", 1)[0], pod, dryRun="All")
    except Refused as refused:
        return {"error": refused.status.get("message", "")}
    spec = found["spec"]
    told: Object = {key: spec[key] for key in _TOLD if key in spec}
    for kind in ("initContainers", "containers"):
        if kind in spec:
            told[kind] = [
                {key: each[key] for key in ("name", "resources", "ports") if key in each} for each in spec[kind]
            ]
    return {"admitted": told}


def _gone(client: Client, values: list[Object]) -> None:
    until = time.monotonic() + 5
    while any(client.get(path_of(each)) for each in values) and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(0.5 if values else 0.0)
