"""Device selectors: what expressions see of a device."""

from __future__ import annotations

from fractions import Fraction

import pytest
from one_device import SUBJECT

from kubelint_gpu.kube.dra.device import Attribute, Capacity, Device
from kubelint_gpu.kube.dra.selector import SelectorVerdict, selector, subject_of
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap


@pytest.mark.parametrize(
    "expression",
    [
        "device.driver == 'd.e'",
        "device.attributes['d.e'].model == 'A'",
        "device.attributes['other.com'].numa == 1",
        "'numa' in device.attributes['other.com']",
        "!('numa' in device.attributes['d.e'])",
        "!has(device.attributes['nobody.com'].x)",
        "device.attributes['d.e'].v.isGreaterThan(semver('1.2.0'))",
        "device.capacity['d.e'].memory.compareTo(quantity('40Gi')) == 0",
        "device.allowMultipleAllocations",
        "device.attributes['d.e'].?missing.orValue('x') == 'x'",
        "cel.bind(gpu, device.attributes['d.e'], gpu.model.lowerAscii() == 'a')",
    ],
)
def test_what_expressions_see(expression):
    assert selector(expression).verdict(SUBJECT) == SelectorVerdict(True)


def test_an_attribute_that_is_not_there_is_an_error():
    found = selector("device.attributes['d.e'].missing == 'x'").verdict(SUBJECT)
    assert (found.matches, found.error) == (False, "no such key: missing")


def test_a_version_is_no_verdict():
    found = selector("device.attributes['d.e'].v").verdict(SUBJECT)
    kind = "CEL result of type kubernetes.Semver could not be converted to bool"
    assert (found.matches, found.error) == (False, f"{kind}: type conversion error from 'Semver' to 'bool'")


def test_a_version_that_is_none_breaks_every_expression():
    broken = subject_of(Device("d0", FrozenMap({"v": Attribute("version", "one")})), "d.e")
    found = selector("true").verdict(broken)
    assert found.error.startswith("attribute v: parse semantic version: ")


def test_a_sum_of_quantities_can_be_compared_from_its_right_only():
    """The result of `add` and `sub` is another Go type than a quantity, so `Equal` of apiserver has no overload for it."""
    memory = "device.capacity['d.e'].memory"
    assert selector(f"{memory}.sub(1).add(1) == {memory}").verdict(SUBJECT) == SelectorVerdict(True)
    assert selector(f"{memory} == {memory}.sub(1).add(1)").verdict(SUBJECT).error == "no such overload"
    assert selector(f"{memory}.compareTo({memory}.add(1)) < 0").verdict(SUBJECT) == SelectorVerdict(True)


def test_a_capacity_that_is_no_integer_is_none():
    subject = subject_of(Device("d0", EMPTY, FrozenMap({"m": Capacity(Fraction(3, 2))})), "d.e")
    assert not selector("device.capacity['d.e'].m.isInteger()").verdict(subject).matches
    assert selector("device.capacity['d.e'].memory.isInteger()").verdict(SUBJECT).matches


@pytest.mark.parametrize("text", ["device.driver == '${DRIVER}'", "device.driver == {{ .Values.driver }}"])
def test_what_is_filled_in_later_is_neither_wrong_nor_known(text):
    found = selector(text)
    assert found.error is None
    assert found.verdict(subject_of(Device("gpu-0"), "gpu.nvidia.com")).unknown == "the expression is filled in later"
