"""The fields of Kubernetes' own objects by release, and fields of an object that its kind does not have.

kube-apiserver refuses unknown fields and wrong types with a strict decoding error, as kubectl requests. The table is
generated from the published schemas by `python -m tools.api_fields`; a type is parsed when first needed.
`service` says which release serves an apiVersion and kind, and what replaces it. Before 1.25 its source is the
deprecated API migration guide of Kubernetes, since then the published schemas.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from kubelint_gpu.kube.values.errors import Pointer, is_placeholder
from kubelint_gpu.kube.values.fields import described
from kubelint_gpu.kube.values.quantity import QuantityError, thousandths
from kubelint_gpu.values import Value

_TABLE = "api_fields.txt"
_APPS = ("Deployment", "DaemonSet", "ReplicaSet", "StatefulSet")
_RBAC = ("ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding")
_STORAGE = ("CSIDriver", "CSINode", "StorageClass", "VolumeAttachment")
_HOOKS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
# apiVersion, kinds, the release without it, what replaces it, whether its fields are the same
_GONE: tuple[tuple[str, tuple[str, ...], int, str, bool], ...] = (
    ("extensions/v1beta1", ("Deployment", "DaemonSet", "ReplicaSet"), 16, "apps/v1", True),
    ("extensions/v1beta1", ("NetworkPolicy",), 16, "networking.k8s.io/v1", True),
    ("extensions/v1beta1", ("PodSecurityPolicy",), 16, "", False),
    ("extensions/v1beta1", ("Ingress",), 22, "networking.k8s.io/v1", False),
    ("apps/v1beta1", _APPS, 16, "apps/v1", True),
    ("apps/v1beta2", _APPS, 16, "apps/v1", True),
    ("admissionregistration.k8s.io/v1beta1", _HOOKS, 22, "admissionregistration.k8s.io/v1", False),
    ("apiextensions.k8s.io/v1beta1", ("CustomResourceDefinition",), 22, "apiextensions.k8s.io/v1", False),
    ("apiregistration.k8s.io/v1beta1", ("APIService",), 22, "apiregistration.k8s.io/v1", True),
    ("certificates.k8s.io/v1beta1", ("CertificateSigningRequest",), 22, "certificates.k8s.io/v1", False),
    ("coordination.k8s.io/v1beta1", ("Lease",), 22, "coordination.k8s.io/v1", True),
    ("networking.k8s.io/v1beta1", ("Ingress",), 22, "networking.k8s.io/v1", False),
    ("networking.k8s.io/v1beta1", ("IngressClass",), 22, "networking.k8s.io/v1", True),
    ("rbac.authorization.k8s.io/v1alpha1", _RBAC, 22, "rbac.authorization.k8s.io/v1", True),
    ("rbac.authorization.k8s.io/v1beta1", _RBAC, 22, "rbac.authorization.k8s.io/v1", True),
    ("scheduling.k8s.io/v1alpha1", ("PriorityClass",), 22, "scheduling.k8s.io/v1", True),
    ("scheduling.k8s.io/v1beta1", ("PriorityClass",), 22, "scheduling.k8s.io/v1", True),
    ("storage.k8s.io/v1beta1", _STORAGE, 22, "storage.k8s.io/v1", True),
    ("autoscaling/v2beta1", ("HorizontalPodAutoscaler",), 25, "autoscaling/v2", False),
    ("batch/v2alpha1", ("CronJob",), 21, "batch/v1", True),
    ("batch/v1beta1", ("CronJob",), 25, "batch/v1", True),
    ("discovery.k8s.io/v1beta1", ("EndpointSlice",), 25, "discovery.k8s.io/v1", False),
    ("events.k8s.io/v1beta1", ("Event",), 25, "events.k8s.io/v1", False),
    ("node.k8s.io/v1alpha1", ("RuntimeClass",), 22, "node.k8s.io/v1", False),
    ("node.k8s.io/v1beta1", ("RuntimeClass",), 25, "node.k8s.io/v1", True),
    ("policy/v1beta1", ("PodDisruptionBudget",), 25, "policy/v1", True),
    ("policy/v1beta1", ("PodSecurityPolicy",), 25, "", False),
)
# apiVersions whose successor in the same group has the same fields
_CARRIED = frozenset(
    (("autoscaling/v2beta2", "HorizontalPodAutoscaler"), ("storage.k8s.io/v1beta1", "CSIStorageCapacity"))
)


class ReleaseSpan(Value):
    """A type code and the minor releases, both included, that have it."""

    code: str
    first: int
    last: int


Entry = tuple[ReleaseSpan, ...]


class Table:
    """The table, parsed as far as needed."""

    def __init__(self, text: str) -> None:
        self._types: dict[str, str] = {}
        self._kinds: dict[tuple[str, str], str] = {}
        self._versions: dict[tuple[str, str], dict[str, Entry]] = {}
        self._entries: dict[str, Entry] = {}
        self._fields: dict[str, dict[str, Entry]] = {}
        self._codes: dict[tuple[str, int | None], dict[str, str]] = {}
        self.first = self.last = 0
        for line in text.split("\n"):
            what, _, rest = line.partition(" ")
            name, _, rest = rest.partition(" ")
            if what == "type":
                self._types[name] = rest
            elif what == "kind":
                kind, _, spans = rest.partition(" ")
                self._kinds[name, kind] = spans
            elif what == "releases":
                self.first, self.last = int(name), int(rest)

    def kind(self, version: str, kind: str) -> Entry:
        """The types of an apiVersion and kind; empty if no release has them."""
        spans = self._kinds.get((version, kind))
        return self._entry(spans) if spans is not None else ()

    def versions(self, group: str, kind: str) -> Mapping[str, Entry]:
        """The apiVersions of a group that have a kind, with their releases."""
        if (group, kind) not in self._versions:
            self._versions[group, kind] = {
                version: self._entry(spans)
                for (version, other), spans in self._kinds.items()
                if other == kind and version.rpartition("/")[0] == group
            }
        return self._versions[group, kind]

    def fields(self, name: str) -> Mapping[str, Entry]:
        """The fields of a type; empty if the type is unknown."""
        if name not in self._fields:
            parts = (part.partition("=") for part in self._types.get(name, "").split(" ") if part)
            self._fields[name] = {key: self._entry(spans) for key, _, spans in parts}
        return self._fields[name]

    def codes(self, name: str, minor: int | None) -> dict[str, str]:
        """The type codes of the fields that a type has in a release."""
        found = self._codes.get((name, minor))
        if found is None:
            codes = ((key, known(entry, minor)) for key, entry in self.fields(name).items())
            found = self._codes[name, minor] = {key: code for key, code in codes if code}
        return found

    def _entry(self, text: str) -> Entry:
        found = self._entries.get(text)
        if found is None:
            found = self._entries[text] = tuple([self._span(part) for part in text.split("|")])
        return found

    def _span(self, text: str) -> ReleaseSpan:
        code, _, releases = text.partition(":")
        low, _, high = releases.partition("-")
        return ReleaseSpan(code, int(low or self.first), int(high or self.last))


@lru_cache(maxsize=1)
def table() -> Table:
    """The table of this version of the program."""
    return Table((Path(__file__).parent / _TABLE).read_text(encoding="utf-8"))


def known(entry: Entry, minor: int | None) -> str:
    """The type code in a release, by default the newest; empty if the release does not have it."""
    if minor is None:
        return entry[-1].code if entry else ""
    return next((span.code for span in entry if span.first <= minor <= span.last), "")


class Service(Value):
    """The releases that serve an apiVersion and kind.

    Attributes:
        since: the first minor release that has it, as far as known.
        gone: the first minor release without it; 0 if the newest known one still has it.
        successor: the apiVersion to write instead in the given release; empty if there is none.
        same: whether the fields carry over unchanged.
    """

    since: int
    gone: int
    successor: str = ""
    same: bool = False


def service(value: Any, minor: int | None) -> Service | None:
    """The releases of an object's apiVersion and kind; None for kinds that are not Kubernetes' own."""
    version, kind = value.get("apiVersion"), value.get("kind")
    if not isinstance(version, str) or not isinstance(kind, str):
        return None
    for known, kinds, gone, successor, same in _GONE:
        if known == version and kind in kinds:
            return Service(0, gone, successor, same)
    found = table()
    entry = found.kind(version, kind)
    if not entry:
        return None
    since, until = entry[0].first, entry[-1].last
    asked = found.last if minor is None else min(minor, found.last)
    others = [
        other
        for other, spans in found.versions(version.rpartition("/")[0], kind).items()
        if other != version and spans[0].first <= asked <= spans[-1].last
    ]
    successor = min(others, key=_rank) if others else ""
    return Service(
        0 if since == found.first else since,
        0 if until >= found.last else until + 1,
        successor,
        (version, kind) in _CARRIED,
    )


def _rank(version: str) -> tuple[bool, bool, list[int]]:
    """A sort key: stable before beta before alpha, then the newer."""
    name = version.rpartition("/")[2]
    digits = [-int(found) for found in re.findall(r"[0-9]+", name)]
    return "alpha" in name, "beta" in name, digits


_DEEPEST = 100
_LONGEST_QUANTITY = 50
_WANTED = {
    "s": "a string",
    "i": "an integer",
    "b": "true or false",
    "n": "a number",
    "q": "a quantity",
    "p": "an integer or a percentage",
    "t": "a time",
}


class Misfit(Value):
    """A field that its object must not have, or a value of the wrong type.

    Attributes:
        pointer: the field.
        value: the written value.
        wanted: the expected type, in words; empty for an unknown field.
        types: the types of the parent mappings, from the root down, each with its pointer.
        since: the minor release that adds the field; 0 if none does.
        until: the last minor release with the field; 0 if none had it.
    """

    pointer: Pointer
    value: Any
    wanted: str = ""
    types: tuple[tuple[Pointer, str], ...] = ()
    since: int = 0
    until: int = 0


def misfits(value: dict[str, Any], minor: int | None) -> Iterator[Misfit]:
    """Yield fields of an object that its kind does not have in a release, or in any; nothing for other kinds."""
    version, kind = value.get("apiVersion"), value.get("kind")
    if not isinstance(version, str) or not isinstance(kind, str):
        return
    if isinstance(value.get(_SOPS), dict):
        value = {key: child for key, child in value.items() if key != _SOPS}
    found = table()
    if minor is not None:
        minor = min(max(minor, found.first), found.last)
    code = known(found.kind(version, kind), minor) or known(found.kind(version, kind), None)
    if code.startswith("@") and not _all_fits(found, minor, value, code, 0):
        yield from _Walk(found, minor).mapping(value, code[1:], (), ())


def template_misfits(value: dict[str, Any], pointer: Pointer, minor: int | None) -> Iterator[Misfit]:
    """Yield the misfits of a pod template inside an object of another kind."""
    here: Any = value
    for part in pointer:
        here = here[part]
    found = table()
    if minor is not None:
        minor = min(max(minor, found.first), found.last)
    if isinstance(here, dict):
        yield from _Walk(found, minor).mapping(here, "core.v1.PodTemplateSpec", pointer, ())


_COLLECTIONS: dict[str, tuple[Any, str]] = {"[": ((list, tuple), "a list"), "{": ((dict,), "a mapping")}
_SOPS = "sops"
"""Beside the fields of an object that is encrypted: how it was (getsops.io); it is gone when the object is applied."""


class _Walk:
    """A walk through an object along its types."""

    def __init__(self, found: Table, minor: int | None) -> None:
        self._table = found
        self._minor = minor

    def mapping(
        self, value: dict[str, Any], name: str, pointer: Pointer, above: tuple[tuple[Pointer, str], ...]
    ) -> Iterator[Misfit]:
        fields = self._table.fields(name)
        if not fields or len(above) > _DEEPEST:
            return
        types = (*above, (pointer, name))
        for key, child in value.items():
            if key.startswith("$"):
                # directives of a strategic merge patch
                continue
            entry = fields.get(key, ())
            code = known(entry, self._minor)
            if code:
                yield from self._value(child, code, (*pointer, key), types)
            else:
                since, until = (entry[0].first, entry[-1].last) if entry else (0, 0)
                yield Misfit((*pointer, key), child, types=types, since=since, until=until)

    def _value(
        self, value: Any, code: str, pointer: Pointer, types: tuple[tuple[Pointer, str], ...]
    ) -> Iterator[Misfit]:
        if value is None or code == "*":
            return
        kind = code[0]
        if kind == "@":
            if isinstance(value, dict):
                yield from self.mapping(value, code[1:], pointer, types)
            elif self._table.fields(code[1:]):
                yield Misfit(pointer, value, "a mapping", types)
        elif kind in _COLLECTIONS:
            collection, told = _COLLECTIONS[kind]
            if isinstance(value, collection):
                children: Iterable[tuple[str | int, Any]] = value.items() if kind == "{" else enumerate(value)
                for key, child in children:
                    yield from self._value(child, code[1:], (*pointer, key), types)
            else:
                yield Misfit(pointer, value, told, types)
        elif not _fits(value, kind):
            yield Misfit(pointer, value, _WANTED[kind], types)


def _all_fits(found: Table, minor: int | None, value: Any, code: str, depth: int) -> bool:
    """Whether a value surely fits; a fast check without pointers, because most values do."""
    if value is None or code == "*":
        return True
    kind = code[0]
    if kind == "@":
        fields = found.codes(code[1:], minor)
        if not fields:
            return True
        if value.__class__ is not dict or depth > _DEEPEST:
            return False
        for key, child in value.items():
            of_field = fields.get(key)
            if of_field is None or not _all_fits(found, minor, child, of_field, depth + 1):
                return False
        return True
    if kind == "[":
        return value.__class__ is list and all(_all_fits(found, minor, one, code[1:], depth) for one in value)
    if kind == "{":
        return value.__class__ is dict and all(_all_fits(found, minor, one, code[1:], depth) for one in value.values())
    return _fits(value, kind)


def _fits(value: Any, code: str) -> bool:
    if code in "st":
        return isinstance(value, str)
    if isinstance(value, (dict, list)):
        return False
    if code == "b":
        return isinstance(value, bool)
    if isinstance(value, bool):
        return False
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if code == "i":
        return whole
    if code == "n":
        return isinstance(value, (int, float))
    if code == "p":
        return whole or isinstance(value, str)
    return not isinstance(value, str) or _is_quantity(value)


def _is_quantity(text: str) -> bool:
    try:
        thousandths(text)
    except QuantityError:
        # longer ones are not read here, and may be right
        return is_placeholder(text) or len(text) > _LONGEST_QUANTITY
    return True


def mismatch(found: Misfit) -> str:
    """Return the error for a value of the wrong type."""
    quote = "; quote it" if found.wanted in ("a string", "a time") and not isinstance(found.value, (dict, list)) else ""
    return f"must be {found.wanted}, not {described(found.value)}{quote}"


def homes(found: Misfit, minor: int | None) -> tuple[Pointer, ...]:
    """Where a misplaced field belongs: above its mapping, or below; nearest first, as pointers of mappings."""
    key = found.pointer[-1]
    if not isinstance(key, str):
        return ()
    rows = table()
    above = [pointer for pointer, name in reversed(found.types[:-1]) if known(rows.fields(name).get(key, ()), minor)]
    pointer, name = found.types[-1]
    return (*above, *((*pointer, *way) for way in _below(rows, name, minor).get(key, ())))


@lru_cache(maxsize=256)
def _below(rows: Table, name: str, minor: int | None) -> dict[str, tuple[Pointer, ...]]:
    """By field, the mappings below a type that have it, through fields that are no lists; at most two levels down."""
    found: dict[str, tuple[Pointer, ...]] = {}
    level: list[tuple[Pointer, str]] = [((), name)]
    for _ in range(2):
        level = [
            ((*where, field), code[1:])
            for where, one in level
            for field, entry in rows.fields(one).items()
            if (code := known(entry, minor)).startswith("@")
        ]
        for where, one in level:
            for field, entry in rows.fields(one).items():
                if known(entry, minor):
                    found[field] = (*found.get(field, ()), where)
    return found
