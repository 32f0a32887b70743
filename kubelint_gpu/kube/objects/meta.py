"""Metadata of objects: names and labels."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple, Protocol, TypeVar

from kubelint_gpu.kube.values.errors import InvalidObject
from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap
from kubelint_gpu.values import Value, replace

Read_co = TypeVar("Read_co", covariant=True)
_HASHES = {"pod-template-hash": "Deployment", "rollouts-pod-template-hash": "Rollout"}


class Reader(Protocol[Read_co]):
    """Reads an object as the API server would accept it.

    Problems are appended to the list, if there is one; otherwise the first one is raised.

    Raises:
        InvalidObject: a field has a value the API server would refuse; it names the object.
    """

    def __call__(self, value: Any, problems: list[InvalidObject] | None = None) -> Read_co:
        """The object."""


class Owner(NamedTuple):
    """The owner of a pod; the pod itself if it has no controller."""

    kind: str
    namespace: str
    name: str

    @property
    def key(self) -> str:
        """`kind/namespace/name`."""
        return f"{self.kind}/{self.namespace}/{self.name}"


class OwnerReference(Value):
    """The controller of an object."""

    kind: str
    name: str
    uid: str = ""


class Meta(Value):
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

    @property
    def maker(self) -> Owner:
        """The owner of a pod; for a ReplicaSet of a Deployment or a Rollout, that object."""
        if self.owner is None:
            return Owner("Pod", self.namespace, self.name)
        for label, kind in _HASHES.items() if self.owner.kind == "ReplicaSet" else ():
            template = self.labels.get(label)
            if template and self.owner.name.endswith("-" + template):
                return Owner(kind, self.namespace, self.owner.name.removesuffix("-" + template))
        return Owner(self.owner.kind, self.namespace, self.owner.name)

    def made_by(self, key: str) -> Meta:
        """The metadata of a pod with an owner, given as `kind/namespace/name`; a pod by itself has none."""
        kind, _, name = key.split("/", 2)
        return self if kind == "Pod" else replace(self, owner=OwnerReference(kind, name))

    def is_made_for(self, pod: Meta) -> bool:
        """Whether an object was created for this pod, and not for something else with the same name."""
        owner = self.owner
        return owner is not None and (owner.uid == pod.uid if pod.uid else owner.name == pod.name)


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
    """The error with kind and name of its object."""
    if isinstance(value, dict):
        meta = value.get("metadata")
        meta = meta if isinstance(meta, dict) else {}
        error.kind = error.kind or str(value.get("kind") or "")
        parts = (meta.get("namespace"), meta.get("name") or meta.get("generateName"))
        error.name = error.name or "/".join(str(part) for part in parts if part)
    return error


def reader(read: Callable[[Fields], Read_co]) -> Reader[Read_co]:
    """The reader of an object, made from a function that reads its fields."""

    @wraps(read)
    def whole(value: Any, problems: list[InvalidObject] | None = None) -> Read_co:
        try:
            return read(Fields(value, (), problems))
        except InvalidObject as error:
            raise named(error, value) from None

    return whole


NAME_LABEL = "kubernetes.io/metadata.name"


class Namespace(Value):
    """A namespace; its labels include the one that the API server sets from its name."""

    name: str
    labels: FrozenMap[str, str] = EMPTY


@reader
def read_namespace(fields: Fields) -> Namespace:
    """A `v1.Namespace`, with the label `kubernetes.io/metadata.name` that API defaulting adds."""
    meta = read_meta(fields.down("metadata"), namespaced=False)
    return Namespace(meta.name, FrozenMap({**meta.labels, NAME_LABEL: meta.name}))
