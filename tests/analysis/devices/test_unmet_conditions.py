"""What the condition that no device meets asks for, and what devices have instead."""

from __future__ import annotations

import pytest

from kubelint_gpu.analysis.devices.unmet_conditions import unmet
from kubelint_gpu.kube.dra.device import Attribute, Capacity, Device
from kubelint_gpu.kube.dra.sight import subject_of
from kubelint_gpu.kube.values.frozen import FrozenMap


def gpu(name, index):
    attributes = {
        "model": Attribute("string", name),
        "index": Attribute("int", index),
        "full": Attribute("bool", False),
    }
    return subject_of(Device("d", FrozenMap(attributes), FrozenMap({"memory": Capacity(80 * 2**30)})), "g.e")


GPUS = [gpu("NVIDIA H100 80GB", 0), gpu("NVIDIA H100 80GB", 1), gpu("NVIDIA A10", 2)]
OF, MEMORY = "device.attributes['g.e']", "device.capacity['g.e'].memory"


@pytest.mark.parametrize(
    ("expression", "text", "near"),
    [
        (
            f"{OF}.model in ['B200', 'H100']",
            "has model 'B200' or 'H100'; 2 have 'NVIDIA H100 80GB', 1 has",
            "NVIDIA H100 80GB",
        ),
        (f"{OF}.model.startsWith('H100')", "has model starting with 'H100'; 2 have 'NVIDIA H", "NVIDIA H100 80GB"),
        (f"{OF}.model.lowerAscii().contains('b2')", "has model containing 'b2'; 2 have 'NVIDIA H", ""),
        (f"{OF}.index in [4, 5, 6, 7, 8]", "has index 4, 5, 6 or 2 others; 1 has 0, 1 has 1", ""),
        (f"{OF}.model.matches('^A')", "has model matching '^A'; 2 have 'NVIDIA H", ""),
        (f"!({OF}.full == false)", "has full other than false; 3 have false", ""),
        ("device.driver == 'g.f' ", "has driver 'g.f'; 3 have 'g.e'", ""),
        (
            f"{OF}.model == 'B' || {OF}.index > 3",
            "about index and model; index: 1 has 0, 1 has 1, 1 has 2; model: 2",
            "",
        ),
        (f"{OF}.index > 0 && {MEMORY}.isGreaterThan(quantity('90Gi'))", "has memory above 90Gi; 2 have 80Gi", ""),
        (f"has({OF}.missing)", "no device of it has missing", ""),
        ("[1].exists(x, x == 2)", "none of the 3 devices of it satisfies it", ""),
    ],
)
def test_what_devices_have_is_told_beside_what_is_asked(expression, text, near):
    found = unmet(expression, GPUS, "of it", shareable=True)
    assert text in found.text
    assert found.near == near


def test_the_literal_that_was_probably_meant_as_another_is_the_one_to_write_anew():
    expression = f"{OF}.model in ['B200', 'A-10']"
    found = unmet(expression, [gpu("A10", 0)], "of it", shareable=True)
    assert (found.wanted, found.near) == ("A-10", "A10")
    assert expression[found.offset or 0 :].startswith("'A-10'")
