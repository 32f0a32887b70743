"""The conditions that an expression joins."""

from __future__ import annotations

from kubelint_gpu.kube.dra.conditions import conditions_of
from kubelint_gpu.kube.dra.device import Attribute, Capacity, Device
from kubelint_gpu.kube.dra.selector import subject_of
from kubelint_gpu.kube.values.frozen import FrozenMap

GPU = subject_of(
    Device("d", FrozenMap({"model": Attribute("string", "A")}), FrozenMap({"memory": Capacity(40 * 2**30)})), "g.e"
)


def told(expression):
    found = conditions_of(expression, shareable=True)
    return [(one.path and one.path[2], one.relation, one.wanted, one.holds(GPU)) for one in found]


def test_each_condition_says_what_it_compares_and_whether_a_device_has_it():
    assert told("device.attributes['g.e'].model == 'B' && device.driver == 'g.e'") == [
        ("model", "", "B", False),
        (None, "", None, True),
    ]


def test_quantities_are_compared_by_methods():
    memory = "device.capacity['g.e'].memory"
    assert told(f"{memory}.compareTo(quantity('50Gi')) >= 0 && {memory}.isLessThan(quantity('50Gi'))") == [
        ("memory", "at least ", "50Gi", False),
        ("memory", "below ", "50Gi", True),
    ]


def test_what_cannot_be_worked_out_does_not_hold():
    assert told("device.attributes['g.e'].index == 0") == [("index", "", 0, False)]
    assert conditions_of("device.", shareable=True) == ()
