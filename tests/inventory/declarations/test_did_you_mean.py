"""Which field was probably meant."""

from __future__ import annotations

from kubelint_gpu.documents import read
from kubelint_gpu.inventory import load

HEAD = "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\n"


def errors_of(text, head=HEAD):
    return load([read("cluster.yaml", (head + text).encode())])[1]


def test_a_misspelt_field_is_not_also_reported_as_missing():
    (error,) = errors_of("nodes: [{name: a, gpus: {modell: L4, count: 1}}]\n")
    assert error.hint == 'did you mean "model"?'
