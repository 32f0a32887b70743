"""`kinds:` of the configuration: custom resources that the built-in table does not have."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from kubelint_gpu.documents import Pointer
from kubelint_gpu.patterns import pattern

_TEXTS = ("kind", "group", "template", "strategy", "update")
_KEYS = (*_TEXTS, "replicas", "ends")
_UPDATES = ("none", "RollingUpdate", "Recreate")
_MOST = 100
_GROUP = pattern(r"[a-z0-9-]+(\.[a-z0-9-]+)+", re.ASCII)
_FIELDS = pattern(r"[A-Za-z][A-Za-z0-9]*(\[\])?(\.(\*|[A-Za-z][A-Za-z0-9]*)(\[\])?)*", re.ASCII)


def rows(value: Any, fail: Callable[[Pointer, str], Exception]) -> Iterator[dict[str, Any]]:
    """Yield rows as `custom_workloads.json` has them; entries for one kind are templates of one row.

    `fail` makes the error that is raised if an entry says something that it cannot.
    """
    if not isinstance(value, list) or len(value) > _MOST:
        raise fail(("kinds",), f"must be a list of at most {_MOST} templates")
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for index, entry in enumerate(value):
        _check(entry, ("kinds", index), fail)
        update, strategy = entry.get("update", "none"), entry.get("strategy", "")
        replicas, name = entry.get("replicas", []), (entry["group"], entry["kind"])
        row = found.setdefault(name, {"kind": name[1], "groups": [name[0]], "ends": False, "templates": []})
        row["templates"].append(
            {
                "path": entry["template"],
                "form": "either",
                "more": True,
                "pods": [replicas] if isinstance(replicas, str) else replicas,
                **({"strategy": strategy} if strategy else {"type": update}),
            }
        )
        row["ends"] = row["ends"] or entry.get("ends", False)
        if strategy or update != "none":
            row["update"] = "deployment"
    yield from found.values()


def _check(entry: Any, pointer: Pointer, fail: Callable[[Pointer, str], Exception]) -> None:
    if not isinstance(entry, dict):
        raise fail(pointer, "must be a mapping")
    for key, value in entry.items():
        where = (*pointer, key)
        if key not in _KEYS:
            raise fail(where, f'unknown key "{key}"; known are {", ".join(_KEYS)}')
        if key in _TEXTS and not isinstance(value, str):
            raise fail(where, "must be a text")
        if key == "ends" and not isinstance(value, bool):
            raise fail(where, "must be true or false")
        if key == "group" and _GROUP().fullmatch(value) is None:
            raise fail(where, "must be an API group with a dot and without a version, such as flows.example.com")
        if key == "update" and value not in _UPDATES:
            raise fail(where, f"must be one of {', '.join(_UPDATES)}")
        if key in ("template", "strategy", "replicas"):
            paths = value if isinstance(value, list) else [value]
            if not all(isinstance(path, str) and _FIELDS().fullmatch(path) for path in paths):
                raise fail(where, "must be a path of fields, such as spec.workers[].template")
    missing = [key for key in ("kind", "group", "template") if not entry.get(key)]
    if missing:
        raise fail(pointer, f"must have {missing[0]}")
