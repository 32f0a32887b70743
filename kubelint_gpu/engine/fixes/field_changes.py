"""What differs between two values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubelint_gpu.documents import Pointer

ABSENT = object()
"""Stands in place of a value that is not there."""

Change = tuple[Pointer, Any, Any]
"""A field, its old and its new value."""


def changes(old: Any, new: Any, pointer: Pointer = ()) -> Iterator[Change]:
    """The smallest values that differ, each with the old and the new one."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            yield from changes(old.get(key, ABSENT), new.get(key, ABSENT), (*pointer, key))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from changes(one, other, (*pointer, index))
    elif type(old) is not type(new) or old != new:
        yield pointer, old, new
