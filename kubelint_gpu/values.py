"""Immutable values: structs of msgspec, whose classes cost little to make at import."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from msgspec import Struct, field, structs

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_options: object) -> Callable[[type], type]:
        """Return a decorator that returns the class: only type checkers look at the options."""
        return lambda cls: cls


V = TypeVar("V", bound="Value")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class Value(Struct, frozen=True, cache_hash=True):
    """An immutable value. Two values are equal if they have the same class and equal fields."""


class PartlyCompared(Value):
    """A value whose equality and hash ignore the fields in `not_compared`."""

    not_compared: ClassVar[frozenset[str]] = frozenset()

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and _compared(self) == _compared(other)

    def __hash__(self) -> int:
        return hash(_compared(self))


def _compared(value: Any) -> tuple[object, ...]:
    return tuple([getattr(value, name) for name in value.__struct_fields__ if name not in value.not_compared])


def replace(value: V, /, **changes: Any) -> V:
    """Return the value with some fields changed, or `value` itself if every field is that object already."""
    for name, new in changes.items():
        if getattr(value, name) is not new:
            return structs.replace(value, **changes)
    return value


__all__ = ["PartlyCompared", "Value", "replace"]
