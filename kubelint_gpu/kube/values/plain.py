"""Helpers for plain, untyped data of an object, and differences between two versions of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from kubelint_gpu.kube.values.errors import Pointer, is_placeholder
from kubelint_gpu.kube.values.quantity import QuantityError, thousandths

_SHOWN = 40


def differences(old: Any, new: Any, at: Pointer = (), *, live: bool = False) -> Iterator[Pointer]:
    """Yield the smallest parts that differ, in the order of the new version; removed parts come last.

    `live`: the old version was read from a cluster, which has added fields: a field that is only there is no
    difference. A placeholder may become anything, so it differs from nothing.
    """
    if is_placeholder(old) or is_placeholder(new):
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for key, value in new.items():
            if key in old:
                yield from differences(old[key], value, (*at, key), live=live)
            elif not is_placeholder(value):
                yield (*at, key)
        if not live:
            yield from ((*at, key) for key in old if key not in new)
    elif isinstance(old, list) and isinstance(new, list):
        for index, value in enumerate(new):
            if index < len(old):
                yield from differences(old[index], value, (*at, index), live=live)
            else:
                yield (*at, index)
        if len(old) > len(new) and not live:
            yield at
    elif old != new or isinstance(old, bool) != isinstance(new, bool):
        yield at


def at(value: Any, pointer: Iterable[str | int]) -> Any:
    """The value at a path of keys and indices; None if a mapping or an element is missing on the way."""
    for part in pointer:
        inside = isinstance(value, list) and isinstance(part, int) and part < len(value)
        value = value.get(part) if isinstance(value, dict) else value[part] if inside else None
    return value


def mapping(value: Any) -> dict[str, Any]:
    """The mapping; empty if the value is none."""
    return value if isinstance(value, dict) else {}


def sequence(value: Any) -> list[Any]:
    """The list; empty if the value is none."""
    return value if isinstance(value, list) else []


def written(value: Any) -> str:
    """The text, if it is one and no placeholder; otherwise empty."""
    return value if isinstance(value, str) and not is_placeholder(value) else ""


def whole(value: Any) -> int | None:
    """The integer, also of `3.0`; None if it is none."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def amount(value: Any) -> int | None:
    """A quantity in thousandths of its unit; None if it is none."""
    try:
        return thousandths(value)
    except QuantityError:
        return None


def shortened(text: str) -> str:
    """A text shortened for a message."""
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def containers(spec: dict[str, Any], base: Pointer) -> Iterator[tuple[Pointer, dict[str, Any]]]:
    """The containers of a pod's spec, then its init containers, each with its pointer."""
    for key in ("containers", "initContainers"):
        for index, container in enumerate(sequence(spec.get(key))):
            if isinstance(container, dict):
                yield (*base, key, index), container
