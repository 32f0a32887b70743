"""One rollout to be judged: what the cluster holds, what runs, what is applied."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance import recording
from conformance.api_client import Object

WORKLOADS = ("Deployment", "StatefulSet", "DaemonSet", "Job")


@dataclass(frozen=True, slots=True)
class Case:
    """A rollout.

    Attributes:
        id: unique within a recording.
        inventory: nodes, priority classes, quotas, disruption budgets, volumes, and pods that nobody replaces.
        old: workloads that run, complete, before anything is changed.
        new: what is then applied; what is missing here of `old` goes on running as it is.
        pending: pods and workloads applied after `old`, which may wait for ever.
        meanwhile: objects of the inventory as they are when `new` is applied: a node cordoned since, a smaller quota.
    """

    id: str
    inventory: tuple[Object, ...]
    old: tuple[Object, ...]
    new: tuple[Object, ...]
    pending: tuple[Object, ...] = ()
    meanwhile: tuple[Object, ...] = ()

    def workloads(self) -> tuple[Object, ...]:
        """Every workload that runs at the end, in its last form."""
        latest = {reference(each): each for each in (*self.old, *self.new) if each["kind"] in WORKLOADS}
        return tuple(latest[key] for key in sorted(latest))

    def objects(self) -> tuple[Object, ...]:
        """Everything that the case names."""
        return (*self.inventory, *self.old, *self.pending, *self.meanwhile, *self.new)

    def namespaces(self) -> tuple[str, ...]:
        """Every namespace that an object of the case lives in."""
        found = {each["metadata"].get("namespace") for each in self.objects()}
        return tuple(sorted(name for name in found if name))


def reference(value: Object) -> str:
    """`Deployment/vision/object-tracker`."""
    metadata = value["metadata"]
    return f"{value['kind']}/{metadata.get('namespace', 'default')}/{metadata['name']}"


def written(case: Case) -> Object:
    """A case as plain data."""
    told = {"id": case.id, "inventory": list(case.inventory), "old": list(case.old), "new": list(case.new)}
    further = {"pending": list(case.pending), "meanwhile": list(case.meanwhile)}
    return told | {name: found for name, found in further.items() if found}


def read(value: Object) -> Case:
    """A case from plain data.

    `change` may stand instead of `new`: one JSON merge patch for each of `old`, null for one that stays as it is.
    """
    old = [_placed(each) for each in value.get("old") or ()]
    new = [_placed(each) for each in value.get("new") or ()]
    for before, patch in zip(old, value.get("change") or (), strict=False):
        if patch is not None:
            new.append(merged(before, patch))
    inventory, pending, meanwhile = (
        tuple(_placed(each) for each in value.get(name) or ()) for name in ("inventory", "pending", "meanwhile")
    )
    return Case(value["id"], inventory, tuple(old), tuple(new), pending, meanwhile)


def merged(value: Any, patch: Any) -> Any:
    """RFC 7396."""
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    result = dict(value) if isinstance(value, dict) else {}
    for key, each in patch.items():
        if each is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), each)
    return copy.deepcopy(result)


def hand_written(folder: Path) -> Iterator[Case]:
    """The cases in the files of a folder: one for each document of a YAML file, one for each line of a JSON file."""
    from kubelint_gpu.documents import read as read_text

    for path in sorted(folder.glob("*.jsonl.xz")):
        yield from map(read, recording.read(path))
    for path in sorted(folder.glob("*.yaml")):
        reading = read_text(str(path), path.read_bytes())
        for problem in reading.problems:
            raise ValueError(f"{path}: {problem.message}")
        for document in reading.documents:
            if isinstance(document.value, dict):
                yield read(document.value)


def _placed(value: Object) -> Object:
    """The object with the namespace that it would get."""
    from conformance.api_client import is_cluster_scoped

    if is_cluster_scoped(value["kind"]):
        return value
    return {**value, "metadata": {"namespace": "default", **value["metadata"]}}
