"""Device selectors: what expressions see of a device."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction

import pytest
from one_device import SUBJECT

from kubelint_gpu.kube.cel.evaluation_cost import TOO_LONG
from kubelint_gpu.kube.dra.device import Attribute, Capacity, Device
from kubelint_gpu.kube.dra.selector import Selector, SelectorVerdict, selector
from kubelint_gpu.kube.dra.sight import subject_of
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap
from kubelint_gpu.work import UsedUp, limited, part


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


def _devices(number):
    return [
        subject_of(Device(f"d{place}", FrozenMap({"uuid": Attribute("string", str(place))})), "d.e")
        for place in range(number)
    ]


def test_what_a_run_evaluates_is_charged_to_it_once_for_devices_that_look_the_same():
    looped = selector("[1, 2, 3, 4].all(x, [1, 2, 3, 4].all(y, x + y > 0)) && device.attributes['d.e'].uuid == '0'")
    first, second = _devices(2)
    with limited(10_000) as allowance:
        looped.verdict(first)
        once = 10_000 - allowance.left
        with part(1, 2):
            looped.verdict(first)
        assert (10_000 - allowance.left, once > 10) == (once, True)
        looped.verdict(second)
        assert 10_000 - allowance.left == 2 * once
    with limited(once), suppress(UsedUp):
        looped.verdict(first)
        looped.verdict(second)
        pytest.fail("the second device is paid for by nothing")


def test_an_expression_that_takes_too_long_is_tried_for_one_device_of_a_run():
    large = selector(f"'{'a' * 2000}'.matches('^(a?){{1000}}a{{1000}}$') && device.attributes['d.e'].uuid != ''")
    with limited(10_000) as allowance:
        first, *others = [large.verdict(one) for one in _devices(400)]
        assert (first.unknown, {*others}) == (TOO_LONG, {first})
        assert allowance.left > 0


def test_large_patterns_are_charged_where_they_are_made():
    many = " || ".join(f"device.driver.matches('[^a]{{1000}}{number}')" for number in range(100))
    with limited(1_000), pytest.raises(UsedUp):
        Selector(many, shareable=True)
