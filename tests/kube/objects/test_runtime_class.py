"""RuntimeClasses as they are read."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.objects.runtime_class import read_runtime_class
from kubelint_gpu.kube.values.errors import InvalidObject


def thing(kind, name="x", **meta):
    return {"kind": kind, "metadata": {"name": name, **meta}}


def test_what_a_runtime_class_says():
    value = {
        **thing("RuntimeClass", "kata"),
        "handler": "kata",
        "overhead": {"podFixed": {"cpu": "250m"}},
        "scheduling": {"nodeSelector": {"kata": "yes"}, "tolerations": [{"operator": "Exists"}]},
    }
    found = read_runtime_class(value)
    assert (found.name, found.handler, found.overhead, found.node_selector) == (
        "kata",
        "kata",
        {"cpu": 250},
        {"kata": "yes"},
    )
    assert len(found.tolerations) == 1
    with pytest.raises(InvalidObject):
        read_runtime_class({**value, "overhead": {"podFixed": {"cpu": "much"}}})
