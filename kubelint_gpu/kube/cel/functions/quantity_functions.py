"""Quantities and semantic versions: what Kubernetes adds to the language."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from kubelint_gpu.kube.cel.cel_errors import EvaluationError, NotKnown
from kubelint_gpu.kube.cel.cel_values import Quantity, Semver, normalized_semver, parse_semver
from kubelint_gpu.kube.values.quantity import QuantityError, parse_quantity
from kubelint_gpu.patterns import pattern

_SHAPE = pattern(r"[+-]?[0-9]*(?:\.[0-9]*)?(?:[eEinumkKMGTP]+[0-9]*)?(?:[-+][0-9]*)?", re.ASCII)
_NO_DIGITS = pattern(r"([+-]?)\.?((?:[numkMGTPE]|[KMGTPE]i)?)", re.ASCII)
_FRACTION = pattern(r"\.([0-9]+)")
_DECIMAL = {"k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_FORM = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
_LARGEST = 2**63 - 1


def quantity_of(text: str) -> Quantity:
    """The quantity that a text means.

    Raises:
        EvaluationError: it means none.
    """
    try:
        amount = parse_quantity(_with_digits(text))
    except QuantityError:
        wrong = not text or _SHAPE().fullmatch(text) is None
        raise EvaluationError(_FORM if wrong else "unable to parse quantity's suffix") from None
    nano = -(-max(amount, -amount) * 10**9 // 1)  # finer amounts are rounded away from zero
    sign = 1 if amount >= 0 else -1
    if nano % 10**9:
        return Quantity(Fraction(nano, 10**9) * sign, whole=False)
    return Quantity(nano // 10**9 * sign, _is_whole(text))


def _with_digits(text: str) -> str:
    """A quantity that has a sign, a point or a suffix and no digit is zero."""
    found = _NO_DIGITS().fullmatch(text)
    return f"{found[1]}0{found[2]}" if found is not None and text else text


def _is_whole(text: str) -> bool:
    """Whether apimachinery holds a quantity as an integer: with a binary suffix no fraction, else a short one."""
    found = _FRACTION().search(text)
    places = len(found[1]) if found is not None else 0
    return places <= _DECIMAL.get(text[-1:], 0) and text[-1:] not in ("m", "u", "n")


def is_read(parse: Any) -> Any:
    """The function that says whether another one reads a text."""

    def check(*values: Any) -> bool:
        try:
            parse(*values)
        except (EvaluationError, NotKnown):
            return False
        return True

    return check


def _semver(text: str, normalize: bool = False) -> Semver:
    return parse_semver(normalized_semver(text) if normalize else text)


def _key(value: Any) -> Any:
    return value.order if isinstance(value, Semver) else value.amount


def _compared(one: Any, other: Any) -> int:
    mine, theirs = _key(one), _key(other)
    return int(mine > theirs) - int(mine < theirs)


def _integer(value: Quantity) -> int:
    if not _is_integer(value):
        raise EvaluationError("cannot convert value to integer")
    return int(value.amount)


def _is_integer(value: Quantity) -> bool:
    return value.whole and -_LARGEST <= value.amount <= _LARGEST


def _plus(sign: int) -> Any:
    def plus(one: Quantity, other: Any) -> Quantity:
        more = other if isinstance(other, Quantity) else Quantity(other)
        return Quantity(one.amount + sign * more.amount, one.whole and more.whole, derived=True)

    return plus


FUNCTIONS: dict[str, Any] = {
    "quantity": quantity_of,
    "isQuantity": is_read(quantity_of),
    "sign": lambda value: (value.amount > 0) - (value.amount < 0),
    "isGreaterThan": lambda one, other: _compared(one, other) > 0,
    "isLessThan": lambda one, other: _compared(one, other) < 0,
    "compareTo": _compared,
    "asApproximateFloat": lambda value: float(value.amount),
    "asInteger": _integer,
    "isInteger": _is_integer,
    "add": _plus(1),
    "sub": _plus(-1),
    "semver": _semver,
    "isSemver": is_read(_semver),
    "major": lambda value: value.major,
    "minor": lambda value: value.minor,
    "patch": lambda value: value.patch,
}
