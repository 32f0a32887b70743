"""Values as JSON and back: texts, numbers, tuples, sets, and classes that the reader names.

Reading only creates these, so that a manipulated file can contain false results but cannot execute anything.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_SET = "set"


class NotPlain(ValueError):  # noqa: N818 - it says what the text or the value is
    """A value that cannot be written, or a text that was not written by `to_text`."""


def to_text(value: Any) -> str:
    """A value on one line.

    Raises:
        NotPlain: it contains something else than texts, numbers, tuples, sets and values.
    """
    return json.dumps(_plain(value), separators=(",", ":"))


def from_text(text: str | bytes, classes: Mapping[str, type]) -> Any:
    """The value in a text, made of these classes.

    Raises:
        NotPlain: the text was not written by `to_text` with these classes.
    """
    try:
        return _value(json.loads(text), classes)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise NotPlain(str(error)) from None


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    if isinstance(value, frozenset):
        return {_SET: sorted((_plain(one) for one in value), key=json.dumps)}
    try:
        found = value.__struct_fields__
    except AttributeError:
        raise NotPlain(type(value).__name__) from None
    return {type(value).__name__: [_plain(getattr(value, name)) for name in found]}


def _value(plain: Any, classes: Mapping[str, type]) -> Any:
    if isinstance(plain, list):
        return tuple([_value(one, classes) for one in plain])
    if isinstance(plain, dict):
        ((name, parts),) = plain.items()
        made = [_value(one, classes) for one in parts]
        return frozenset(made) if name == _SET else classes[name](*made)
    return plain
