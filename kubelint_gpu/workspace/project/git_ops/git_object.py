"""An object of a GitOps controller, and what it may name of its repository."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from kubelint_gpu.documents import Document, Pointer, read
from kubelint_gpu.documents.document import value_at
from kubelint_gpu.kube.values.plain import mapping
from kubelint_gpu.sources import SourceFile
from kubelint_gpu.sources.checkout import LONGEST, is_file, is_folder, is_inside, may_be_address_of
from kubelint_gpu.sources.files import display_path
from kubelint_gpu.sources.helm.given_values import GivenValues, is_release
from kubelint_gpu.values import Value
from kubelint_gpu.workspace.project.charts import ChosenChart

ELSEWHERE = "its source is another repository or a registry"
NO_FILE = "a file of values is not in this repository"
_NO_FOLDER = "its path is no folder of this repository"
_NO_CONFIG_MAP = "no file, or more than one, declares the ConfigMap with its values"


class CannotFollowError(Exception):
    """An object names something that is not in this repository, or that is not done here: the text says which."""


class Named(Value, eq=False, dict=True):
    """What objects of Flux name: the addresses of GitRepositories, and files that may hold ConfigMaps and Secrets."""

    addresses: Mapping[str, Any]
    files: tuple[SourceFile, ...] = ()

    @cached_property
    def _read(self) -> dict[str, tuple[Document, ...]]:
        return {}

    def declared(self, kind: str, name: str, namespace: str) -> Iterator[tuple[SourceFile, Document]]:
        """The documents that declare an object of a kind."""
        for file in self.files:
            if kind.encode() not in file.data or name.encode(errors="replace") not in file.data:
                continue
            if file.path not in self._read:
                self._read[file.path] = read(file.path, file.data).documents
            for document in self._read[file.path]:
                value = mapping(document.value)
                meta = mapping(value.get("metadata"))
                found = value.get("kind"), meta.get("name"), meta.get("namespace") or "default"
                if found == (kind, name, namespace):
                    yield file, document


class GitObject:
    """An object of a GitOps controller, and the repository that it lies in.

    `made` is what a template of the object gives, which stands at a `pointer` of it.
    """

    def __init__(
        self,
        document: Document,
        path: str,
        root: Path,
        named: Named,
        made: dict[str, Any] | None = None,
        pointer: Pointer = (),
    ) -> None:
        self.value: dict[str, Any] = document.value if made is None else made
        self.spec = mapping(self.value.get("spec"))
        self.root = root
        self._document = document
        self._path = path
        self._named = named
        self._pointer = pointer

    def with_template(self, made: dict[str, Any], *pointer: str | int) -> GitObject:
        """What a template at a pointer of the object gives."""
        return GitObject(self._document, self._path, self.root, self._named, made, pointer)

    @property
    def name(self) -> str:
        """`metadata.name`."""
        name = mapping(self.value.get("metadata")).get("name")
        return name if isinstance(name, str) else ""

    @property
    def namespace(self) -> str:
        """`metadata.namespace`, or `default`."""
        namespace = mapping(self.value.get("metadata")).get("namespace")
        return namespace if isinstance(namespace, str) and namespace else "default"

    @property
    def title(self) -> str:
        """What a message calls it."""
        return f"{self.value['kind']} {self.name}"

    def is_from_here(self, reference: Any) -> bool:
        """Whether a reference of Flux names this repository, as far as the address of what it names says."""
        found = mapping(reference)
        name = found.get("name")
        if found.get("kind") != "GitRepository" or not isinstance(name, str):
            return False
        return name not in self._named.addresses or may_be_address_of(self._named.addresses[name], self.root)

    def folder(self, path: Any) -> str:
        """A folder of the repository by its path below the root.

        Raises:
            CannotFollowError: there is none.
        """
        if not isinstance(path, str) or len(path) > LONGEST or "\0" in path:
            raise CannotFollowError(_NO_FOLDER)
        below = posixpath.normpath(path.lstrip("/") or ".")
        full = self.root / below
        if below.startswith("..") or not is_inside(os.path.realpath(full), self.root) or not is_folder(full):
            raise CannotFollowError(_NO_FOLDER)
        return below

    def shown(self, folder: str) -> str:
        """A folder of the repository, as it is printed."""
        return display_path(self.root / folder, Path.cwd())

    def file(self, path: str) -> GivenValues | None:
        """A file of values of the repository by its path below the root; None if there is none."""
        below = posixpath.normpath(path)
        full = self.root / below
        inside = len(path) <= LONGEST and "\0" not in path and not below.startswith(("..", "/"))
        if not inside or not is_inside(os.path.realpath(full), self.root) or not is_file(full):
            return None
        return GivenValues(below)

    def part(self, form: Any, *pointer: str | int) -> GivenValues:
        """Values that the object holds.

        Raises:
            CannotFollowError: they are not as they are written, but filled in.
        """
        whole = (*self._pointer, *pointer)
        if value_at(self._document.value, whole) != value_at(self.value, pointer):
            raise CannotFollowError("its values hold parameters of the template")
        return GivenValues(self._path, form, self._document.index, whole)

    def declared(self, kind: str, name: str) -> list[tuple[SourceFile, Document]]:
        """The documents that declare an object of its namespace: of several those that lie nearest to it.

        Clusters of one repository declare objects of the same name, each in a folder of its own.
        """
        found = list(self._named.declared(kind, name, self.namespace))
        near = [_shared(os.path.realpath(file.real or file.path), self.root / self._path) for file, _ in found]
        nearest = [one for one, depth in zip(found, near, strict=True) if depth == max(near)]
        return nearest if len(nearest) == 1 else []

    def values_of(self, reference: Mapping[str, Any]) -> GivenValues:
        """The values that a ConfigMap of the repository holds.

        Raises:
            CannotFollowError: they are those of a Secret, or of one key, or the ConfigMap is not declared just once.
        """
        name, key = reference.get("name"), reference.get("valuesKey") or "values.yaml"
        if reference.get("kind") != "ConfigMap" or reference.get("targetPath"):
            raise CannotFollowError("values come from a Secret, or are one value (`targetPath`)")
        found = self.declared("ConfigMap", name) if isinstance(name, str) and isinstance(key, str) else []
        if len(found) != 1 or not is_mapping(value_at(found[0][1].value, ("data", key))):
            raise CannotFollowError(_NO_CONFIG_MAP)
        real = os.path.realpath(found[0][0].real or found[0][0].path)
        if not is_inside(real, self.root):
            raise CannotFollowError(_NO_CONFIG_MAP)
        return GivenValues(Path(real).relative_to(self.root).as_posix(), "text", found[0][1].index, ("data", key))

    def chart(self, folder: str, release: Any, namespace: Any, values: Iterable[GivenValues]) -> ChosenChart:
        """A chart as the object renders it.

        Raises:
            CannotFollowError: its names are none.
        """
        for name in (release, namespace):
            if not isinstance(name, str) or not is_release(name):
                raise CannotFollowError("its name or its namespace is no name")
        return ChosenChart(self.shown(folder), release, namespace, given=tuple(values), title=self.title)


def _shared(path: str, other: Path) -> int:
    """How many folders two paths begin with together."""
    pairs = zip(Path(path).parent.parts, other.parent.parts, strict=False)
    return next((number for number, (one, two) in enumerate(pairs) if one != two), len(other.parent.parts))


def is_mapping(text: Any) -> bool:
    """Whether a text is YAML that holds a mapping."""
    found = read("", text.encode(errors="replace")) if isinstance(text, str) else None
    return found is not None and not found.problems and any(isinstance(one.value, dict) for one in found.documents)
