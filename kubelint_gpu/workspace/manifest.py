"""The objects of the manifests, parsed, with their places in the files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from kubelint_gpu.documents import Item, Pointer, Reading, Role, Span, items, value_at
from kubelint_gpu.findings.finding import Place
from kubelint_gpu.kube.kinds.custom_workload import custom_workloads
from kubelint_gpu.kube.objects.relaxation import is_opaque, relaxed
from kubelint_gpu.kube.objects.workload import Workload, api_group, is_workload, read_workload
from kubelint_gpu.kube.values.errors import InvalidObject, short_path
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace.apply_order import is_applied

if TYPE_CHECKING:
    from kubelint_gpu.sources.render import ObjectOrigin

CLUSTER_SCOPED = frozenset((
    "APIService", "AdmissionCheck", "CSIDriver", "ClusterQueue", "ClusterRole", "ClusterRoleBinding", "Cohort",
    "CustomResourceDefinition", "DeviceClass", "DeviceTaintRule", "IngressClass", "MutatingWebhookConfiguration",
    "Namespace", "Node", "PersistentVolume", "PriorityClass", "ResourceFlavor", "ResourceSlice", "RuntimeClass",
    "StorageClass", "Topology", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding",
    "ValidatingWebhookConfiguration", "WorkloadPriorityClass",
))  # fmt: skip
"""Kinds of objects that are in no namespace, of Kubernetes and Kueue."""

_QUOTES = ("'", '"')
_ESCAPED = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "/": "/"}


def place_of(path: str, span: Span | None) -> Place:
    """The place of a span of a file; without a span, the beginning of the file."""
    if span is None:
        return Place(path, 1, 1, 1, 1)
    return Place(path, span.line, span.column, span.end_line, span.end_column)


class Read(Value):
    """The parsed content of an object.

    Attributes:
        workload: the workload; None for kinds without pods.
        problems: fields whose values the API server would refuse, or that are placeholders.
        templates: the pod templates of a custom resource, each as the same object with its own workload.
        defect: the error of this program that prevented parsing; then there is no workload, and other objects are
            judged.
    """

    workload: Workload | None = None
    problems: tuple[InvalidObject, ...] = ()
    templates: tuple[Manifest, ...] = ()
    defect: Exception | None = None


class Manifest(Value, eq=False, dict=True):
    """One object of a manifest.

    Attributes:
        item: the object's data and positions.
        origin: for a rendered object, where its fields were written: its places are those of the sources.
        given: its parsed content; if None, the data are parsed when first needed.
    """

    item: Item
    origin: ObjectOrigin | None = None
    given: Read | None = None

    @cached_property
    def _content(self) -> Read:
        return self.given or _read(self.item, self.origin)

    @cached_property
    def workload(self) -> Workload | None:
        """The workload; None for kinds without pods."""
        return self._content.workload

    @property
    def problems(self) -> tuple[InvalidObject, ...]:
        """Fields whose values the API server would refuse, or that are placeholders."""
        return self._content.problems

    @property
    def templates(self) -> tuple[Manifest, ...]:
        """The pod templates of a custom resource, each as the same object with its own workload."""
        return self._content.templates

    @property
    def defect(self) -> Exception | None:
        """The error of this program that prevented parsing; then there is no workload, and other objects are judged."""
        return self._content.defect

    @property
    def path(self) -> str:
        """The path of its file."""
        return self.item.document.source.path

    @cached_property
    def kind(self) -> str:
        """`kind` as written."""
        return _text(self.item.value.get("kind"))

    @cached_property
    def name(self) -> str:
        """`metadata.name`, else `metadata.generateName`."""
        return self._meta("name") or self._meta("generateName")

    @cached_property
    def namespace(self) -> str:
        """`metadata.namespace` as written; empty if it is absent."""
        return self._meta("namespace")

    @cached_property
    def object(self) -> str:
        """`kind/namespace/name`; without a namespace `kind/name`."""
        return "/".join(part for part in (self.kind, self.namespace, self.name) if part)

    @cached_property
    def identity(self) -> tuple[str, str, str, str] | None:
        """The identity in the API server: group, kind, namespace, name; None if the name is generated."""
        name = self._meta("name")
        return (api_group(self.item.value), self.kind, self.namespace, name) if name else None

    @property
    def part(self) -> str:
        """Which pod template of a custom resource it is; empty for kinds with only one."""
        workload = self.workload
        if workload is None or not workload.custom:
            return ""
        return "/".join(str(step) for step in (*workload.template_pointer, workload.spec_key))

    @cached_property
    def readable(self) -> bool:
        """Whether every field that the core reads has a valid value, or one that is filled in later."""
        unknown = {problem.pointer for problem in self.problems if problem.placeholder}
        return all(problem.pointer in unknown for problem in self.problems)

    @property
    def known(self) -> bool:
        """Whether it is readable and every field has a known value, except for amounts.

        An unknown amount is assumed to be minimal: pods that find no room then find none with any amount.
        """
        return not self.unknown and self.readable

    @cached_property
    def unknown(self) -> tuple[InvalidObject, ...]:
        """The fields that are filled in later, except for amounts."""
        return tuple(filter(_is_unknown, self.problems))

    @property
    def unknown_fields(self) -> list[str]:
        """The names of these fields for messages."""
        return [short_path(problem.pointer) for problem in self.unknown]

    def place(self, pointer: Pointer, role: Role = "value") -> Place:
        """The place of a field; for an absent field, the key of its nearest present ancestor.

        For a rendered object, the line of its sources that set the field.
        """
        if self.origin is not None:
            spot = self.origin.spot(pointer, role)
            return place_of(spot.path, spot.span)
        return place_of(self.path, self.item.locate(pointer, role))

    def place_within(self, pointer: Pointer, offset: int) -> Place:
        """The place of a character of a text value; of the whole text if it cannot be found."""
        start = self.offset_within(pointer, offset)
        if start is None:
            return self.place(pointer)
        return place_of(self.path, self.item.document.source.span(start, self.item.locate(pointer).end))

    def offset_within(self, pointer: Pointer, offset: int) -> int | None:
        """The offset in the file of a character of a text value; None if it cannot be found."""
        value = value_at(self.item.value, pointer)
        if self.origin is not None or not isinstance(value, str):
            return None
        span = self.item.locate(pointer)
        found = offset_within(self.item.document.source.text[span.start : span.end], value, offset)
        return None if found is None else max(span.start, min(span.start + found, span.end - 1))

    def present(self, pointer: Pointer) -> bool:
        """Whether a field is written."""
        return self.item.present(pointer)

    def _meta(self, key: str) -> str:
        meta = self.item.value.get("metadata")
        return _text(meta.get(key)) if isinstance(meta, dict) else ""


def manifests(
    readings: Iterable[Reading],
    origins: Mapping[str, tuple[ObjectOrigin | None, ...]] = MappingProxyType({}),
    kinds: Collection[str] | None = None,
) -> tuple[Manifest, ...]:
    """All objects of some files that are applied, or only some kinds; needs a kind and an apiVersion.

    `origins` has for each document of a rendered text, by its path, where its fields were written.
    """
    return tuple(
        _manifest(item, _origin(item, origins))
        for reading in readings
        for document in reading.documents
        for item in items(document)
        if isinstance(kind := item.value.get("kind"), str)
        and (kinds is None or kind in kinds)
        and is_applied(item.value)
    )


def _manifest(item: Item, origin: ObjectOrigin | None) -> Manifest:
    """An object; if it names no namespace, it gets that of its release."""
    meta = item.value.get("metadata")
    namespace = origin.namespace if origin is not None else ""
    if namespace in ("", "default") or not isinstance(meta, dict) or meta.get("namespace"):
        return Manifest(item, origin)
    if item.value["kind"] in CLUSTER_SCOPED:
        return Manifest(item, origin)
    return Manifest(replace(item, value={**item.value, "metadata": {**meta, "namespace": namespace}}), origin)


def _origin(item: Item, origins: Mapping[str, tuple[ObjectOrigin | None, ...]]) -> ObjectOrigin | None:
    known = origins.get(item.document.source.path, ())
    return known[item.document.index] if item.document.index < len(known) else None


def _read(item: Item, origin: ObjectOrigin | None) -> Read:
    try:
        return _unguarded(item, origin)
    except Exception as error:  # noqa: BLE001 - one object must not hide what the others have
        return Read(defect=error)


def _unguarded(item: Item, origin: ObjectOrigin | None) -> Read:
    read = [Read(*one) for one in _workloads(item.value)]
    unknown = [problem.pointer for one in read for problem in one.problems if _is_unknown(problem)]
    if unknown:
        least = _workloads(relaxed(item.value, unknown))
        read = [_relaxation(one, workload) for one, (workload, _) in zip(read, least, strict=True)]
    return read[0] if is_workload(item.value) else Read(templates=tuple(Manifest(item, origin, one) for one in read))


def _is_unknown(problem: InvalidObject) -> bool:
    """Whether a field is filled in later and is no amount."""
    return problem.placeholder and not problem.is_amount


def _workloads(value: dict[str, Any]) -> list[tuple[Workload | None, tuple[InvalidObject, ...]]]:
    """The workload of an object with its problems; for a custom resource one for each template."""
    if not is_workload(value):
        return list(custom_workloads(value))
    problems: list[InvalidObject] = []
    return [(read_workload(value, problems), tuple(problems))]


def _relaxation(one: Read, least: Workload | None) -> Read:
    """The content with the relaxation of its workload; approximate, because its rollouts depend on unknown fields.

    Exceptions are an unknown priority class, whose pods count as of the highest priority, and names and labels of pods.
    """
    sure = least is None or all(is_opaque(problem.pointer) for problem in one.problems if _is_unknown(problem))
    return replace(one, workload=least if sure or least is None else replace(least, approximate=True))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def offset_within(text: str, value: str, offset: int) -> int | None:
    """The offset in `text`, the scalar as written, of the character at `offset` of its value.

    The end of the value has the offset of its last character. None if text and value cannot be aligned.
    """
    place, quote = _begin(text)
    target = min(offset, len(value))
    for character in value[:target]:
        found = _step(text, place, character, quote)
        if found is None:
            return None
        place = found
    following = value[target : target + 1]
    if not following:
        return place
    while place < len(text) and text[place].isspace() and not following.isspace():
        place += 1
    return place


def _begin(text: str) -> tuple[int, str]:
    if text[:1] in ("|", ">"):
        header = text.find("\n")
        return (len(text) if header < 0 else header + 1), ""
    return (1, text[0]) if text[:1] in _QUOTES else (0, "")


def _step(text: str, place: int, character: str, quote: str) -> int | None:
    """The offset after a character of the value; spaces may be folded, and lines are indented."""
    if character.isspace():
        if place < len(text) and text[place].isspace():
            return place + 1
        if text.startswith("\\", place) and quote == '"' and _ESCAPED.get(text[place + 1 : place + 2]) == character:
            return place + 2
        return place
    while place < len(text) and text[place].isspace():
        place += 1
    if text.startswith("''", place) and quote == "'":
        return place + 2 if character == "'" else None
    if text.startswith("\\", place) and quote == '"':
        return place + 2 if _ESCAPED.get(text[place + 1 : place + 2]) == character else None
    return place + 1 if text.startswith(character, place) else None
