"""What conditions compare with literals."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.dra.conditions import conditions_of

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
