"""Writes plain data as YAML and JSON text that every reader parses as the same value."""

from __future__ import annotations

import json
import re
from typing import Any

from kubelint_gpu.documents import scalars
from kubelint_gpu.patterns import pattern

# Text that needs no quotes: neither kubectl nor YAML 1.1 or 1.2 sees a number, a date or a word in it.
_BARE = pattern(r"[A-Za-z_/][A-Za-z0-9_./-]*(?::[A-Za-z0-9_./-]+)*|[0-9]+(?:%|[A-Za-z]{1,2})")
_ESCAPED = pattern("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")
_UNIT = "  "


def scalar_text(value: scalars.Scalar) -> str:
    """Return the scalar in YAML on one line, valid in block and in flow style."""
    if isinstance(value, str):
        if _BARE().fullmatch(value) and scalars.plain(value) == value and scalars.plain_key(value) == value:
            return value
        return _ESCAPED().sub(_escape, json.dumps(value, ensure_ascii=False))
    return json.dumps(value)


def flow_text(value: Any) -> str:
    """Return the value in YAML on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{scalar_text(key)}: {flow_text(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(flow_text(element) for element in value) + "]"
    if isinstance(value, str) and ":" in value:
        # parsers differ in what a colon means inside of brackets
        return _ESCAPED().sub(_escape, json.dumps(value, ensure_ascii=False))
    return scalar_text(value)


def json_text(value: Any, indent: str | None = None) -> str:
    """Return the value in JSON; on one line, or indented by `indent` for each level."""
    return json.dumps(value, indent=indent or None)


def entry_lines(key: str, value: Any) -> list[str]:
    """Return `key: value` in block style, as lines without indentation."""
    name = scalar_text(key)
    if not isinstance(value, dict | list | tuple) or not value:
        return [f"{name}: {flow_text(value)}"]
    inner = "" if isinstance(value, list | tuple) else _UNIT
    return [f"{name}:", *(inner + line for line in block_lines(value))]


def block_lines(value: Any) -> list[str]:
    """Return the value in block style, as lines without indentation; lists are not indented below their key."""
    if isinstance(value, dict) and value:
        return [line for key, entry in value.items() for line in entry_lines(key, entry)]
    if isinstance(value, list | tuple) and value:
        return [
            ("- " if number == 0 else _UNIT) + line
            for element in value
            for number, line in enumerate(block_lines(element))
        ]
    return [flow_text(value)]


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"
