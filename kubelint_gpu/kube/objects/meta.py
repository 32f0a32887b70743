"""What every object has: its name and its labels."""

from __future__ import annotations

from typing import Any

from kubelint_gpu.kube.values.errors import InvalidObject
from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap
from kubelint_gpu.values import dataclass


@dataclass(frozen=True, slots=True)
class OwnerReference:
    """The controller of an object."""

    kind: str
    name: str
    uid: str = ""


@dataclass(frozen=True, slots=True)
class Meta:
    """`metadata`, as far as scheduling and rollouts look at it.

    `created` and other times are RFC 3339 texts in UTC, so that their order is the order of their characters.
    """

    name: str = ""
    namespace: str = ""
    uid: str = ""
    labels: FrozenMap[str, str] = EMPTY
    annotations: FrozenMap[str, str] = EMPTY
    owner: OwnerReference | None = None
    terminating: bool = False
    created: str = ""


def read_meta(fields: Fields, *, namespaced: bool = True) -> Meta:
    """`metadata` of an object; a namespaced object without a namespace is in `default`."""
    owner = None
    for reference in fields.children("ownerReferences"):
        if owner is None or reference.boolean("controller"):
            owner = OwnerReference(reference.text("kind"), reference.text("name"), reference.text("uid"))
    return Meta(
        name=fields.text("name") or fields.text("generateName"),
        namespace=fields.text("namespace", "default") if namespaced else "",
        uid=fields.text("uid"),
        labels=fields.labels("labels"),
        annotations=fields.labels("annotations"),
        owner=owner,
        terminating="deletionTimestamp" in fields,
        created=fields.text("creationTimestamp"),
    )


def named(error: InvalidObject, value: Any) -> InvalidObject:
    """The same error with kind and name of the object it is about."""
    if isinstance(value, dict):
        meta = value.get("metadata")
        meta = meta if isinstance(meta, dict) else {}
        error.kind = error.kind or str(value.get("kind") or "")
        parts = (meta.get("namespace"), meta.get("name") or meta.get("generateName"))
        error.name = error.name or "/".join(str(part) for part in parts if part)
    return error
