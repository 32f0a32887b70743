"""Namespaces and the labels by which namespace selectors find them."""

from __future__ import annotations

from typing import Any

from kubelint_gpu.kube.objects.meta import named, read_meta
from kubelint_gpu.kube.values.errors import InvalidObject
from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap
from kubelint_gpu.values import dataclass

NAME_LABEL = "kubernetes.io/metadata.name"


@dataclass(frozen=True, slots=True)
class Namespace:
    """A namespace; its labels include the one that the API server sets from its name."""

    name: str
    labels: FrozenMap[str, str] = EMPTY


def read_namespace(value: Any, problems: list[InvalidObject] | None = None) -> Namespace:
    """A `v1.Namespace`, with the label `kubernetes.io/metadata.name` that API defaulting adds.

    Raises:
        InvalidObject: a field has a value the API server would refuse (only without a list for `problems`).
    """
    fields = Fields(value, (), problems)
    try:
        meta = read_meta(fields.down("metadata"), namespaced=False)
        return Namespace(meta.name, FrozenMap({**meta.labels, NAME_LABEL: meta.name}))
    except InvalidObject as error:
        raise named(error, value) from None
