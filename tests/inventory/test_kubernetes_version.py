"""The version of a cluster, declared or that of its kubelets."""

from __future__ import annotations

import pytest

from kubelint_gpu.inventory.kubernetes_version import cluster_version, minor_version


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1.34", (1, 34)),
        ("v1.34.1+k3s1", (1, 34)),
        ("v1.9-gke.100", (1, 9)),
        ("2.0", None),
        ("1", None),
        ("1.34x", None),
        ("1.\u0663\u0664", None),
        ("", None),
    ],
)
def test_a_version_is_read_as_kubernetes_writes_it(text, found):
    assert minor_version(text) == found


def test_the_declared_version_counts_before_kubelets_even_where_it_is_none():
    assert cluster_version("v1.33.2", ["v1.34.0"]) == "1.33"
    assert cluster_version("newest", ["v1.34.0"]) is None


def test_the_newest_kubelet_counts_by_number():
    assert cluster_version(None, ["v1.9.0", "v1.30.1", "unknown"]) == "1.30"
    assert cluster_version(None, ["unknown"]) is None
    assert cluster_version(None, []) is None
