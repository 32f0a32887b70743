"""Namespaces as they are read."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.objects.namespace import read_namespace
from kubelint_gpu.kube.values.errors import InvalidObject


def thing(kind, name="x", **meta):
    return {"kind": kind, "metadata": {"name": name, **meta}}


def test_a_namespace_has_its_name_as_a_label():
    found = read_namespace(thing("Namespace", "a", labels={"team": "ml", "kubernetes.io/metadata.name": "b"}))
    assert found.labels == {"team": "ml", "kubernetes.io/metadata.name": "a"}
    with pytest.raises(InvalidObject):
        read_namespace(thing("Namespace", "a", labels={"team": 3}))
