"""What objects of Argo CD say: the Applications that an ApplicationSet makes, and the values that one gives a chart.

Applications are made of a list, and of folders and files of this repository.

Sources: `GitGenerator` (v3) and `Render.Replace` (v2) of the ApplicationSet controller of Argo CD.
"""

from __future__ import annotations

import json
import os
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any

from kubelint_gpu.documents import Pointer, read
from kubelint_gpu.kube.values.plain import mapping, sequence
from kubelint_gpu.patterns import pattern
from kubelint_gpu.sources.checkout import is_inside, may_be_address_of
from kubelint_gpu.sources.files import collect, display_path
from kubelint_gpu.sources.helm.given_values import GivenValues
from kubelint_gpu.workspace.project.git_ops.git_object import NO_FILE, CannotFollowError, GitObject, SingleValue


def argo_values(
    git_object: GitObject, helm: dict[str, Any], folder: str, references: set[str], pointer: Pointer
) -> Iterator[GivenValues | SingleValue]:
    """Yield the values in Argo CD's order: files, `values` or `valuesObject`, parameters.

    Single values that a template of the object makes have their path, their text as JSON, and the field they are from.

    Raises:
        CannotFollowError: a file is missing, or a value comes of a file.
    """
    if helm.get("fileParameters"):
        raise CannotFollowError("a value is the text of a file (`fileParameters`)")
    for name in sequence(helm.get("valueFiles")):
        if not isinstance(name, str):
            raise CannotFollowError(NO_FILE)
        head, _, rest = name.partition("/")
        path = rest if head in references or name.startswith("/") else posixpath.join(folder, name)
        values_file = git_object.file(path)
        if values_file is not None:
            yield values_file
        elif helm.get("ignoreMissingValueFiles") is not True:
            raise CannotFollowError(NO_FILE)
    key = "valuesObject" if helm.get("valuesObject") else "values"
    made = False
    if helm.get(key):
        for one in git_object.values_at("mapping" if key == "valuesObject" else "text", (*pointer, key)):
            made = made or isinstance(one, tuple)
            yield one
    parameters = [mapping(entry) for entry in sequence(helm.get("parameters"))]
    if any("[" in str(entry.get("name")) or str(entry.get("value"))[:1] in ("{", "$") for entry in parameters):
        raise CannotFollowError("a parameter is an expression")
    if parameters and (made or not git_object.is_written(*pointer, "parameters")):
        place = git_object.spot(*pointer, "parameters")
        yield from ((str(entry.get("name")), json.dumps(_plain(entry)), place) for entry in parameters)
    elif parameters:
        yield git_object.part("parameters", *pointer, "parameters")


def _plain(entry: dict[str, Any]) -> Any:
    """Return the value of a parameter: a text, or what the text means in YAML if that is no list or mapping."""
    text = str(entry.get("value", ""))
    document = next(iter(read("", text.encode(errors="replace")).documents), None)
    is_text = entry.get("forceString") is True or document is None or isinstance(document.value, dict | list)
    return text if is_text or document is None else document.value


_TAG = pattern(r"\{\{([^{}]*)\}\}")
_FIELD = pattern(r"\s*\.([A-Za-z_][A-Za-z0-9_.]*)\s*")
_NO_NAME = pattern(r"[^-a-z0-9.]")
_GENERATOR = "a generator is neither a list nor one of this repository, or changes what it gives"
_TEMPLATE = "the template does more than to name a parameter"
_MOST = 200
"""So many Applications of one object are followed."""
_MOST_FOLDERS = 10_000
_LONGEST = 10_000
_LARGE = 1_000_000  # such numbers, Go may print with an exponent


def applications(spec: Mapping[str, Any], root: Path) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the template of an ApplicationSet, filled in with each set of parameters that its generators give.

    With it comes the file of the parameters, by its path below the root; empty if there is none.

    Raises:
        CannotFollowError: a generator or a template is of a kind that is not done here, or there are too many.
    """
    if spec.get("templatePatch") or not sequence(spec.get("generators")):
        raise CannotFollowError("it has no generators, or a `templatePatch`")
    in_go = spec.get("goTemplate") is True
    every = (one for found in sequence(spec["generators"]) for one in _parameters(mapping(found), root, in_go=in_go))
    number = 0
    for number, (parameters, path) in enumerate(every, 1):
        if number > _MOST:
            raise CannotFollowError("it makes more Applications than are followed")
        yield mapping(_filled(mapping(spec.get("template")), parameters, in_go=in_go)), path
    if not number:
        raise CannotFollowError("the generators find nothing in this repository")


def _parameters(generator: dict[str, Any], root: Path, *, in_go: bool) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the parameters of one generator, with the file that they are from if there is one.

    Raises:
        CannotFollowError: it is neither a list nor one of folders or files of this repository.
    """
    made = mapping(generator.get("list") or generator.get("git"))
    if (
        generator.keys() not in ({"list"}, {"git"})
        or made.get("template")
        or made.get("values")
        or made.get("pathParamPrefix")
    ):
        raise CannotFollowError(_GENERATOR)
    if "list" in generator:
        if made.get("elementsYaml"):
            raise CannotFollowError(_GENERATOR)
        yield from ((one if in_go else _flat(one), "") for one in map(mapping, sequence(made.get("elements"))))
        return
    if not may_be_address_of(made.get("repoURL"), root):
        raise CannotFollowError("a generator looks at another repository")
    # of both, the controller looks at the folders alone
    of_folders = bool(made.get("directories"))
    patterns = [mapping(one) for one in sequence(made.get("directories" if of_folders else "files"))]
    for path in _paths(root, folders=of_folders):
        if not _is_chosen(path, patterns, _is_folder_of if of_folders else fnmatchcase):
            continue
        if of_folders:
            yield _of_path(path, in_go=in_go), ""
            continue
        folder, name = posixpath.split(path)
        for content in _contents(root / path, root):
            yield (content if in_go else _flat(content)) | _of_path(folder or ".", name, in_go=in_go), path


def _is_folder_of(path: str, wanted: str) -> bool:
    """Whether a path matches as `path.Match` of Go has it: a star stands for no slash."""
    return PurePosixPath(f"/{path}").match(f"/{wanted}")


def _is_chosen(path: str, patterns: Sequence[dict[str, Any]], matches: Callable[[str, str], bool]) -> bool:
    """Whether a path matches a pattern, and none that leaves it out."""
    found = [one.get("exclude") is True for one in patterns if matches(path, str(one.get("path")))]
    return bool(found) and not any(found)


def _paths(root: Path, *, folders: bool) -> Iterator[str]:
    """The folders or files of a repository by their paths below its root, but for hidden ones.

    Raises:
        CannotFollowError: there are too many.
    """
    for number, (folder, below, names) in enumerate(os.walk(root)):
        if number > _MOST_FOLDERS:
            raise CannotFollowError("the repository has more folders than are looked at")
        below[:] = sorted(name for name in below if not name.startswith("."))
        for name in below if folders else sorted(names):
            yield Path(folder, name).relative_to(root).as_posix()


def _contents(path: Path, root: Path) -> Iterator[dict[str, Any]]:
    """The mapping that a file holds, or each of the list that it holds.

    Raises:
        CannotFollowError: it cannot be read, or holds something else.
    """
    files = collect([display_path(path, Path.cwd())]).files if is_inside(os.path.realpath(path), root) else ()
    found = [one for file in files for one in (read(file.path, file.data),)]
    if not found or found[0].problems or len(found[0].documents) != 1:
        raise CannotFollowError("a file of a generator cannot be read")
    content = found[0].documents[0].value
    every = content if isinstance(content, list) else [content]
    if not all(isinstance(one, dict) for one in every):
        raise CannotFollowError("a file of a generator holds no mapping")
    yield from every


def _of_path(path: str, name: str = "", *, in_go: bool) -> dict[str, Any]:
    """What a template can say of a folder, and of a file in it."""
    found = {"basename": posixpath.basename(path)}
    if name:
        found["filename"] = name
    found |= {f"{key}Normalized": _normalized(value) for key, value in found.items()}
    if in_go:
        return {"path": {"path": path, **found}}
    parts = {f"path[{number}]": part for number, part in enumerate(path.split("/")) if part}
    return {"path": path, **{f"path.{key}": value for key, value in found.items()}, **parts}


def _normalized(name: str) -> str:
    return _NO_NAME().sub("-", name.lower())[:253].strip("-.")


def _flat(parameters: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    """The parameters under one name each, as `team.name`."""
    found: dict[str, Any] = {}
    for key, value in parameters.items():
        found |= _flat(value, f"{before}{key}.") if isinstance(value, dict) else {f"{before}{key}": value}
    return found


def _filled(template: Any, parameters: Mapping[str, Any], *, in_go: bool) -> Any:
    """A template with its texts filled in.

    Raises:
        CannotFollowError: a template of Go does more than to name a parameter.
    """
    if isinstance(template, dict):
        return {
            _filled(key, parameters, in_go=in_go): _filled(value, parameters, in_go=in_go)
            for key, value in template.items()
        }
    if isinstance(template, list):
        return [_filled(value, parameters, in_go=in_go) for value in template]
    if not isinstance(template, str) or "{{" not in template:
        return template
    texts = [_named(tag, parameters, in_go=in_go) for tag in _TAG().finditer(template)]
    if len(texts) > 1 and sum(map(len, texts)) > _LONGEST:
        raise CannotFollowError("the parameters make a text too long")
    rest = iter(texts)
    filled = _TAG().sub(lambda _: next(rest), template)
    if in_go and _TAG().sub("", template).count("{{"):
        raise CannotFollowError(_TEMPLATE)
    return filled


def _named(tag: re.Match[str], parameters: Mapping[str, Any], *, in_go: bool) -> str:
    """The parameter that a tag names; without templates of Go, a tag that names none stays as it is."""
    if not in_go:
        found = parameters.get(tag[1].strip())
        return tag[0] if found is None else _text(found)
    named = _FIELD().fullmatch(tag[1])
    value: Any = parameters
    for part in named[1].split(".") if named else ():
        value = mapping(value).get(part)
    if named is None:
        raise CannotFollowError(_TEMPLATE)
    return _text(value)


def _text(value: Any) -> str:
    """A parameter as Go prints it.

    Raises:
        CannotFollowError: it is neither a short text nor a small whole number.
    """
    if isinstance(value, str) and len(value) <= _LONGEST:
        return value
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < _LARGE:
        return str(value)
    raise CannotFollowError("a parameter is no text, or too long")
