"""Addresses and networks; the values are those that Kubernetes 1.36.3 gave."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.cel.cel_errors import EvaluationError, NotKnown
from kubelint_gpu.kube.cel.functions.addresses import FUNCTIONS


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x", "unable to parse IP"),
        ("::ffff:1.2.3.4", "IPv4-mapped IPv6 address"),
        ("fe80::1%eth0", "with zone value is not allowed"),
    ],
)
def test_a_text_that_is_no_address_is_told_in_gos_words(text, why):
    with pytest.raises(EvaluationError, match=why):
        FUNCTIONS["ip"](text)
    assert not FUNCTIONS["isIP"](text)


@pytest.mark.parametrize("text", ["1:2", "1.2.3", "1.2.3.400", "01.2.3.4"])
def test_why_an_odd_text_is_no_address_is_not_known(text):
    with pytest.raises(NotKnown):
        FUNCTIONS["ip"](text)
    assert not FUNCTIONS["isIP"](text)


@pytest.mark.parametrize("text", ["10.0.0.0", "10.0.0.0/33", "10.0.0.0/08", "10.0.0.0/255.0.0.0", "10.0.0.0/+8", "/8"])
def test_a_network_needs_a_plain_length(text):
    assert not FUNCTIONS["isCIDR"](text)
    assert FUNCTIONS["isCIDR"]("10.0.0.3/8")


def test_a_network_has_addresses_and_networks_of_its_family():
    wide = FUNCTIONS["cidr"]("10.0.0.0/8")
    assert FUNCTIONS["containsIP"](wide, "10.1.1.1")
    assert not FUNCTIONS["containsIP"](wide, "::1")
    assert FUNCTIONS["containsCIDR"](wide, "10.1.0.0/16")
    assert not FUNCTIONS["containsCIDR"](wide, "::/8")
    assert FUNCTIONS["masked"](FUNCTIONS["cidr"]("10.1.2.3/8")) == wide


@pytest.mark.parametrize(
    ("text", "local"), [("224.0.0.1", True), ("224.0.1.1", False), ("ff12::1", True), ("::1", False)]
)
def test_multicast_of_a_link(text, local):
    assert FUNCTIONS["isLinkLocalMulticast"](FUNCTIONS["ip"](text)) is local
