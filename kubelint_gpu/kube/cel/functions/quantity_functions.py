"""Quantities, semantic versions, addresses and networks: Kubernetes' extensions of the language.

Source: k8s.io/apiserver/pkg/cel/library/ip.go and cidr.go, 1.36, and Go's net/netip.
"""

from __future__ import annotations

import re
from fractions import Fraction
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_interface
from typing import Any

from kubelint_gpu.kube.cel.cel_errors import EvaluationError, NotKnown
from kubelint_gpu.kube.cel.cel_values import NO_OVERLOAD, Quantity, Semver, normalized_semver, parse_semver
from kubelint_gpu.kube.values.quantity import QuantityError, parse_quantity
from kubelint_gpu.patterns import pattern

_SHAPE = pattern(r"[+-]?[0-9]*(?:\.[0-9]*)?(?:[eEinumkKMGTP]+[0-9]*)?(?:[-+][0-9]*)?", re.ASCII)
_NO_DIGITS = pattern(r"([+-]?)\.?((?:[numkMGTPE]|[KMGTPE]i)?)", re.ASCII)
_FRACTION = pattern(r"\.([0-9]+)")
_DECIMAL = {"k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_FORM = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
_LARGEST = 2**63 - 1
_WHY = "parse error during conversion from string: "


def quantity_of(text: str) -> Quantity:
    """The quantity of a text. Raises EvaluationError if the text is no quantity."""
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
    """A quantity with a sign, a point or a suffix but no digit, as zero."""
    found = _NO_DIGITS().fullmatch(text)
    return f"{found[1]}0{found[2]}" if found is not None and text else text


def _is_whole(text: str) -> bool:
    """Whether apimachinery stores a quantity as an integer: no fraction with a binary suffix, else a short one."""
    found = _FRACTION().search(text)
    places = len(found[1]) if found is not None else 0
    return places <= _DECIMAL.get(text[-1:], 0) and text[-1:] not in ("m", "u", "n")


def is_read(parse: Any) -> Any:
    """A function that returns whether another one can parse a text."""

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


def _address(text: Any) -> IPv4Address | IPv6Address:
    """The address in a text, or that of a network."""
    if not isinstance(text, str):
        return ip_address(text.ip)
    try:
        found = ip_address(text)
    except ValueError:
        if "." in text or ":" in text:
            raise NotKnown("why a text is no address is not modelled") from None
        raise EvaluationError(f'IP Address "{text}" {_WHY}ParseAddr("{text}"): unable to parse IP') from None
    _must_be_plain(found, text)
    return found


def _must_be_plain(found: Any, text: str) -> None:
    if "%" in text:
        raise EvaluationError(f'IP address "{text}" with zone value is not allowed')
    if getattr(found, "ipv4_mapped", None) is not None:
        raise EvaluationError(f'IPv4-mapped IPv6 address "{text}" is not allowed')


def _network(text: str) -> Any:
    address, slash, bits = text.rpartition("/")
    why = "network address " + _WHY
    if not slash:
        raise EvaluationError(f"{why}{why}netip.ParsePrefix(\"{text}\"): no '/'")
    plain = bits.isascii() and bits.isdigit() and bits == str(int(bits))
    try:
        found = ip_interface(text) if plain and "%" not in address else None
    except ValueError:
        found = None
    if found is None:
        raise EvaluationError(f"{why}{why}netip.ParsePrefix({text!r})")
    if getattr(found.ip, "ipv4_mapped", None) is not None:
        raise EvaluationError(f'{why}IPv4-mapped IPv6 address "{text}" is not allowed')
    return found


def _has_address(network: Any, address: Any) -> bool:
    try:
        found = _address(address) if isinstance(address, str) else address
    except (EvaluationError, NotKnown):
        raise EvaluationError(NO_OVERLOAD) from None
    return bool(found in network.network)


def _has_network(one: Any, other: Any) -> bool:
    inner = (_network(other) if isinstance(other, str) else other).network
    return bool(inner.version == one.version and inner.subnet_of(one.network))


def _is_global(address: Any) -> bool:
    odd = address.is_unspecified or address.is_loopback or address.is_multicast or address.is_link_local
    return not odd and address != IPv4Address("255.255.255.255")


def _is_local_multicast(address: IPv4Address | IPv6Address) -> bool:
    if address.version == 4:
        return int(address) >> 8 == 0xE00000
    return address.packed[0] == 0xFF and address.packed[1] & 0x0F == 0x02


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
    "ip": _address,
    "isIP": is_read(_address),
    "ip.isCanonical": lambda text: str(_address(text)) == text,
    "family": lambda address: address.version,
    "isUnspecified": lambda address: address.is_unspecified,
    "isLoopback": lambda address: address.is_loopback,
    "isLinkLocalMulticast": _is_local_multicast,
    "isLinkLocalUnicast": lambda address: address.is_link_local,
    "isGlobalUnicast": _is_global,
    "cidr": _network,
    "isCIDR": is_read(_network),
    "containsIP": _has_address,
    "containsCIDR": _has_network,
    "prefixLength": lambda network: network.network.prefixlen,
    "masked": lambda network: ip_interface(network.network),
}
