"""The variables that a Kustomization of Flux fills in after the build of its folder.

Source: `SubstituteVariables` and `LoadVariables` of github.com/fluxcd/pkg/kustomize, and the types of the controller.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from kubelint_gpu.documents import Pointer
from kubelint_gpu.kube.values.plain import mapping, sequence
from kubelint_gpu.sources import SourceFile
from kubelint_gpu.sources.checkout import is_file, is_inside, repository_root
from kubelint_gpu.sources.kustomize.files.generated import generated
from kubelint_gpu.sources.kustomize.files.kustomization import NAMES, DiskTree
from kubelint_gpu.sources.kustomize.variables import Variables, VariableSource
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.project.git_ops.git_object import CannotFollowError, GitObject

_POST_BUILD: Pointer = ("spec", "postBuild")


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
