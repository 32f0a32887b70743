"""What a run reads, or knows from an earlier run: files, configurations and clusters."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from functools import cached_property
from typing import Any

from kubelint_gpu.cache.digests import digest_of
from kubelint_gpu.cache.plain_values import NotPlain, from_text, to_text
from kubelint_gpu.cache.store import Store
from kubelint_gpu.documents import MAX_BYTES, Document, Pointer, Reading, Role, SourceText, Span, read
from kubelint_gpu.documents.builder import MOST_TOGETHER
from kubelint_gpu.documents.reader import decode, read_text
from kubelint_gpu.findings.catalogue import program
from kubelint_gpu.findings.finding import Finding, Place, defect
from kubelint_gpu.inventory import Inventory
from kubelint_gpu.inventory.declarations.inventory import InventoryError
from kubelint_gpu.sources.files import SKIMMED, SourceFile, collect
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.manifest import Manifest, manifests
from kubelint_gpu.workspace.project.charts import render_charts
from kubelint_gpu.workspace.project.kustomizations import RenderSettings, render_all
from kubelint_gpu.workspace.project.progress import progress

_CLASSES: dict[str, type] = {"InventoryError": InventoryError, "Span": Span}


class KnownCluster(ClusterContext):
    """A cluster without errors and with so many nodes; `load` reads it when more is asked for."""

    def __init__(
        self, load: Callable[[], Inventory], nodes: int, readings: Sequence[Reading], errors: Sequence[InventoryError]
    ) -> None:
        super().__init__(None, readings, errors)
        self._load = load
        self._nodes = nodes

    @cached_property
    def inventory(self) -> Inventory:
        """What was declared, read now."""
        return self._load()

    @property
    def node_count(self) -> int:
        """How many nodes are declared."""
        return self._nodes

    @property
    def usable(self) -> bool:
        """What is wrong is not kept."""
        return True


def known_cluster(store: Store, readings: Sequence[Reading], load: Callable[[], Inventory]) -> ClusterContext | None:
    """The cluster that some files declare, as an earlier run has read it; None where none has."""
    key = _key(readings)
    text = store.get(key) if key is not None else None
    if text is None:
        return None
    try:
        nodes, errors = from_text(text, _CLASSES)
        return KnownCluster(load, int(nodes), readings, tuple(errors))
    except (NotPlain, TypeError, ValueError):
        return None


def keep_cluster(store: Store, world: ClusterContext) -> None:
    """Write down what is known of a cluster, if nothing of it is wrong."""
    key = _key(world.readings)
    if key is not None and world.usable and not any(one.severity == "error" for one in world.errors):
        store.put(key, to_text((world.node_count, world.errors)))


def _key(readings: Sequence[Reading]) -> str | None:
    digests = [one.source.digest for one in readings if one.source is not None and not one.problems]
    return digest_of(("cluster", program(), *digests)) if len(digests) == len(readings) else None


class KnownDocument:
    """The only document of a file: its value and where its keys stand; for other places it is parsed."""

    def __init__(self, source: SourceText, data: bytes, value: Any, keys: dict[str, list[int]]) -> None:
        self.source = source
        self.value = value
        self._data = data
        self._keys = keys

    def locate(self, pointer: Pointer, role: Role = "value") -> Span:
        """The place of a part of the value."""
        if len(pointer) == 1 and role == "key" and pointer[0] in self._keys:
            return Span(*self._keys[str(pointer[0])])
        return self._document.locate(pointer, role)

    @cached_property
    def _document(self) -> Document:
        return next(one for one in read(self.source.path, self._data).documents if one.value is not None)


def known_document(store: Store, path: str, data: bytes) -> KnownDocument | None:
    """The document of a configuration; None where it is none without problems, which is then read as if nothing were
    known.
    """
    source = decode(path, data) if len(data) <= MAX_BYTES else None
    if not isinstance(source, SourceText):
        return None
    key = digest_of(("configuration", program(), data))
    text = store.get(key)
    if text is not None:
        try:
            value, keys = json.loads(text)
            return KnownDocument(source, data, value, {str(name): list(map(int, span)) for name, span in keys.items()})
        except (ValueError, TypeError, AttributeError, RecursionError):
            pass
    reading = read(path, data)
    documents = [one for one in reading.documents if one.value is not None]
    if reading.problems or len(documents) != 1 or not isinstance(documents[0].value, dict):
        return None
    value = documents[0].value
    spans = {name: documents[0].locate((name,), "key") for name in value}
    keys = {
        name: [one.line, one.column, one.end_line, one.end_column, one.start, one.end] for name, one in spans.items()
    }
    try:
        made = json.dumps([value, keys])
        if json.loads(made) == [value, keys]:
            store.put(key, made)
    except (ValueError, TypeError):
        pass
    return KnownDocument(source, data, value, keys)


class KnownFiles:
    """What is known of files by their bytes; nothing without a store.

    `skimmed` are the kinds whose bodies are parsed and not kept.
    What the files hold together is bounded by `most`; one that does not fit has a problem that says so.
    """

    def __init__(self, store: Store | None, skimmed: Collection[str] = (), most: int = MOST_TOGETHER) -> None:
        self._store = store
        self._program = program() if store is not None else ""
        self._skimmed = skimmed
        self._left = most
        self._parsed: dict[Hashable, Reading] = {}

    def read(self, path: str, data: bytes) -> Reading:
        """The documents of a file, read now or when they are asked for."""
        found = self._known(path, data)
        self._left -= found.size
        return found

    def _known(self, path: str, data: bytes) -> Reading:
        from kubelint_gpu.workspace.shared_objects import Deferred, Outline, outline

        source = decode(path, data) if len(data) <= MAX_BYTES else None
        if not isinstance(source, SourceText):
            return read(path, data)
        if self._store is None:
            return self._parse(source)
        key = digest_of(("file", self._program, *sorted(self._skimmed), source.digest))
        known = self._store.get(key)
        if known is not None:
            try:
                count, size, about = from_text(known, {})
                if int(size) <= self._left:
                    return Deferred(source, int(count), int(size), tuple(Outline(*about)), self._text)
            except (NotPlain, TypeError, ValueError):
                pass
        reading = self._parse(source)
        if not reading.problems:
            self._store.put(key, to_text((reading.count, reading.size, tuple(outline(reading)))))
        return reading

    def _parse(self, source: SourceText) -> Reading:
        """The documents of a text: of equal ones they are the same."""
        key = source.text, source.encoding, source.has_bom, source.path.endswith(".json")
        equal = self._parsed.get(key)
        if equal is not None and equal.size <= self._left:
            return equal.at(source)
        found = read_text(source, skimmed=self._skimmed, most=self._left)
        if not found.problems:
            self._parsed[key] = found
        return found

    def _text(self, source: SourceText) -> Reading:
        return read_text(source, skimmed=self._skimmed)


def read_all(files: list[SourceFile], defects: list[Finding], store: Store | None = None) -> Iterator[Reading]:
    """The files from the last to the first; each is dropped when it is read."""
    known = KnownFiles(store, SKIMMED)
    with progress("reading", len(files)) as tell:
        for number in range(1, len(files) + 1):
            file = files.pop()
            tell(number, file.path)
            try:
                reading = known.read(file.path, file.data)
            except Exception as error:  # noqa: BLE001 - one file must not hide what the others have
                defects.append(defect(Place(file.path, 1, 1, 1, 1), "this file is not read", error))
            else:
                yield reading


def context_of(paths: Sequence[str], kustomize: RenderSettings, defects: list[Finding]) -> tuple[Manifest, ...]:
    """The objects that the configuration says are deployed beside those of a run, rendered where that is needed."""
    files = collect(paths).files
    if not files:
        return ()
    names = [file.path for file in files]
    built = render_all((), names, kustomize).with_charts(render_charts((), names, kustomize.helm))
    defects += built.defects
    plain = read_all([file for file in files if not built.takes(file.path)], defects)
    return manifests((*plain, *built.readings), built.origins)
