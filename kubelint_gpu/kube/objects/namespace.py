"""Namespaces and the labels by which namespace selectors find them."""

from __future__ import annotations

from kubelint_gpu.kube.objects.meta import read_meta, reader
from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap
from kubelint_gpu.values import dataclass

NAME_LABEL = "kubernetes.io/metadata.name"


@dataclass(frozen=True, slots=True)
class Namespace:
    """A namespace; its labels include the one that the API server sets from its name."""

    name: str
    labels: FrozenMap[str, str] = EMPTY


@reader
def read_namespace(fields: Fields) -> Namespace:
    """A `v1.Namespace`, with the label `kubernetes.io/metadata.name` that API defaulting adds."""
    meta = read_meta(fields.down("metadata"), namespaced=False)
    return Namespace(meta.name, FrozenMap({**meta.labels, NAME_LABEL: meta.name}))
