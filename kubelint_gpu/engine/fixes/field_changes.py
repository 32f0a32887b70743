"""What differs between two values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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


def former_of(change: Change, differing: Sequence[Change]) -> Change | None:
    """The entry in whose place a new one comes: the only one that goes from the same mapping, where one comes."""
    home = change[0][:-1]
    gone = [one for one in differing if one[0][:-1] == home and one[2] is ABSENT]
    come = [one for one in differing if one[0][:-1] == home and one[1] is ABSENT]
    scalars = not any(isinstance(value, dict | list) for one in (*gone, *come) for value in one[1:])
    return gone[0] if len(gone) == len(come) == 1 and come[0] is change and scalars else None
