"""Changes of objects that exist: which of them the API server refuses, and its own words."""

from __future__ import annotations

import contextlib
import copy
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.api_client import Client, Object, Refused, path_of
from conformance.validation import put


@dataclass(frozen=True, slots=True)
class Existing:
    """An object that is there before anything is changed.

    Attributes:
        name: tells it from the others.
        object: as it was applied.
        given: what must be there before it.
        status: set after it was created, where a controller would have set it.
        tries: by id, what is applied in its place.
    """

    name: str
    object: Object
    given: tuple[Object, ...]
    status: Object
    tries: tuple[tuple[str, Object], ...]


def hand_written(folder: Path) -> Iterator[Existing]:
    """Every object of the YAML files with its changes; the first changes nothing."""
    from kubelint_gpu.documents import read

    for path in sorted(folder.glob("*.yaml")):
        reading = read(str(path), path.read_bytes())
        for problem in reading.problems:
            raise ValueError(f"{path}: {problem.message}")
        for document in reading.documents:
            if isinstance(document.value, dict):
                yield _existing(document.value)


def _existing(value: Object) -> Existing:
    name, before = value["name"], value["object"]
    tries = [(f"{name}-same", before)]
    for number, entry in enumerate(value["try"]):
        after: Any = copy.deepcopy(before)
        for pointer, what in zip(entry[::2], entry[1::2], strict=True):
            after = put(after, pointer, what)
        tries.append((f"{name}-{number:03}", after))
    return Existing(name, before, tuple(value.get("given") or ()), value.get("status") or {}, tuple(tries))


def answered(client: Client, existing: Existing) -> Iterator[Object]:
    """What the API server says to each change; only the object itself is stored, every change is a dry run."""
    created: list[Object] = []
    try:
        for value in (*existing.given, existing.object):
            client.apply(value)
            created.append(value)
        if existing.given:
            # admission reads classes from a cache that follows a moment later
            time.sleep(1.0)
        if existing.status:
            client.patch_status(existing.object, existing.status)
        for name, after in existing.tries:
            yield {
                "id": name,
                "before": existing.object,
                **({"given": list(existing.given)} if existing.given else {}),
                **({"status": existing.status} if existing.status else {}),
                "after": after,
                "applied": _applied(client, after),
                "patched": _patched(client, existing.object, after),
            }
    finally:
        for value in reversed(created):
            _removed(client, value)


def _applied(client: Client, after: Object) -> Object:
    """The answer to server-side apply by who applied the object before."""
    query = {"fieldManager": "conformance", "force": "true", "dryRun": "All", "fieldValidation": "Strict"}
    return _answer(client, path_of(after), after, "application/apply-patch+yaml", query)


def _patched(client: Client, before: Object, after: Object) -> Object:
    """The answer to a patch with what differs, which is what client-side apply sends."""
    query = {"dryRun": "All", "fieldValidation": "Strict"}
    return _answer(client, path_of(after), difference(before, after), "application/merge-patch+json", query)


def _answer(client: Client, path: str, body: Object, content: str, query: dict[str, str]) -> Object:
    try:
        client.request("PATCH", path, body, content, **query)
    except Refused as refused:
        return refused.answer()
    return {"accepted": True}


def difference(before: Object, after: Object) -> Object:
    """The JSON merge patch (RFC 7396) that makes one of the other."""
    patch: Object = {key: None for key in before if key not in after}
    for key, value in after.items():
        there = before.get(key)
        if isinstance(value, dict) and isinstance(there, dict):
            if inner := difference(there, value):
                patch[key] = inner
        elif key not in before or value != there:
            patch[key] = value
    return patch


def _removed(client: Client, value: Object) -> None:
    """Delete an object that no controller would let go of, and wait until it is gone."""
    path = path_of(value)
    until = time.monotonic() + 30
    while (found := client.get(path)) is not None and time.monotonic() < until:
        with contextlib.suppress(Refused):
            if found["metadata"].get("finalizers"):
                client.request("PATCH", path, {"metadata": {"finalizers": None}}, "application/merge-patch+json")
            client.delete(value, grace=0 if value["kind"] == "Pod" else None, propagation="Background")
        time.sleep(0.02)
