"""Addresses and networks.

Source: k8s.io/apiserver/pkg/cel/library/ip.go and cidr.go, 1.36, and Go's net/netip.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_interface
from typing import Any

from kubelint_gpu.kube.cel.cel_errors import EvaluationError, NotKnown
from kubelint_gpu.kube.cel.cel_values import NO_OVERLOAD
from kubelint_gpu.kube.cel.functions.quantity_functions import is_read

_WHY = "parse error during conversion from string: "


def _address(text: Any) -> IPv4Address | IPv6Address:
    """The address that a text means, or that of a network."""
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
