"""What a captured inventory keeps of each kind, field by field, and what stands in each field.

Only what is named here is kept: whatever decides no placement (images, environment, commands, secrets' names,
annotations, addresses, times of heartbeats) is not listed, so no release of Kubernetes can add something that slips
through. The configuration for a driver is left out of claims: it is whatever the driver wants, passwords too.

The shapes stand in `kept.json`: a word is the role of what a field has, `@name` is another shape, and `*` names the
shape whose fields one has as well.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from kubelint_gpu.inventory.capture.roles import Role, Shape

REQUIREMENT_FIELDS = ("key", "operator", "value", "values", "effect", "tolerationSeconds")
# annotations that decide something, of any kind
ANNOTATIONS = frozenset(
    {
        "controller.kubernetes.io/pod-deletion-cost",
        "kubelint-gpu/one-per-container",
        "kubelint-gpu/pool",
        "kubelint-gpu/unhealthy",
        "kubelint-gpu/unlimited",
        "pv.kubernetes.io/bind-completed",
        "resource.kubernetes.io/extended-resource-claim",
        "storage.alpha.kubernetes.io/migrated-plugins",
        "storageclass.beta.kubernetes.io/is-default-class",
        "storageclass.kubernetes.io/is-default-class",
        "volume.beta.kubernetes.io/storage-class",
        "volume.kubernetes.io/selected-node",
    }
)
# labels that change without anybody's doing
NOISE = frozenset({"nvidia.com/gfd.timestamp"})

_TABLE = "kept.json"


@lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    return dict(json.loads(Path(__file__).with_name(_TABLE).read_text(encoding="utf-8")))


def _shape(value: Any) -> Shape:
    if isinstance(value, str):
        return _shape(_table()[value]) if value.startswith("@") else Role(value)
    return _fields(value)


def _fields(value: dict[str, Any]) -> Mapping[str, Shape]:
    every = {**_table()[value["*"]], **value} if "*" in value else value
    return {name: _shape(one) for name, one in every.items() if name != "*"}


SHAPES: Mapping[str, Mapping[str, Shape]] = {
    name: _fields(one) for name, one in _table().items() if not name.startswith("@")
}
# volumes of a pod by their field; others are mounted wherever the pod runs
VOLUMES = _fields(_table()["@volumes"])
# sources of a PersistentVolume; of others only the kind is kept
SOURCES = _fields(_table()["@sources"])
