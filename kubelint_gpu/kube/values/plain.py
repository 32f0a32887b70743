"""Plain data of an object whose types nobody has looked at yet: what is there, and nothing where it is otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from kubelint_gpu.kube.values.errors import Pointer, is_placeholder
from kubelint_gpu.kube.values.quantity import QuantityError, thousandths

_SHOWN = 40


def at(value: Any, pointer: Iterable[str | int]) -> Any:
    """What stands at a path of keys; None where there is no mapping on the way."""
    for part in pointer:
        value = value.get(part) if isinstance(value, dict) else None
    return value


def mapping(value: Any) -> dict[str, Any]:
    """A mapping; empty where it is none."""
    return value if isinstance(value, dict) else {}


def sequence(value: Any) -> list[Any]:
    """A list; empty where it is none."""
    return value if isinstance(value, list) else []


def written(value: Any) -> str:
    """A text that is there and no placeholder; empty otherwise."""
    return value if isinstance(value, str) and not is_placeholder(value) else ""


def whole(value: Any) -> int | None:
    """An integer, `3.0` among them; None where it is none."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def amount(value: Any) -> int | None:
    """A quantity in thousandths of its unit; None where it is none."""
    try:
        return thousandths(value)
    except QuantityError:
        return None


def shortened(text: str) -> str:
    """A text as a message shows it."""
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def containers(spec: dict[str, Any], base: Pointer) -> Iterator[tuple[Pointer, dict[str, Any]]]:
    """The containers of a pod's spec, then its init containers, each with its pointer."""
    for key in ("containers", "initContainers"):
        for index, container in enumerate(sequence(spec.get(key))):
            if isinstance(container, dict):
                yield (*base, key, index), container
