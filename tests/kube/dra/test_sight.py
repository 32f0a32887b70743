"""What of a device an expression looks at."""

from __future__ import annotations

import pytest
from one_device import SUBJECT

from kubelint_gpu.kube.dra.selector import selector
from kubelint_gpu.kube.dra.sight import Sight


@pytest.mark.parametrize(
    ("expression", "sight"),
    [
        ("true", Sight()),
        ("device.driver == 'x'", Sight()),
        ("device.attributes['d.e'].model == 'A'", Sight(frozenset({("attributes", "d.e", "model")}))),
        ("device.attributes['d.e']['model'] == 'A'", Sight(frozenset({("attributes", "d.e", "model")}))),
        ("'model' in device.attributes['d.e']", Sight(frozenset({("attributes", "d.e", "model")}))),
        ("device.capacity['d.e'].?m.hasValue()", Sight(frozenset({("capacity", "d.e", "m")}))),
        ("device.attributes['d.e'].exists(k, k == 'x')", Sight(everything=True)),
        ("cel.bind(g, device.attributes['d.e'], g.model == 'A')", Sight(everything=True)),
        ("device.attributes[device.driver].model == 'A'", Sight(everything=True)),
    ],
)
def test_the_parts_of_a_device_that_an_expression_looks_at(expression, sight):
    assert selector(expression).sight == sight


def test_the_sight_decides_nothing():
    """An expression says the same of a device whether its sight is known or everything is looked at."""
    texts = (
        "device.attributes['d.e'].model == 'A'",
        "'x' in device.attributes['d.e']",
        "device.capacity['d.e'].memory.isGreaterThan(quantity('50Gi'))",
    )
    for text in texts:
        wide = f"cel.bind(device2, device, {text.replace('device.', 'device2.')})"
        assert selector(wide).sight.everything
        assert selector(wide).verdict(SUBJECT) == selector(text).verdict(SUBJECT)
