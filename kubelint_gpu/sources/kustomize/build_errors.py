"""Errors of Kustomize, at the line of the user's file that each means, and the folder in which Kustomize works."""

from __future__ import annotations

import os
import posixpath
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kubelint_gpu.documents import Document, Pointer, Reading, Span
from kubelint_gpu.kube.values.plain import sequence
from kubelint_gpu.patterns import pattern
from kubelint_gpu.sources.kustomize.accumulation.layer import Layer
from kubelint_gpu.sources.kustomize.files.survey import Survey
from kubelint_gpu.sources.render import Obstacle, Spot
from kubelint_gpu.values import Value

_LINE = pattern(r"\bline (\d+)")
_TARGET = pattern(r"(?:patch|matches for Id|target for patch) (?P<kind>\w+)\.[^/\s]*/(?P<name>[^.\s;]+)")
_ACCUMULATING = pattern(
    r"accumulating (?:resources|components): |accumulat(?:ion|ing) err='"
    r"|accumulating (?:resources|components) from '[^']*': |'[^']*' must resolve to a file': "
    r"|recursed (?:accumulation|merging) (?:of|from) path '[^']*': |accumulateDirectory: \"?"
    r"|couldn't make target for path '[^']*': |merging resources from '[^']*': "
)
# what a file that is no folder adds to what is wrong with it
_NO_FOLDER = pattern(
    r"(?: in object \{\{(?:[^ ]| (?!in object ))*?\}\})?'?: must build at directory: '[^']*': file is not directory$"
)
_LOGGED = pattern(r'[EF]\d{4} [\d:.]+ +\d+ [\w.]+:\d+\] "command failed" err=(?:"(?P<text>.*)"|<(?P<lines>.*)>)')
_BUILT_IN = pattern(r"builtin (?P<kind>\w+)")
_FIELDS = {
    "PatchTransformer": "patches",
    "PatchStrategicMergeTransformer": "patchesStrategicMerge",
    "PatchJson6902Transformer": "patchesJson6902",
    "ImageTagTransformer": "images",
    "ReplicaCountTransformer": "replicas",
    "ReplacementTransformer": "replacements",
    "LabelTransformer": "labels",
    "ConfigMapGenerator": "configMapGenerator",
    "SecretGenerator": "secretGenerator",
}
_REFUSED = "security; file "  # of a file that lies where none may be named
_MOST = 400
_SHORTEST = 4
"""Shorter words stand in any message."""


class WorkingCopy(Value):
    """The folders in which Kustomize works.

    Attributes:
        folder: the folder to build.
        home: a separate folder for everything that the program writes.
        tree: the folder that stands for the root of the repository, as it occurs in errors.
    """

    folder: Path
    home: Path
    tree: str


@contextmanager
def staged(folder: str, files: Mapping[str, bytes], in_place: Path | None = None) -> Iterator[WorkingCopy]:
    """Yield a temporary copy of files of a repository, to build `folder`.

    With `in_place`, the real root of the repository, nothing is copied.
    """
    with tempfile.TemporaryDirectory(prefix="kubelint-gpu-") as made:
        top = Path(os.path.realpath(made))
        tree, home = in_place or top / "tree", top / "home"
        home.mkdir()
        for name, data in files.items() if in_place is None else ():
            target = tree / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        yield WorkingCopy(tree / folder, home, str(tree))


def complaint(error: str, stage: WorkingCopy, found: Survey, shown: Callable[[str], str]) -> Obstacle:
    """Return the place and the sentence for an error that Kustomize printed."""
    text = _cleaned(error, stage, shown)
    top = found.kustomizations[found.root]
    message = f"kustomize cannot build it: {_short(text)}"
    reading, span = _place(text, found, shown)
    naming = _REFUSED in text or reading in [None, *(one.reading for one in found.kustomizations.values())]
    if span is None and naming:
        spot = _quoted(text, found, shown)
        if spot is not None:
            return Obstacle(spot.path, spot.span, message)
    if reading is None or reading.source is None:
        reading, span = top.reading, None
    path = reading.source.path if reading.source is not None else shown(top.path)
    if span is None:
        document = next(iter(reading.documents), None)
        span = document.locate((), "key") if document is not None else None
    return Obstacle(path, span, message)


def _cleaned(error: str, stage: WorkingCopy, shown: Callable[[str], str]) -> str:
    """Return the lines that are no warnings, with the user's paths in place of the copy's."""
    lines = [line for line in error.splitlines() if line.strip() and not line.startswith(("#", "Warning"))]
    text = " ".join(line.strip() for line in lines).removeprefix("Error: ").removeprefix("error: ")
    logged = _LOGGED().fullmatch(text)
    if logged is not None:
        text = logged["text"] or logged["lines"]
        text = text.replace('\\"', '"').replace("\\n", " ").replace("\\\\", "\\") if logged["text"] else text.strip()
    return re.sub(re.escape(stage.tree) + r"/?([^\s'\"`]*)", lambda match: shown(match[1]), text)


def _short(text: str) -> str:
    """Return the end of the error's chain: the cause, without the folders that led to it."""
    while True:
        match = _ACCUMULATING().match(text)
        if match is None:
            break
        text = text[match.end() :]
    text = _NO_FOLDER().sub("", text)
    # what stood around it has gone, and its closing quotes with it
    while text.endswith(("'", '"')) and text.count(text[-1]) % 2:
        text = text[:-1]
    return text if len(text) <= _MOST else text[:_MOST] + " …"


def _place(text: str, found: Survey, shown: Callable[[str], str]) -> tuple[Reading | None, Span | None]:
    target = _TARGET().search(text)
    if target is not None:
        for reading, document in _documents(found):
            if document.value.get("kind") == target["kind"] and _name(document.value) == target["name"]:
                return reading, document.locate(("metadata", "name"))
        for kustomization in found.kustomizations.values():
            for pointer, name in _targets(kustomization.value):
                if name == target["name"] and kustomization.document is not None:
                    return kustomization.reading, kustomization.document.locate(pointer)
    readings = {shown(path): reading for path, reading in found.readings.items()}
    readings |= {shown(one.path): one.reading for one in found.kustomizations.values()}
    named = [path for path in readings if path in text or posixpath.basename(path) in text.split("'")]
    if named:
        reading = readings[max(named, key=lambda path: (text.rfind(path), len(path)))]
        line = _LINE().search(text)
        if line is not None and reading.source is not None:
            number = min(int(line[1]), len(reading.source.line_starts))
            start = reading.source.line_starts[number - 1]
            written = reading.source.line(number)
            indent = len(written) - len(written.lstrip())
            return reading, reading.source.span(start + indent, start + max(len(written.rstrip()), indent + 1))
        return reading, None
    built_in = _BUILT_IN().search(text)
    field = _FIELDS.get(built_in["kind"]) if built_in is not None else None
    having = [one for one in found.kustomizations.values() if field is not None and field in one.value]
    having.sort(key=lambda one: text.rfind(f"'{shown(one.folder)}'"))
    if having and having[-1].document is not None and field is not None:
        return having[-1].reading, having[-1].document.locate((field,), "key")
    folders = [one for one in found.kustomizations.values() if one.folder and f"{shown(one.folder)}'" in text]
    if folders:
        return max(folders, key=lambda one: text.rfind(shown(one.folder))).reading, None
    return None, None


def _quoted(text: str, found: Survey, shown: Callable[[str], str]) -> Spot | None:
    """Return the place of the longest value that the error quotes; None if there is none."""
    best: tuple[int, Spot] | None = None
    for layer in _layers(text, found, shown):
        for pointer, value in _scalars(layer.kustomization.value):
            if len(value) >= _SHORTEST and _is_quoted(value, text) and (best is None or len(value) > best[0]):
                best = len(value), layer.value(pointer, "").spot()
    return best[1] if best is not None else None


def _layers(text: str, found: Survey, shown: Callable[[str], str]) -> list[Layer]:
    having = [one for one in found.kustomizations.values() if one.document is not None]
    having.sort(key=lambda one: -text.rfind(f"'{shown(one.folder)}'"))
    return [Layer(one, found) for one in having]


def _scalars(value: Any, pointer: Pointer = ()) -> Iterator[tuple[Pointer, str]]:
    if isinstance(value, str):
        yield pointer, value
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from _scalars(child, (*pointer, key))


def _is_quoted(value: str, text: str) -> bool:
    """Whether a message quotes a text as a whole word."""
    return re.search(rf"(?<![\w./-]){re.escape(value)}(?![\w/-])", text) is not None


def _documents(found: Survey) -> Iterator[tuple[Reading, Document]]:
    """Yield the objects, those of patches first, because a missing target is named there."""
    patches = {
        posixpath.normpath(posixpath.join(one.folder, path))
        for one in found.kustomizations.values()
        for path in _patch_paths(one.value)
    }
    for path, reading in found.readings.items():
        if path in patches:
            for document in reading.documents:
                if isinstance(document.value, dict):
                    yield reading, document


def _patch_paths(value: dict[str, Any]) -> Iterator[str]:
    for key in ("patches", "patchesJson6902", "patchesStrategicMerge"):
        for entry in sequence(value.get(key)):
            path = entry.get("path") if isinstance(entry, dict) else entry
            if isinstance(path, str) and "\n" not in path:
                yield path


def _targets(value: dict[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    for key in ("patches", "patchesJson6902", "replicas"):
        for index, entry in enumerate(sequence(value.get(key))):
            target = entry.get("target", entry) if isinstance(entry, dict) else None
            if isinstance(target, dict) and isinstance(target.get("name"), str):
                yield (key, index), target["name"]


def _name(value: dict[str, Any]) -> str:
    meta = value.get("metadata")
    name = meta.get("name") if isinstance(meta, dict) else None
    return name if isinstance(name, str) else ""
