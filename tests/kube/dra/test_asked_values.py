"""What conditions compare with literals."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.dra.asked_values import conditions_of
from kubelint_gpu.kube.dra.device import Attribute, Capacity, Device
from kubelint_gpu.kube.dra.sight import subject_of
from kubelint_gpu.kube.values.frozen import FrozenMap

MODEL = "device.attributes['g.e'].model"
MEMORY = "device.capacity['g.e'].memory"


@pytest.mark.parametrize(
    ("expression", "compared"),
    [
        (f"{MODEL} in ['B', 'C']", (["model"], "", ["B", "C"])),
        (f"{MODEL}.lowerAscii().startsWith('b')", (["model"], "starting with ", ["b"])),
        (f"!({MODEL} == 'A')", (["model"], "other than ", ["A"])),
        (f"!({MEMORY}.isLessThan(quantity('50Gi')))", (["memory"], "at least ", ["50Gi"])),
        (f"'B' == {MODEL}", (["model"], "", ["B"])),
        ("3 < device.attributes['g.e'].index", (["index"], "above ", [3])),
        ("'index' in device.attributes['g.e']", (["index"], "", [])),
        (f"{MODEL} == 'B' || {MEMORY}.isLessThan(quantity('1'))", (["model", "memory"], None, [])),
        (f"!{MODEL}.matches('^A')", (["model"], None, [])),
        (f"{MODEL} == device.driver", (["model"], None, [])),
    ],
)
def test_what_is_compared_and_what_is_only_looked_at(expression, compared):
    (found,) = [one.asks for one in conditions_of(expression, shareable=True)]
    literals = [one.value for one in found.literals]
    assert ([path[2] for path in found.paths], found.relation, literals) == compared


GPU = subject_of(
    Device("d", FrozenMap({"model": Attribute("string", "A")}), FrozenMap({"memory": Capacity(40 * 2**30)})), "g.e"
)


def told(expression):
    found = conditions_of(expression, shareable=True)
    return [
        (
            [path[2] for path in one.asks.paths],
            one.asks.relation,
            [literal.value for literal in one.asks.literals],
            one.holds(GPU),
        )
        for one in found
    ]


def test_each_condition_says_what_it_compares_and_whether_a_device_has_it():
    assert told(f"{MODEL} == 'B' && device.driver == 'g.e'") == [
        (["model"], "", ["B"], False),
        (["driver"], "", ["g.e"], True),
    ]


def test_quantities_are_compared_by_methods():
    assert told(f"{MEMORY}.compareTo(quantity('50Gi')) >= 0 && {MEMORY}.isLessThan(quantity('50Gi'))") == [
        (["memory"], "at least ", ["50Gi"], False),
        (["memory"], "below ", ["50Gi"], True),
    ]


def test_what_cannot_be_worked_out_does_not_hold():
    assert told("device.attributes['g.e'].index == 0") == [(["index"], "", [0], False)]
    assert conditions_of("device.", shareable=True) == ()
