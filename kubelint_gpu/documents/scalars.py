"""Resolves scalars as kubectl does, and finds their place in the text.

Its library follows neither YAML 1.1 nor 1.2: the words of 1.1 are booleans, but base 60 numbers and dates are text.
Mirrors goyaml.v2 `resolve.go` followed by the JSON conversion of sigs.k8s.io/yaml (kubectl 1.32).
"""

from __future__ import annotations

import math
import struct
from functools import lru_cache

from kubelint_gpu.patterns import pattern

_PROPERTIES = pattern(r"(?:[&!][^\s,\[\]{}]*|#[^\r\n\u0085\u2028\u2029]*|\s+)*")
_COLON = pattern(r"\s*:")
_LINE_END = pattern(r"\r\n|[\n\r\u0085\u2028\u2029]")
_WITH_DEFAULT = pattern(r"\$\{[A-Za-z_][A-Za-z0-9_]*:?[=-](?P<default>[^${}\n]*)\}")

Scalar = str | int | float | bool | None

# A plain scalar that begins with none of these is text, whatever follows.
HINTS = frozenset("0123456789+-.~yYnNtTfFoO")

WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
}

# JSON has no such numbers, so kubectl refuses a document that holds one.
NOT_IN_JSON: dict[str, float] = {
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}

# What a core tag demands of the value; all other tags leave text as it is.
TAGGED: dict[str, type | tuple[type, ...]] = {
    "int": int,
    "float": (int, float),
    "bool": bool,
    "null": type(None),
    "timestamp": str,
}

_INTEGER = pattern(r"[-+]?(?:(0[xX][0-9a-fA-F]+)|(0[oO][0-7]+)|(0[bB][01]+)|(0[0-7]+)|(0|[1-9][0-9]*))")
_BASES = (16, 8, 2, 8, 10)
_FLOAT = pattern(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_POINT_FLOAT = pattern(r"\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?")
_LONGEST_INTEGER = 80


class NotJson(ValueError):  # noqa: N818 - it states what the scalar is, the message is the reader's
    """The scalar is a number that JSON does not allow: infinity or not-a-number."""


def plain(text: str) -> Scalar:
    """Return the value of a scalar without quotes and without a tag. Raises NotJson for `.inf` and `.nan`."""
    if text in WORDS:
        return WORDS[text]
    first = text[0]
    if first not in HINTS or first.isalpha():
        return text
    if text in NOT_IN_JSON:
        raise NotJson(text)
    if first == ".":
        return _float(text.replace("_", ""), text) if _POINT_FLOAT().fullmatch(text) else text
    digits = text.replace("_", "")
    found = _INTEGER().fullmatch(digits) if len(digits) <= _LONGEST_INTEGER else None
    if found is not None:
        return _integer(int(digits, _BASES[(found.lastindex or 0) - 1]))
    return _float(digits, text) if _FLOAT().fullmatch(digits) else text


def key(value: Scalar) -> str | None:
    """Return the JSON key for a scalar; None if kubectl refuses it (null, and integers beyond 64 bits)."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return None if value is None else _short_float(value)


@lru_cache(maxsize=4096)
def plain_key(text: str) -> str | None:
    """Return the JSON key for a key without quotes and without a tag.

    Unlike in a value, a float stays a float: `1e6` is `1e+06`, not `1000000`.
    """
    if text in NOT_IN_JSON:
        return text.lower().lstrip("+")
    value = plain(text)
    if isinstance(value, int) and not isinstance(value, bool):
        digits = text.replace("_", "")
        if _INTEGER().fullmatch(digits) is None:
            return _short_float(float(digits))
    return key(value)


def _integer(value: int) -> int | float:
    """Return the integer, or a float beyond signed 64 bits, as in Kubernetes."""
    return value if -(2**63) <= value < 2**63 else float(value)


def _float(digits: str, text: str) -> Scalar:
    """Return a float; a whole number within 64 bits becomes an integer, as in the conversion to JSON."""
    value = float(digits)
    if math.isinf(value):
        return text
    if value.is_integer() and abs(value) < 2.0**63:
        return int(value)
    return value


def _short_float(value: float) -> str:
    """Go's `strconv.FormatFloat(value, 'g', -1, 32)`: the shortest digits that give the same 32-bit float."""
    try:
        single = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return ".inf" if value > 0 else "-.inf"
    text = next(
        short
        for precision in range(10)
        if struct.unpack("<f", struct.pack("<f", float(short := f"{single:.{precision}e}")))[0] == single
    )
    mantissa, exponent = text.split("e")
    if -4 <= int(exponent) < 6:
        decimals = max(0, len(mantissa.lstrip("-").replace(".", "")) - 1 - int(exponent))
        return f"{float(text):.{decimals}f}"
    return f"{mantissa}e{exponent}"


def with_defaults(text: str) -> str:
    """Return the text with the default of each variable filled in; unchanged if one has no default.

    Source: envsubst of Flux (`postBuild.substitute` of a Kustomization, github.com/fluxcd/pkg/envsubst), which replaces
    the text before it is read as YAML.
    """
    filled = _WITH_DEFAULT().sub(lambda found: found["default"], text)
    return text if "${" in filled else filled


def after_properties(text: str, begin: int) -> int:
    """Return where a value begins behind its anchor and tag."""
    match = _PROPERTIES().match(text, begin)
    return match.end() if match else begin


def after_header(text: str, begin: int) -> int:
    """Return where the lines of a block scalar begin behind `|` and an optional comment."""
    match = _LINE_END().search(text, begin)
    return match.end() if match else begin


def place_of_nothing(text: str, begin: int, last: int, *, is_value: bool) -> int:
    """Return the offset behind the colon or dash of an empty value; one of the parsers gives that of the next word."""
    if is_value:
        colon = _COLON().match(text, last)
        return colon.end() if colon else last
    if text[begin - 1 : begin] == "-":
        return begin
    dash = text.rfind("-", last, begin)
    return dash + 1 if dash >= 0 else begin


def from_base64(text: str) -> str | None:
    """Return the decoded text of a `!!binary` scalar; None if it is not base64."""
    from base64 import b64decode

    try:
        return b64decode("".join(text.split()), validate=True).decode(errors="replace")
    except ValueError:
        return None
