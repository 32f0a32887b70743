"""Fields, items and entries of values, and the errors if they are missing."""

from __future__ import annotations

from typing import Any

from kubelint_gpu.kube.cel.cel_errors import EvaluationError
from kubelint_gpu.kube.cel.cel_values import NONE, Map, Optional, type_name
from kubelint_gpu.kube.cel.evaluation_cost import Evaluation, Step


def index_step(args: list[Step], *, optional: bool) -> Step:
    """The program for `a[b]` and `a[?b]`."""
    operand, index = args

    def lookup(run: Evaluation) -> Any:
        value, key = operand(run), index(run)
        run.spend(1)
        if type(value) is Optional:
            return optional_field(value, key)
        if not optional:
            return at(value, key)
        return _optional_at(value, key)

    return lookup


def at(value: Any, key: Any) -> Any:
    """The entry or item of a value. Raises EvaluationError if it is missing."""
    if not isinstance(key, (str, int, float)):
        raise EvaluationError(f"invalid qualifier type: {type_name(key)}")
    if type(value) is Map:
        present, found = value.find(key)
        if present:
            return found
    elif type(value) is list:
        return _item(value, key)
    raise EvaluationError(f"no such key: {_written(key)}")


def _item(items: list[Any], key: Any) -> Any:
    if isinstance(key, bool) or not isinstance(key, (int, float)) or key != int(key):
        raise EvaluationError(f"unsupported index type '{type_name(key)}' in list")
    if not 0 <= key < len(items):
        raise EvaluationError(f"index out of bounds: {int(key)}")
    return items[int(key)]


def _optional_at(value: Any, key: Any) -> Optional:
    if type(value) is Map:
        present, found = value.find(key)
        return Optional(True, found) if present else NONE
    if type(value) is list and isinstance(key, int) and not isinstance(key, bool) and 0 <= key < len(value):
        return Optional(True, value[key])
    return NONE


def optional_field(value: Optional, key: Any) -> Optional:
    """The entry or item of an optional value; no value if either is missing."""
    return _optional_at(value.value, key) if value.present else NONE


def has(value: Any, name: str) -> bool:
    """Whether a value has a field."""
    if type(value) is Optional:
        return value.present and has(value.value, name)
    return type(value) is Map and value.find(name)[0]


def _written(key: Any) -> str:
    if isinstance(key, bool):
        return str(key).lower()
    return str(key)
