"""Resource quantities, exact.

Grammar and rounding are those of apimachinery's `resource.Quantity`: a decimal number, then nothing, one of `n u m k M
G T P E`, one of `Ki Mi Gi Ti Pi Ei`, or a decimal exponent. No value here is ever a float.
"""

from __future__ import annotations

import fractions
import re
from functools import lru_cache
from typing import Any, TypeAlias

from kubelint_gpu.patterns import pattern

_FRACTIONS = (("m", 10**3), ("u", 10**6), ("n", 10**9))
Amount: TypeAlias = "int | fractions.Fraction"
"""A quantity in its unit; a whole one is an `int`."""
_FORM = pattern(
    r"(?P<number>[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))(?:(?P<suffix>[numkMGTPE]|[KMGTPE]i)|[eE](?P<exponent>[+-]?[0-9]{1,4}))?",
    re.ASCII,
)
_DECIMAL = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_LARGEST = 2**63 - 1
_LARGEST_EXPONENT = 100
_LONGEST = 64
_CPU = "cpu"
ONE = 1000
"""One of what is counted, in the thousandths in which amounts are kept."""


def text(amount: str | float) -> str:
    """A quantity as a string, as in an API object; numbers are written as they were read."""
    return amount if isinstance(amount, str) else str(amount)


def difference(resource: str, whole: str | float, part: str | float) -> str | None:
    """`whole` minus `part`, exact, or None if that is below zero.

    Raises:
        QuantityError: one of them is no quantity.
    """
    left = parse_quantity(whole) - parse_quantity(part)
    if left < 0:
        return None
    if left.denominator == 1:
        return shown(resource, int(left) * (1000 if resource == "cpu" else 1))
    for suffix, parts in _FRACTIONS:
        if (left * parts).denominator == 1:
            return f"{int(left * parts)}{suffix}"
    # Finer than the API's resolution of a billionth.
    return f"{int(left * 10**9)}n"


class QuantityError(ValueError):
    """A text is no quantity; the message describes a valid one."""


def parse_quantity(value: str | float) -> Amount:
    """The exact amount of a quantity.

    Numbers are read as the decimal text that YAML or JSON gave for them.

    Raises:
        QuantityError: the text is not a quantity.
    """
    parts, whole = _ratio(value)
    return fractions.Fraction(parts, whole) if parts % whole else parts // whole


def whole(amount: Amount) -> int:
    """An amount rounded up to an int64, like `Quantity.Value` of apimachinery."""
    return max(-_LARGEST - 1, min(-(-amount // 1), _LARGEST))


def _ratio(value: Any) -> tuple[int, int]:
    if isinstance(value, str):
        return _parse(value)
    if isinstance(value, bool):
        raise QuantityError('must be a quantity such as 1, 500m or 16Gi, not the boolean "' + str(value).lower() + '"')
    if isinstance(value, int):
        return value, 1
    if isinstance(value, float):
        return _parse(repr(value))
    raise QuantityError("must be a quantity such as 1, 500m or 16Gi")


@lru_cache(maxsize=65536)
def _parse(text: str) -> tuple[int, int]:
    found = _FORM().fullmatch(text) if len(text) <= _LONGEST else None
    if found is None:
        raise QuantityError(f'"{text[:_LONGEST]}" is no quantity{_hint(text)}')
    before, _, after = found["number"].partition(".")
    suffix, exponent = found["suffix"], int(found["exponent"] or 0)
    if abs(exponent) > _LARGEST_EXPONENT:
        raise QuantityError(f'the exponent of "{text}" is too large')
    power = exponent + _DECIMAL.get(suffix, 0) - len(after)
    parts = int(before + after) << _BINARY.get(suffix, 0)
    return parts * 10 ** max(power, 0), 10 ** max(-power, 0)


def _hint(text: str) -> str:
    stripped = text.strip()
    if stripped != text and _FORM().fullmatch(stripped):
        return f'; write "{stripped}" without spaces'
    wrong = {"K": "k or Ki", "KB": "k or Ki", "kb": "k or Ki", "kB": "k or Ki", "ki": "Ki"}
    wrong |= {unit + tail: f"{unit} or {unit}i" for unit in "MGTPE" for tail in ("B", "iB", "b", "I")}
    wrong |= {unit.lower(): f"{unit} or {unit}i" for unit in "GTP"} | {
        unit + "i": unit.upper() + "i" for unit in "mgtpe"
    }
    number = stripped.rstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz ")
    suffix = stripped[len(number) :].strip()
    if number and suffix in wrong:
        return f"; the suffix is {wrong[suffix]}"
    return "; a number, then nothing, one of n u m k M G T P E, or one of Ki Mi Gi Ti Pi Ei"


def thousandths(value: Any) -> int:
    """A quantity in thousandths of its unit, rounded up, as API defaulting rounds every resource list.

    Raises:
        QuantityError: the value is not a quantity.
    """
    parts, whole = _ratio(value)
    return -(-parts * 1000 // whole)


def scheduler_units(resource: str, amount: int) -> int:
    """Thousandths as the integer that kube-scheduler counts in.

    Milli-CPU for `cpu`; whole units, rounded up, for everything else.
    """
    return amount if resource == _CPU else -(-amount // 1000)


def shown(resource: str, amount: int) -> str:
    """An amount in the scheduler's units in common notation: `1500m`, `16Gi`, `2`."""
    if resource == _CPU:
        return str(amount // 1000) if amount % 1000 == 0 else f"{amount}m"
    if resource in ("memory", "ephemeral-storage") or resource.startswith("hugepages-"):
        for suffix, power in reversed(_BINARY.items()):
            if amount and amount % 2**power == 0:
                return f"{amount >> power}{suffix}"
    return str(amount)


def canonical(amount: int) -> str:
    """Thousandths of a unit as a quantity's shortest exact text, as the API server prints it.

    A binary suffix is preferred if it is as short: the number alone does not show how it was written.
    """
    decimal = next((f"{amount // step}{suffix}" for suffix, step in _DECIMAL_STEPS if amount % step == 0), str(amount))
    units = amount // 1000
    if amount % 1000 or not units:
        return decimal if units or amount else "0"
    binary = next((f"{units >> power}{suffix}" for suffix, power in _BINARY_STEPS if units % 2**power == 0), decimal)
    return binary if len(binary) <= len(decimal) else decimal


_DECIMAL_STEPS = tuple(
    (suffix, 10 ** (power + 3))
    for suffix, power in (("E", 18), ("P", 15), ("T", 12), ("G", 9), ("M", 6), ("k", 3), ("", 0), ("m", -3))
)
_BINARY_STEPS = tuple(sorted(_BINARY.items(), key=lambda entry: -entry[1]))
