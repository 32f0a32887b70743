"""The files of a repository, nothing outside of which is read, and the references of one kustomization file."""

from __future__ import annotations

import os
import posixpath
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from kubelint_gpu.documents import MAX_BYTES, Document, Pointer, Reading, read
from kubelint_gpu.sources.checkout import LONGEST, is_file, is_folder, is_inside
from kubelint_gpu.values import Value

Contents = dict[tuple[int, int, int, int], bytes]
"""What files hold, by device, number, size and time of the last change."""
NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_FOLDERS_TOO = ("resources", "bases", "components")
_PLUGINS = ("generators", "transformers", "validators")
_PATHS = ("path", "paths", "files", "envs", "env")
_FIELDS = (
    *_FOLDERS_TOO,
    *_PLUGINS,
    *_PATHS,
    *("crds", "configurations", "patchesStrategicMerge", "patches", "patchesJson6902", "replacements", "openapi"),
    *("configMapGenerator", "secretGenerator", "helmCharts", "helmChartInflationGenerator", "apiVersion", "kind"),
)
_BY_FOLDED = {field.casefold(): field for field in _FIELDS}
_FREE = ("commonLabels", "commonAnnotations", "pairs", "labels", "annotations")


class Tree(Protocol):
    """Files and folders by path below a root, with forward slashes; the root itself is the empty path."""

    def is_folder(self, path: str) -> bool:
        """Whether the path is a folder."""

    def is_file(self, path: str) -> bool:
        """Whether the path is a file."""

    def leads_out(self, path: str) -> bool:
        """Whether a link on the way leads out of the root; its target is not looked at."""

    def canonical(self, path: str) -> str:
        """Return the path without links, which is equal for equal folders."""

    def size(self, path: str) -> int | None:
        """Return the number of bytes that `read` would return; None if it would return None."""

    def read(self, path: str) -> bytes | None:
        """Return the contents of a file; None if it does not exist, or may not be read."""


class DiskTree:
    """Files of a folder on disk; links are followed if they stay inside.

    `texts` replace files on disk, by path. `contents` caches what was read by the file's identity, so that a file with
    several names is read once.
    """

    def __init__(self, root: Path, texts: dict[str, bytes] | None = None, contents: Contents | None = None) -> None:
        self.root = Path(os.path.realpath(root))
        self._texts = texts or {}
        self._contents: Contents = {} if contents is None else contents

    def is_folder(self, path: str) -> bool:
        """Whether the path is a folder inside of the root."""
        full = self._inside(path)
        return full is not None and is_folder(full)

    def is_file(self, path: str) -> bool:
        """Whether the path is a regular file inside of the root."""
        full = self._inside(path)
        return full is not None and (path in self._texts or is_file(full))

    def leads_out(self, path: str) -> bool:
        """Whether a link on the way leads out of the root."""
        return self._inside(path) is None

    def canonical(self, path: str) -> str:
        """Return the path without links; unchanged if it leads outside."""
        full = self._inside(path)
        return full.relative_to(self.root).as_posix() if full is not None else path

    def size(self, path: str) -> int | None:
        """Return the number of bytes read from a regular file."""
        if path in self._texts:
            return len(self._texts[path])
        found = self._plain(path)
        return None if found is None else min(found[1].st_size, MAX_BYTES + 1)

    def read(self, path: str) -> bytes | None:
        """Return the contents, at most one byte more than the limit of a file."""
        if path in self._texts:
            return self._texts[path]
        found = self._plain(path)
        if found is None:
            return None
        full, about = found
        identity = about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns
        if identity not in self._contents:
            try:
                with full.open("rb") as file:
                    self._contents[identity] = file.read(MAX_BYTES + 1)
            except OSError:
                return None
        return self._contents[identity]

    def _plain(self, path: str) -> tuple[Path, os.stat_result] | None:
        full = self._inside(path)
        try:
            about = full.stat() if full is not None else None
        except OSError:
            return None
        return (full, about) if full is not None and about is not None and stat.S_ISREG(about.st_mode) else None

    def _inside(self, path: str) -> Path | None:
        if len(path) > LONGEST:
            return self.root / path
        try:
            full = Path(os.path.realpath(self.root / path))
        except (OSError, ValueError):
            return None
        return full if is_inside(full, self.root) else None


def joined(folder: str, reference: str) -> str | None:
    """Return the path that a reference of a file in `folder` means; None if it leads out of the root or into `.git`."""
    path = posixpath.normpath(posixpath.join(folder, reference))
    if path.startswith(("/", "../")) or path == ".." or ".git" in path.split("/"):
        return None
    return "" if path == "." else path


class Kustomization(Value, eq=False):
    """A kustomization file.

    Attributes:
        folder: the folder of the file, below the root.
        path: the file, below the root.
        reading: its text with positions.
        document: the parsed document; None if there is none.
        value: its fields; empty if it cannot be read.
    """

    folder: str
    path: str
    reading: Reading
    document: Document | None
    value: dict[str, Any]

    @property
    def is_component(self) -> bool:
        """Whether its kind is Component, which is built only as a part of another kustomization."""
        return self.value.get("kind") == "Component"

    def entries(self, key: str) -> list[Any]:
        """Return the elements of a list field; empty if it is no list."""
        found = self.value.get(key)
        return found if isinstance(found, list) else []


class Reference(Value):
    """A file or folder that a kustomization names.

    Attributes:
        pointer: where the reference is written.
        text: the reference as written.
        key: the field of the kustomization.
        folder: whether it may be a folder with a kustomization.
        manifest: whether the file holds objects, patches or configuration in YAML, not plain data.
    """

    pointer: Pointer
    text: str
    key: str
    folder: bool = False
    manifest: bool = False


def find_in(tree: Tree, folder: str) -> str | None:
    """Return the kustomization file of a folder, by the first name that Kustomize accepts; None if there is none."""
    for name in NAMES:
        path = posixpath.join(folder, name)
        if tree.is_file(path):
            return path
    return None


def load(tree: Tree, path: str, shown: str) -> Kustomization | None:
    """Read a kustomization file; None if it cannot be opened. `shown` is the path that findings print."""
    data = tree.read(path)
    if data is None:
        return None
    reading = read(shown, data)
    document = next((found for found in reading.documents if isinstance(found.value, dict)), None)
    value = document.value if document is not None else {}
    return Kustomization(posixpath.dirname(path), path, reading, document, value)


def references(kustomization: Kustomization) -> Iterator[Reference]:
    """Yield every file or folder that the fields of a kustomization name, in Kustomize's own order of reading."""
    for key in _FOLDERS_TOO:
        for index, entry in enumerate(kustomization.entries(key)):
            if isinstance(entry, str):
                yield Reference((key, index), entry, key, folder=True, manifest=True)
    for key in ("crds", "configurations"):
        for index, entry in enumerate(kustomization.entries(key)):
            if isinstance(entry, str):
                yield Reference((key, index), entry, key, manifest=True)
    for key in ("patchesStrategicMerge", "patches"):
        for index, entry in enumerate(kustomization.entries(key)):
            if isinstance(entry, str) and "\n" not in entry:
                yield Reference((key, index), entry, key, manifest=True)
    for key in ("patches", "patchesJson6902", "replacements"):
        for index, entry in enumerate(kustomization.entries(key)):
            if isinstance(entry, dict) and isinstance(entry.get("path"), str):
                yield Reference((key, index, "path"), entry["path"], key, manifest=True)
    for key in ("configMapGenerator", "secretGenerator"):
        for index, entry in enumerate(kustomization.entries(key)):
            if isinstance(entry, dict):
                yield from _of_generator(entry, (key, index), key)
    for key in _PLUGINS:
        for index, entry in enumerate(kustomization.entries(key)):
            if isinstance(entry, str) and "\n" not in entry:
                yield Reference((key, index), entry, key, folder=True, manifest=True)
    schema = kustomization.value.get("openapi")
    if isinstance(schema, dict) and isinstance(schema.get("path"), str):
        yield Reference(("openapi", "path"), schema["path"], "openapi")


def misspelt(value: Any, pointer: Pointer = ()) -> Iterator[tuple[Pointer, str]]:
    """Yield fields in the wrong case, each with the documented spelling.

    Kustomize reads these fields too, so they must not be overlooked here.
    """
    if isinstance(value, dict):
        for key, entry in value.items():
            known = _BY_FOLDED.get(key.casefold())
            if known not in (None, key):
                yield (*pointer, key), str(known)
            if key not in _FREE:
                yield from misspelt(entry, (*pointer, key))
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            yield from misspelt(entry, (*pointer, index))


def of_plugin(value: Any) -> Iterator[str]:
    """Yield the files that the configuration of a built-in generator or transformer names."""
    if isinstance(value, dict):
        for key, entry in value.items():
            for text in entry if isinstance(entry, list) else [entry]:
                if key in _PATHS and isinstance(text, str) and "\n" not in text:
                    yield text.partition("=")[2] or text
            yield from of_plugin(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from of_plugin(entry)


def _of_generator(entry: dict[str, Any], pointer: Pointer, key: str) -> Iterator[Reference]:
    if isinstance(entry.get("env"), str):
        yield Reference((*pointer, "env"), entry["env"], key)
    for name in ("envs", "files"):
        texts = entry.get(name)
        for index, text in enumerate(texts if isinstance(texts, list) else ()):
            if isinstance(text, str):
                yield Reference((*pointer, name, index), text.partition("=")[2] or text, key)
