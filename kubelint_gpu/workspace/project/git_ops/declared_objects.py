"""Objects of a repository: as files write them, and as kustomizations and charts render them."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from kubelint_gpu.documents import Document, Reading
from kubelint_gpu.kube.values.plain import mapping
from kubelint_gpu.sources.files import SourceFile
from kubelint_gpu.sources.kustomize.files.kustomization import NAMES
from kubelint_gpu.sources.kustomize.files.survey import read_once
from kubelint_gpu.sources.render import RenderedObject, Rendition
from kubelint_gpu.values import Value


class DeclaredObject(Value, eq=False):
    """An object as its file writes it, and as a render has it; without a file, `written` is the rendered document.

    Attributes:
        path: the file below the root of the repository; for a generated object, that of its kustomization.
        home: the file that stands for the object: `path`, or that of a kustomization elsewhere that renders it.
        written: the document of the file.
        made: the rendered object; None for an object of a plain file.
        sources: the files that its render reads.
    """

    path: str
    home: str
    written: Document
    made: RenderedObject | None = None
    sources: tuple[Reading, ...] = ()

    @property
    def document(self) -> Document:
        """Return the document that is applied."""
        return self.written if self.made is None else self.made.document

    @property
    def value(self) -> Any:
        """Return the object that is applied."""
        return self.document.value


def written_objects(file: SourceFile, root: Path) -> Iterator[DeclaredObject]:
    """Yield the documents of a file of a repository; nothing if the file lies elsewhere."""
    real = Path(file.real or os.path.realpath(file.path))
    if real.is_relative_to(root):
        path = real.relative_to(root).as_posix()
        yield from (DeclaredObject(path, path, one) for one in read_once(file.path, file.data).documents)


def rendered_objects(rendition: Rendition, kinds: Collection[str], cwd: Path) -> Iterator[DeclaredObject]:
    """Yield the objects of some kinds in a render, whose printed paths are relative to `cwd`."""
    documents = rendition.reading.documents if rendition.reading is not None else ()
    folder = os.path.relpath(os.path.realpath(cwd / rendition.folder), rendition.root)
    for document, origin in zip(documents, rendition.origins, strict=False):
        if origin is None or mapping(document.value).get("kind") not in kinds:
            continue
        spot = origin.spot(("kind",), "key")
        every = (one for reading in rendition.sources if reading.path == spot.path for one in reading.documents)
        inside = (one for one in every if one.chunk[0] <= spot.span.start < one.chunk[1])
        written = next((one for one in inside if mapping(one.value).get("kind") == document.value["kind"]), document)
        path = os.path.relpath(os.path.realpath(cwd / spot.path), rendition.root)
        home = path if folder == "." or path.startswith(f"{folder}/") else posixpath.join(folder, NAMES[0])
        yield DeclaredObject(path, home, written, RenderedObject(document, origin), rendition.sources)


class Named(Value, eq=False):
    """The objects that Flux objects name: addresses of GitRepositories, and files with ConfigMaps and Secrets.

    `judged` are the real paths of folders with judged files, at any depth; None for all folders. `renders` are the
    kustomizations and charts that may have ConfigMaps and Secrets; their printed paths are relative to `cwd`.
    """

    addresses: Mapping[str, Any]
    files: tuple[SourceFile, ...] = ()
    judged: frozenset[str] | None = None
    renders: tuple[Rendition, ...] = ()
    cwd: Path = Path()

    def declared(self, kind: str, name: str, namespace: str, root: Path) -> Iterator[DeclaredObject]:
        """Return the objects of a kind with a name, in a repository."""
        texts = kind.encode(), name.encode(errors="replace")
        files = (file for file in self.files if all(text in file.data for text in texts))
        renders = (rendition for rendition in self.renders if rendition.root == root)
        written = (one for file in files for one in written_objects(file, root))
        made = (one for rendition in renders for one in rendered_objects(rendition, {kind}, self.cwd))
        return (one for one in chain(written, made) if _identity(one.value) == (kind, name, namespace))


def _identity(value: Any) -> tuple[Any, ...]:
    value = mapping(value)
    meta = mapping(value.get("metadata"))
    return value.get("kind"), meta.get("name"), meta.get("namespace") or "default"
