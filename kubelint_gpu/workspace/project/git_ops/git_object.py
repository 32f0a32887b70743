"""An object of a GitOps controller, and the parts of its repository that it can name."""

from __future__ import annotations

import json
import os
import posixpath
from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile
from pathlib import Path
from typing import Any

from kubelint_gpu.documents import Pointer, read
from kubelint_gpu.documents.document import value_at
from kubelint_gpu.kube.values.plain import mapping, sequence
from kubelint_gpu.patterns import pattern
from kubelint_gpu.sources.checkout import LONGEST, is_file, is_folder, is_inside, may_be_address_of
from kubelint_gpu.sources.files import display_path
from kubelint_gpu.sources.helm.given_values import GivenValues, is_release
from kubelint_gpu.sources.kustomize.files.kustomization import NAMES, DiskTree
from kubelint_gpu.sources.kustomize.files.surveyor import generated
from kubelint_gpu.sources.kustomize.variables import Variables, VariableSource
from kubelint_gpu.sources.render import RenderedObject, Spot
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.project.charts import ChosenChart
from kubelint_gpu.workspace.project.git_ops.declared_objects import DeclaredObject, Named

ELSEWHERE = "the source is another repository or a registry"
NO_FILE = "a file of values is not in this repository"
_SPECIAL = pattern(r"([\\.,=\[\]{}])")
_PLAIN = pattern(r"(?!null$)[\w./:-]+")
_INTEGER = pattern(r"0|-?[1-9]\d{0,17}")
_ESCAPED = r"\\\1"
_NO_FOLDER = "the path is no folder of this repository"
_NO_CONFIG_MAP = "no file or kustomization, or more than one, declares the ConfigMap with its values"

SingleValue = tuple[str, str, Spot]
"""A value with its path, its text as JSON, and the field it is from."""

_LONGEST = 100_000
"""So many characters of single values are given to Helm."""
_POST_BUILD: Pointer = ("spec", "postBuild")


class CannotFollowError(Exception):
    """An object names something that lies elsewhere, or that this program does not follow; the text says which."""


class GitObject:
    """An object of a GitOps controller, and its repository.

    `made` is the output of a template of the object, which stands at `pointer`.
    """

    def __init__(
        self,
        declared: DeclaredObject,
        root: Path,
        named: Named,
        made: dict[str, Any] | None = None,
        pointer: Pointer = (),
    ) -> None:
        self.value: dict[str, Any] = declared.value if made is None else made
        self.spec = mapping(self.value.get("spec"))
        self.root = root
        self._declared = declared
        self._document = declared.written
        self._path = declared.path
        self._named = named
        self._pointer = pointer

    def with_template(self, made: dict[str, Any], *pointer: str | int) -> GitObject:
        """Return the object that a template at a pointer of this object creates."""
        return GitObject(self._declared, self.root, self._named, made, pointer)

    @property
    def made(self) -> RenderedObject | None:
        """Return the object as it is rendered, if that changes what it says."""
        return None if self.is_written("spec") else self._declared.made

    @property
    def home(self) -> str:
        """Return the file that stands for the object."""
        return self._declared.home

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
        """The name of the object in messages."""
        return f"{self.value['kind']} {self.name}"

    def is_from_here(self, reference: Any) -> bool:
        """Whether a reference of Flux names this repository, judged by the address of the GitRepository."""
        fields = mapping(reference)
        name = fields.get("name")
        if fields.get("kind") != "GitRepository" or not isinstance(name, str):
            return False
        return name not in self._named.addresses or may_be_address_of(self._named.addresses[name], self.root)

    def folder(self, path: Any) -> str:
        """Return a folder of the repository by its path below the root.

        Raises:
            CannotFollowError: there is no such folder.
        """
        if not isinstance(path, str) or len(path) > LONGEST or "\0" in path:
            raise CannotFollowError(_NO_FOLDER)
        below = posixpath.normpath(path.lstrip("/") or ".")
        full = self.root / below
        if below.startswith("..") or not is_inside(os.path.realpath(full), self.root) or not is_folder(full):
            raise CannotFollowError(_NO_FOLDER)
        return below

    def is_judged(self, folder: str) -> bool:
        """Whether a folder, by its path below the root, may have files that are judged."""
        return self._named.judged is None or os.path.realpath(self.root / folder) in self._named.judged

    def shown(self, folder: str) -> str:
        """Return a folder of the repository, as printed."""
        return display_path(self.root / folder, Path.cwd())

    def file(self, path: str) -> GivenValues | None:
        """Return a file of values by its path below the root; None if there is no such file."""
        below = posixpath.normpath(path)
        full = self.root / below
        inside = len(path) <= LONGEST and "\0" not in path and not below.startswith(("..", "/"))
        if not inside or not is_inside(os.path.realpath(full), self.root) or not is_file(full):
            return None
        return GivenValues(below)

    def part(self, form: Any, *pointer: str | int) -> GivenValues:
        """Return values in the object itself."""
        return GivenValues(self._path, form, self._document.index, self.within(*pointer))

    def spot(self, *pointer: str | int) -> Spot:
        """Return the place of a field in the document."""
        if self._declared.made is not None:
            return self._declared.made.origin.spot(self.within(*pointer))
        return Spot(self.shown(self._path), self._document.locate(self.within(*pointer)))

    def within(self, *pointer: str | int) -> Pointer:
        """Return where a field stands in the document."""
        return (*self._pointer, *pointer)

    def is_written(self, *pointer: str | int) -> bool:
        """Whether a field stands in the document as it is, and no template fills it in."""
        if self._declared.made is not None and self._document is self._declared.made.document:
            return False
        return bool(value_at(self._document.value, self.within(*pointer)) == value_at(self.value, pointer))

    def at(self, *pointer: str | int) -> dict[str, Any]:
        """Return the mapping at a place of the object; empty if there is none."""
        return mapping(value_at(self.value, pointer))

    def declared(self, kind: str, name: str) -> DeclaredObject | None:
        """Return the object of its namespace with a kind and a name.

        Clusters of one repository declare objects of the same name, each in a separate folder: the nearest counts, a
        rendered one first. None if there is none, or no nearest one.
        """
        entries = list(self._named.declared(kind, name, self.namespace, self.root))
        ranks = [(_shared(entry.home, self.home), entry.made is not None) for entry in entries]
        nearest = [entry for entry, rank in zip(entries, ranks, strict=True) if rank == max(ranks)]
        return nearest[0] if len(nearest) == 1 else None

    def values_of(self, reference: Mapping[str, Any], *, alone: bool) -> Iterator[GivenValues | SingleValue]:
        """Yield the values in a ConfigMap of the repository; `alone` is that of `values_at`.

        Raises:
            CannotFollowError: the values are in a Secret, or the ConfigMap is not declared exactly once.
        """
        name, key = reference.get("name"), reference.get("valuesKey") or "values.yaml"
        if reference.get("kind") != "ConfigMap":
            raise CannotFollowError("values come from a Secret")
        found = self.declared("ConfigMap", name) if isinstance(name, str) and isinstance(key, str) else None
        where = ("data", key)
        text = value_at(found.value, where) if found is not None else None
        path = reference.get("targetPath")
        if path and found is not None and isinstance(text, str):
            if not isinstance(path, str) or _PLAIN().fullmatch(text) is None:
                raise CannotFollowError("the one value for `targetPath` is not plain text")
            is_typed = text in ("true", "false") or _INTEGER().fullmatch(text)
            yield path, text if is_typed else json.dumps(text), GitObject(found, self.root, self._named).spot(*where)
            return
        if found is None or yaml_mapping(text) is None:
            raise CannotFollowError(_NO_CONFIG_MAP)
        file = next((one.path for one in found.sources if one.text == text), None)
        if file is not None and not alone:
            yield GivenValues(os.path.relpath(os.path.realpath(self._named.cwd / file), self.root))
        else:
            yield from GitObject(found, self.root, self._named).values_at("text", where, alone=alone)

    def values_at(self, form: Any, pointer: Pointer, *, alone: bool = False) -> Iterator[GivenValues | SingleValue]:
        """Yield the values at a pointer as they are written; one by one if a template makes them, or if `alone`.

        Raises:
            CannotFollowError: there is no mapping.
        """
        content = value_at(self.value, pointer)
        value = content if form == "mapping" else yaml_mapping(content)
        if not isinstance(value, dict):
            raise CannotFollowError(f"`{pointer[-1]}` holds no mapping")
        if self.is_written(*pointer) and not alone:
            yield self.part(form, *pointer)
            return
        for path, text, below in _leaves(value, "", ()):
            yield path, text, self.spot(*pointer, *(below if form == "mapping" else ()))

    def chart(
        self, folder: str, release: Any, namespace: Any, values: Iterable[GivenValues | SingleValue]
    ) -> ChosenChart:
        """Return the chart, rendered as the object renders it.

        Raises:
            CannotFollowError: the release or the namespace has no valid name, or there are too many single values.
        """
        for name in (release, namespace):
            if not isinstance(name, str) or not is_release(name):
                raise CannotFollowError("the name or the namespace is no name")
        every = list(values)
        sets = tuple(one for one in every if isinstance(one, tuple))
        if sum(len(path) + len(text) for path, text, _ in sets) > _LONGEST:
            raise CannotFollowError("a template or a patch makes too many values")
        given = tuple(one for one in every if isinstance(one, GivenValues))
        chosen = ChosenChart(self.shown(folder), release, namespace, sets=sets, given=given, title=self.title)
        return replace(chosen, path_of_object=self.home)


def _leaves(value: dict[str, Any], before: str, pointer: Pointer) -> Iterator[tuple[str, str, Pointer]]:
    """Yield each value that is no mapping with others: its path for `--set-json`, its text, and its pointer."""
    for key, inner in value.items():
        path = f"{before}{_SPECIAL().sub(_ESCAPED, str(key))}"
        if isinstance(inner, dict) and inner:
            yield from _leaves(inner, f"{path}.", (*pointer, key))
        else:
            yield path, json.dumps(inner, default=str), (*pointer, key)


def _shared(path: str, other: str) -> int:
    """Return how many leading folders two paths have in common."""
    pairs = zip(path.split("/")[:-1], other.split("/")[:-1], strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def yaml_mapping(text: Any) -> dict[str, Any] | None:
    """Return the mapping that a text of YAML holds; None if it holds none."""
    reading = read("", text.encode(errors="replace")) if isinstance(text, str) else None
    values = [document.value for document in reading.documents] if reading and not reading.problems else []
    return next((value for value in values if isinstance(value, dict)), None)


def variables_of(git_object: GitObject, folder: str, pointer: Pointer = ("spec",)) -> Variables:
    """Return the variables that a Kustomization fills into a folder, given by its path below the root.

    `pointer` is where the object names the folder as `path`.

    Raises:
        CannotFollowError: the API server refuses its variables, or there is nothing to build.
    """
    post = mapping(git_object.spec.get("postBuild"))
    substitute = post.get("substitute") or {}
    if not isinstance(substitute, dict) or not all(isinstance(value, str) for value in substitute.values()):
        raise CannotFollowError("a value of `postBuild.substitute` is no text, which the API server refuses")
    full, own, made = git_object.root / folder, git_object.part("mapping", "spec", "postBuild"), git_object.made
    variables = Variables(os.path.realpath(full), git_object.title, own.path, own.document, ())
    place = git_object.within(*pointer, "path")
    variables = replace(variables, pointer=place, made=made, path_of_object=git_object.home)
    if not post:
        return variables
    if not any(is_file(full / name) for name in NAMES) and generated(DiskTree(git_object.root), folder) is None:
        raise CannotFollowError("the folder holds no objects, or too many")
    sources = [
        _source(git_object, mapping(reference), (*_POST_BUILD, "substituteFrom", index))
        for index, reference in enumerate(sequence(post.get("substituteFrom")))
    ]
    named = (*own.pointer, "substitute")
    sources.append(VariableSource(git_object.title, named, path=own.path, document=own.document, made=made))
    always = post.get("substituteStrategy") == "Always"
    return replace(variables, sources=tuple(sources), always=always)


def _source(git_object: GitObject, reference: Mapping[str, Any], pointer: Pointer) -> VariableSource:
    """Return a ConfigMap or a Secret as a source of variables, inside the repository or not."""
    kind, name = reference.get("kind"), reference.get("name")
    if kind not in ("ConfigMap", "Secret") or not isinstance(name, str):
        raise CannotFollowError("an entry of `postBuild.substituteFrom` names no ConfigMap and no Secret")
    optional = reference.get("optional") is True
    source, found = VariableSource(f"{kind} {name}", pointer, optional), git_object.declared(kind, name)
    return replace(source, path=found.path, document=found.written.index, made=found.made) if found else source
