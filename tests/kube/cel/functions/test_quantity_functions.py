"""Quantities and versions as apimachinery and github.com/blang/semver read them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from kubelint_gpu.kube.cel.cel_errors import EvaluationError, NotKnown
from kubelint_gpu.kube.cel.cel_values import Quantity, normalized_semver, parse_semver
from kubelint_gpu.kube.cel.functions.quantity_functions import FUNCTIONS, quantity_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("40Gi", Quantity(40 * 2**30)),
        ("1.5Gi", Quantity(3 * 2**29, whole=False)),
        ("1.5k", Quantity(1500)),
        ("500m", Quantity(Fraction(1, 2), whole=False)),
        ("1000m", Quantity(1, whole=False)),
        ("-", Quantity(0)),
        ("k", Quantity(0)),
        ("0.0000000001", Quantity(Fraction(1, 10**9), whole=False)),
    ],
)
def test_a_quantity_is_exact_and_knows_whether_kubernetes_takes_it_for_an_integer(text, expected):
    assert quantity_of(text) == expected


@pytest.mark.parametrize(
    ("text", "message"), [("1GB", "quantities must match"), ("T4", "unable to parse quantity's suffix"), ("", "must")]
)
def test_what_is_no_quantity_is_refused_in_the_words_of_apimachinery(text, message):
    with pytest.raises(EvaluationError, match=message):
        quantity_of(text)


def test_a_quantity_with_a_fraction_has_no_integer():
    with pytest.raises(EvaluationError, match="cannot convert value to integer"):
        FUNCTIONS["asInteger"](quantity_of("1.5"))


def test_versions_are_ordered_as_semantic_versions_are():
    texts = "1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0 1.0.1 1.10.0 2.0.0"
    versions = [parse_semver(text) for text in texts.split()]
    mixed = versions[::2] + versions[1::2]
    assert sorted(mixed, key=lambda one: one.order) == versions
    assert parse_semver("1.0.0+a").order == parse_semver("1.0.0+b").order


@pytest.mark.parametrize(
    ("text", "full"), [("v1", "1.0.0"), ("1.2", "1.2.0"), ("01.02.03", "1.2.3"), ("v1.2.3-a", "1.2.3-a")]
)
def test_a_short_version_is_completed(text, full):
    assert parse_semver(normalized_semver(text)) == parse_semver(full)


@pytest.mark.parametrize("text", ["1", "1.2", "01.2.3", "1.2.3-", "1.2.3-01", "a.b.c", "", "1.2.3.4"])
def test_what_is_no_version_is_refused(text):
    with pytest.raises(EvaluationError):
        parse_semver(text)


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
