"""The variables of a Flux Kustomization: where their values stand, and how a text is filled in."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from kubelint_gpu.documents import Document, Pointer, Reading, Role, read, source_text, value_at
from kubelint_gpu.kube.values.plain import mapping
from kubelint_gpu.patterns import pattern
from kubelint_gpu.sources.files import SKIMMED
from kubelint_gpu.sources.kustomize.envsubst import SubstitutionError, filled
from kubelint_gpu.sources.kustomize.files.kustomization import Tree
from kubelint_gpu.sources.kustomize.files.surveyor import LAYER
from kubelint_gpu.sources.kustomize.origin import Origin, Removal
from kubelint_gpu.sources.render import Obstacle, RenderedObject, Spot
from kubelint_gpu.sources.rendering_program import MOST_OUTPUT
from kubelint_gpu.values import Value, replace

_NAME = pattern(r"[_A-Za-z][_A-Za-z0-9]*", re.ASCII)
_ENCRYPTED = "ENC["
_MOST_NAMED = 3
_SWITCH = "kustomize.toolkit.fluxcd.io/substitute"

_BROKEN = "with the values of its variables the result is no YAML"


class VariableSource(Value):
    """A source of variables: entries of a ConfigMap or a Secret, or of the Kustomization itself.

    Attributes:
        title: its name in messages.
        reference: where the Kustomization names it.
        optional: whether it may be missing.
        path: the file, below the root of the repository; empty if the repository does not have it.
        document: the index of its document in the file.
        made: the object as it is rendered, if a render has it.
    """

    title: str
    reference: Pointer
    optional: bool = False
    path: str = ""
    document: int = 0
    made: RenderedObject | None = None


class Variables(Value):
    """A Flux Kustomization: its folder and its variables.

    Attributes:
        folder: the real path of the folder to build.
        title: the name of the Kustomization in messages.
        path: its file, below the root of the repository.
        document: the index of its document in the file.
        sources: the sources of variables, in increasing precedence.
        always: whether variables are filled in although none has a value.
        layer: the text of a kustomization that the object puts on top of the folder; empty if there is none.
        places: for each line of this text, where the object says it.
        pointer: where the object names the folder.
        namespace: the namespace of objects that name none.
        deep: whether manifests below the folder belong to it, if it has no kustomization.
        sent_to: the names of the target cluster in the object.
        read_from: a file with parameters of the object, below the root of the repository; empty if there is none.
        made: the object as it is rendered, if a render changes it.
        path_of_object: the file that stands for the object, below the root: `path`, or that of its kustomization.
    """

    folder: str
    title: str
    path: str
    document: int
    sources: tuple[VariableSource, ...]
    always: bool = False
    layer: str = ""
    places: tuple[Pointer, ...] = ()
    pointer: Pointer = ("spec", "path")
    namespace: str = ""
    deep: bool = True
    sent_to: tuple[str, ...] = ()
    read_from: str = ""
    made: RenderedObject | None = None
    path_of_object: str = ""

    @property
    def fills(self) -> bool:
        """Whether the object changes what its folder holds."""
        return bool(self.sources or self.layer or self.namespace) or self.always


class KnownVariables:
    """The values of variables in the files of a tree; `shown` gives the path that findings print.

    `below` is the path of the folder below the root of the tree.
    """

    def __init__(self, variables: Variables, tree: Tree, shown: Callable[[str], str], below: str) -> None:
        self.variables = variables
        self.below = below
        self.layer = shown(LAYER) if variables.layer else ""
        paths = dict.fromkeys((variables.path, *(one.path for one in variables.sources if one.path)))
        self.readings = {path: read(shown(path), tree.read(path) or b"") for path in paths}
        self.problems: list[Obstacle] = []
        self._missing: dict[VariableSource, set[str]] = {}
        self._entries = {one: dict(self._of(one)) for one in variables.sources}

    @property
    def document(self) -> Document | None:
        """Return the Kustomization."""
        return self._document(self.variables.path, self.variables.document)

    @property
    def reading(self) -> Reading:
        """Return the file of the Kustomization."""
        return self.readings[self.variables.path]

    def spot(self, pointer: Pointer) -> Spot:
        """Return a place in the Kustomization."""
        if self.variables.made is not None:
            return self.variables.made.origin.spot(pointer, "key")
        document = self.document
        if document is not None:
            return Spot(self.reading.path, document.locate(pointer, "key"))
        return Spot(self.reading.path, source_text(self.reading.path, self.reading.text).span(0, 0))

    @property
    def top(self) -> Spot:
        """Return where the object names its folder."""
        return self.spot(self.variables.pointer)

    def led(self, spot: Spot) -> Spot:
        """Return the place in the object for a place in the kustomization that it puts on top; others as they are."""
        return self.spot(self.variables.places[spot.span.line - 1]) if spot.path == self.layer else spot

    def led_problem(self, one: Obstacle) -> Obstacle:
        """Return a problem in a kustomization that nobody wrote at its place in the object."""
        spot = self.led(Spot(one.path, one.span)) if one.span is not None and one.path == self.layer else self.top
        return replace(one, path=spot.path, span=spot.span)

    def place(self, name: str) -> Spot | None:
        """Return where the value of a variable is written; None if it has no value, or is from a Secret."""
        for one in reversed(self.variables.sources):
            if name in self._entries[one]:
                return self._entries[one][name][1]
        return None

    def fill(self, text: str, document: Document) -> str:
        """Return the text of an object with its variables filled in.

        Raises:
            SubstitutionError: Flux refuses the text.
        """
        meta = mapping(mapping(document.value).get("metadata"))
        if any(mapping(meta.get(key)).get(_SWITCH) == "disabled" for key in ("labels", "annotations")):
            return text
        known = any(self._entries.values()) or any(not one.path and not one.optional for one in self.variables.sources)
        return filled(text, self._value) if known or self.variables.always else text

    def names(self, text: str) -> list[str]:
        """Return the variables that a text names."""
        found: list[str] = []

        def noted(name: str, _default: bool) -> str:
            found.append(name)
            return ""

        try:
            filled(text, noted)
        except SubstitutionError:
            return []
        return found

    def missing(self) -> Iterator[Obstacle]:
        """Yield the sources that the repository lacks and that some field depends on."""
        for one, names in self._missing.items():
            some = ", ".join(sorted(names)[:_MOST_NAMED])
            said = f"{one.title}, which may have a value of {some}, is not in this repository"
            said = f"{one.title} has no readable value of {some}" if one.path else said
            spot = self.spot(one.reference)
            yield Obstacle(spot.path, spot.span, said, withheld=True)

    def _value(self, name: str, has_default: bool) -> str | None:
        """Return the value with the highest precedence; a missing source could override it with any value."""
        declaring = next((one for one in reversed(self.variables.sources) if name in self._entries[one]), None)
        absent = [one for one in self.variables.sources if not one.path]
        if declaring is None:
            needed = [one for one in absent if not one.optional]
            for one in needed[-1:]:
                self._missing.setdefault(one, set()).add(name)
            return None if needed or (absent and not has_default) else ""
        value = self._entries[declaring][name][0]
        if value is None:
            self._missing.setdefault(declaring, set()).add(name)
        return value

    def _of(self, source: VariableSource) -> Iterator[tuple[str, tuple[str | None, Spot | None]]]:
        """Yield the entries of a source by name, each with its value (None if encrypted) and its place."""
        document = source.made.document if source.made is not None else self._document(source.path, source.document)
        if document is None:
            return
        is_secret = mapping(document.value).get("kind") == "Secret"
        within = source.path == self.variables.path and source.document == self.variables.document
        pointers = (source.reference,) if within else (("data",), *([("stringData",)] if is_secret else []))
        for pointer in pointers:
            for name, value in mapping(value_at(document.value, pointer)).items():
                where = (*pointer, name)
                made = source.made
                spot = made.origin.spot(where) if made else Spot(document.source.path, document.locate(where))
                if _NAME().fullmatch(name) is None:
                    said = f"Flux refuses the variable {name}: a name has letters, digits and underscores"
                    self.problems.append(Obstacle(spot.path, spot.span, said))
                decode = partial(_decoded, is_base64=is_secret and pointer == ("data",))
                yield name, (decode(value), None if is_secret else spot)

    def _document(self, path: str, index: int) -> Document | None:
        documents = self.readings[path].documents if path else ()
        return documents[index] if index < len(documents) else None


def _decoded(value: object, *, is_base64: bool) -> str | None:
    """Return the value of a variable, without line breaks; None if it is encrypted or no text."""
    if not isinstance(value, str) or value.startswith(_ENCRYPTED):
        return None
    if is_base64:
        try:
            value = b64decode(value, validate=False).decode()
        except ValueError:
            return None
    return value.replace("\n", "")


class FilledOrigin(Origin):
    """The origin of an object with variables: `raw` is the object before they were filled in, `origin` its origin.

    A field with a variable leads to the variable's value, every other field to where it was written.
    """

    def __init__(self, origin: Origin, raw: Document, document: Document, known: KnownVariables) -> None:
        super().__init__(raw.value, origin.traceable, origin.fallback, origin.path, origin.renamed)
        self.top, self.namespace = known.top, known.variables.namespace
        self._document = document
        self._known = known
        self._given: dict[tuple[str, int, int], Spot] = {}

    def spot(self, pointer: Pointer, role: Role = "value") -> Spot:
        """Return the value of the first variable in a field, else where the field was set last."""
        written = self._known.led(super().spot(pointer, role))
        value = value_at(self.value, pointer) if role == "value" else None
        if not isinstance(value, str) or "${" not in value or value == value_at(self._document.value, pointer):
            return self.top if self.answer(pointer, role).writer is self.fallback else written
        spot = next(filter(None, map(self._known.place, self._known.names(value))), None)
        if spot is None:
            return written
        self._given[spot.path, spot.span.line, spot.span.column] = written
        return spot

    def removals(self) -> Iterator[Removal]:
        """Yield the removed entries, but for those that the object itself removes."""
        return (one for one in super().removals() if one.writer.spot().path != self._known.layer)

    def told(self, path: str, line: int, column: int) -> tuple[bool, tuple[tuple[Spot, str], ...]]:
        """Return, for the value of a variable, the field that uses it; for other places the answer of the origin."""
        written = self._given.get((path, line, column))
        if written is None:
            return super().told(path, line, column)
        return True, ((written, "the value of this variable is filled in"),)


def with_variables(
    reading: Reading, origins: Sequence[Origin | None], known: KnownVariables
) -> tuple[Reading | None, tuple[Origin | None, ...], tuple[Obstacle, ...]]:
    """Return the rendered objects with their variables filled in, their origins, and the problems.

    There are no objects if Flux refuses one of them.
    """
    parts: list[str] = []
    refused: list[Obstacle] = []
    last = 0
    for document, origin in zip(reading.documents, origins, strict=True):
        start, end = document.chunk
        parts.append(reading.text[last:start])
        last = end
        try:
            parts.append(known.fill(reading.text[start:end], document))
        except SubstitutionError as error:
            spot = origin.spot(("kind",), "key") if origin is not None else known.spot(("spec", "postBuild"))
            refused.append(Obstacle(spot.path, spot.span, f"Flux refuses a variable of this object: {error}"))
    filled = read(reading.path, "".join((*parts, reading.text[last:])).encode(), max_bytes=MOST_OUTPUT, skimmed=SKIMMED)
    spot = known.spot(("spec", "postBuild"))
    refused += (Obstacle(spot.path, spot.span, f"{_BROKEN}: {problem.message}") for problem in filled.problems)
    if refused or len(filled.documents) != len(reading.documents):
        return None, (), tuple(refused) or (Obstacle(spot.path, spot.span, _BROKEN),)
    found = tuple(
        FilledOrigin(origin, raw, document, known) if origin is not None else None
        for origin, raw, document in zip(origins, reading.documents, filled.documents, strict=True)
    )
    return filled, found, tuple(known.missing())
