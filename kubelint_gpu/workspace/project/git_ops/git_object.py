"""An object of a GitOps controller, and what it may name of its repository."""

from __future__ import annotations

import os
import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from kubelint_gpu.documents import Document, Pointer, read
from kubelint_gpu.documents.document import value_at
from kubelint_gpu.kube.values.plain import mapping, sequence
from kubelint_gpu.sources.checkout import LONGEST, is_file, is_folder, is_inside, may_be_address_of, repository_root
from kubelint_gpu.sources.files import SourceFile, display_path
from kubelint_gpu.sources.helm.given_values import GivenValues, is_release
from kubelint_gpu.sources.kustomize.files.generated import generated
from kubelint_gpu.sources.kustomize.files.kustomization import NAMES, DiskTree
from kubelint_gpu.sources.kustomize.variables import Variables, VariableSource
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace.project.charts import ChosenChart

ELSEWHERE = "its source is another repository or a registry"
NO_FILE = "a file of values is not in this repository"
_NO_FOLDER = "its path is no folder of this repository"
_NO_CONFIG_MAP = "no file, or more than one, declares the ConfigMap with its values"

_POST_BUILD: Pointer = ("spec", "postBuild")


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


def variables_of(one: GitObject, folder: str) -> Variables:
    """What a Kustomization makes of a folder, by its path below the root.

    Raises:
        CannotFollowError: the API server refuses its variables, or there is nothing to build.
    """
    post = mapping(one.spec.get("postBuild"))
    substitute = post.get("substitute") or {}
    if not isinstance(substitute, dict) or not all(isinstance(value, str) for value in substitute.values()):
        raise CannotFollowError("a value of `postBuild.substitute` is no text, which the API server refuses")
    full, own = one.root / folder, one.part("mapping", "spec", "postBuild")
    variables = Variables(os.path.realpath(full), one.title, own.path, own.document, ())
    if not post:
        return variables
    if not any(is_file(full / name) for name in NAMES) and generated(DiskTree(one.root), folder) is None:
        raise CannotFollowError("its folder holds no objects, or too many")
    sources = [
        _source(one, mapping(reference), (*_POST_BUILD, "substituteFrom", index))
        for index, reference in enumerate(sequence(post.get("substituteFrom")))
    ]
    sources.append(VariableSource(one.title, (*own.pointer, "substitute"), path=own.path, document=own.document))
    always = post.get("substituteStrategy") == "Always"
    return replace(variables, sources=tuple(sources), always=always)


def _source(one: GitObject, reference: Mapping[str, Any], pointer: Pointer) -> VariableSource:
    """A ConfigMap or a Secret, in the repository or not."""
    kind, name = reference.get("kind"), reference.get("name")
    if kind not in ("ConfigMap", "Secret") or not isinstance(name, str):
        raise CannotFollowError("an entry of `postBuild.substituteFrom` names no ConfigMap and no Secret")
    optional = reference.get("optional") is True
    for file, document in one.declared(kind, name):
        real = os.path.realpath(file.real or file.path)
        if is_inside(real, one.root):
            path = Path(real).relative_to(one.root).as_posix()
            return VariableSource(f"{kind} {name}", pointer, optional, path, document.index)
    return VariableSource(f"{kind} {name}", pointer, optional)


def told_apart(found: Sequence[Variables]) -> Iterator[Variables]:
    """Kustomizations whose folder any of them fills in, each with a title that no other one of its folder has."""
    titles = Counter((one.folder, one.title) for one in found)
    folders = {one.folder for one in found if one.fills}
    for one in (one for one in found if one.folder in folders):
        yield replace(one, title=f"{one.title} of {one.path}") if titles[one.folder, one.title] > 1 else one


def folders_of(variables: Sequence[Variables], files: Iterable[SourceFile]) -> set[str]:
    """The folders that are built with variables and hold any of some files, or take values from one."""
    paths = {os.path.realpath(file.path) for file in files} if variables else set()
    found = set()
    for one in variables:
        root = repository_root(Path(one.folder))
        given = {str(root / path) for path in (one.path, *(source.path for source in one.sources)) if path}
        if given & paths or any(path.startswith(f"{one.folder}{os.sep}") for path in paths):
            found.add(one.folder)
    return found
