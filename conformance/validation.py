"""Objects that the API server accepts or refuses, and its own words: nothing is stored, every request is a dry run."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.api_client import Client, Object, Refused, collection

_REMOVE = "$remove"
_EVIL: tuple[Any, ...] = (
    None, 0, 1, -1, 1.5, 2147483648, True, "", "1", "-1", "abc", "Abc", "a b", "0%", "50%", "101%", "1.5", "500m",
    "1Gi", [], {}, ["a"], {"a": "b"}, _REMOVE,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Trial:
    """An object to be tried."""

    id: str
    object: Object
    base: str


def hand_written(folder: Path) -> Iterator[Trial]:
    """Every object of the YAML files, as it is accepted, and each of its variants."""
    for name, value, tries in _documents(folder):
        yield Trial(f"{name}-valid", value, name)
        for number, entry in enumerate(tries):
            changed: Any = copy.deepcopy(value)
            for pointer, what in zip(entry[::2], entry[1::2], strict=True):
                changed = put(changed, pointer, what)
            yield Trial(f"{name}-{number:03}", changed, name)


def random_trials(folder: Path, seed: int, count: int) -> Iterator[Trial]:
    """Objects of the files with one or two fields, anywhere in them, replaced by values that may not belong there."""
    found = [(name, changed) for name, value, tries in _documents(folder) for changed in _rich(value, tries)]
    for number in range(count):
        source = random.Random(f"{seed}/{number}")
        name, value = source.choice(found)
        changed: Any = copy.deepcopy(value)
        for _ in range(source.choice((1, 1, 1, 2))):
            pointers = [pointer for pointer in _pointers(changed, "") if pointer not in {"/kind", "/apiVersion"}]
            if pointers:
                changed = put(changed, source.choice(pointers), source.choice(_EVIL))
        yield Trial(f"random-{seed}-{number:04}-{name}", changed, name)


def bases(folder: Path) -> Iterator[tuple[str, Object]]:
    """The objects that everything is made from, by name."""
    for name, value, _ in _documents(folder):
        yield name, value


def _rich(value: Object, tries: list[list[Any]]) -> Iterator[Object]:
    yield value
    for entry in tries:
        if len(entry) == 2 and isinstance(entry[1], (dict, list)) and entry[1]:
            yield put(copy.deepcopy(value), entry[0], entry[1])


def _documents(folder: Path) -> Iterator[tuple[str, Object, list[list[Any]]]]:
    from kubelint_gpu.documents import read

    for path in sorted(folder.glob("*.yaml")):
        reading = read(str(path), path.read_bytes())
        for problem in reading.problems:
            raise ValueError(f"{path}: {problem.message}")
        for document in reading.documents:
            if isinstance(document.value, dict):
                yield document.value["name"], document.value["object"], document.value["try"]


def put(value: Any, pointer: str, what: Any) -> Any:
    """The value with another one at a JSON pointer; missing mappings on the way are made."""
    *parents, last = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    inner = value
    for part in parents:
        if isinstance(inner, list):
            inner = inner[int(part)]
        else:
            if not isinstance(inner.get(part), (dict, list)):
                inner[part] = {}
            inner = inner[part]
    key: Any = int(last) if isinstance(inner, list) else last
    if what == _REMOVE:
        if isinstance(inner, list) or key in inner:
            del inner[key]
    else:
        inner[key] = copy.deepcopy(what)
    return value


def _pointers(value: Any, at: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in value.items():
            here = f"{at}/{key.replace('~', '~0').replace('/', '~1')}"
            yield here
            yield from _pointers(each, here)
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield f"{at}/{index}"
            yield from _pointers(each, f"{at}/{index}")


def answered(client: Client, trial: Trial, kind: str, namespace: str, api_version: str) -> Object:
    """What the API server says to an attempt to create the object; unknown and duplicate fields are errors."""
    value = trial.object
    given = value.get("metadata") if isinstance(value.get("metadata"), dict) else {}
    place = given.get("namespace") if isinstance(given, dict) else None
    path = collection(kind, place if isinstance(place, str) and place else namespace, api_version)
    record: Object = {"id": trial.id, "object": value}
    try:
        client.request("POST", path, value, dryRun="All", fieldValidation="Strict")
    except Refused as refused:
        return {**record, **refused.answer()}
    return {**record, "accepted": True}
