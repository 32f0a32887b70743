"""The versions of `resource.k8s.io` and what differs between their shapes."""

from __future__ import annotations

from kubelint_gpu.kube.values.fields import Fields


def is_v1beta1(fields: Fields) -> bool:
    """Whether an object has the shape of v1beta1: requests without `exactly`, devices with `basic`."""
    version = fields.value.get("apiVersion")
    return isinstance(version, str) and version.rpartition("/")[2] in ("v1beta1", "v1alpha3")
