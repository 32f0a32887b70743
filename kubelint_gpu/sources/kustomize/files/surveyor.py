"""Everything that a build of a kustomization would read, checked before Kustomize is started.

References that would reach the network, start a program or leave the repository are never passed to Kustomize.

Some kustomizations nobody wrote: the one that Flux generates for a folder without one, and one on top of a folder.
Mirrors `scanManifests` of github.com/fluxcd/pkg/kustomize; files without objects, for which Flux fails, are left out.
"""

from __future__ import annotations

import json
import os
import posixpath
import re
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from kubelint_gpu.documents import MAX_BYTES, Pointer, Reading, Role, read
from kubelint_gpu.patterns import pattern
from kubelint_gpu.sources.checkout import is_file
from kubelint_gpu.sources.kustomize.files.kustomization import (
    NAMES,
    Contents,
    DiskTree,
    Kustomization,
    Reference,
    Tree,
    find_in,
    joined,
    load,
    misspelt,
    of_plugin,
    references,
)
from kubelint_gpu.sources.kustomize.files.survey import AllowedFiles, Survey, read_once
from kubelint_gpu.sources.render import Obstacle

MOST_OBJECTS = 20_000
MOST_BYTES = 16 * 1024 * 1024
_REMOTE = pattern(
    r"[a-z][a-z0-9+.-]*://|git::|gh:|[^/\s][^/\s@]*@[^/\s]*:|(?:www\.)?(?:github|gitlab|bitbucket)\.[a-z]+[/:]|.*[?&](?:ref|version)="
    r"|.*\.git(?:/|\?|$)|.*/_git/",
    re.IGNORECASE,
)
_HOST = pattern(r"[\w-]+(?:\.[\w-]+)+/")
_BUILT_IN = "builtin"
_MOST_TEXTS = 10_000
_MOST_LAYERS = 50


def survey(tree: Tree, folder: str, shown: Callable[[str], str], allowed: AllowedFiles) -> Survey:
    """Survey a kustomization and everything that it includes; `shown` gives the path that findings print."""
    surveyor = _Surveyor(tree, shown, allowed)
    objects = surveyor.visit(folder, ())
    return Survey(
        folder,
        surveyor.kustomizations,
        surveyor.readings,
        surveyor.files,
        frozenset(surveyor.resources),
        tuple(dict.fromkeys(surveyor.obstacles)),
        objects,
    )


class _Surveyor:
    """Walks the folders of a kustomization; each is read once."""

    def __init__(self, tree: Tree, shown: Callable[[str], str], allowed: AllowedFiles) -> None:
        self.kustomizations: dict[str, Kustomization] = {}
        self.readings: dict[str, Reading] = {}
        self.files: dict[str, bytes] = {}
        self.resources: set[str] = set()
        self.obstacles: list[Obstacle] = []
        self._tree = tree
        self._shown = shown
        self._allowed = allowed
        self._objects: dict[str, int] = {}
        self._bytes = 0

    def visit(self, folder: str, above: tuple[str, ...]) -> int:
        """Return the number of objects that a folder adds."""
        if folder in self._objects:
            return self._objects[folder]
        path = find_in(self._tree, folder)
        found = load(self._tree, path, self._shown(path)) if path is not None else None
        if path is None or found is None:
            return 0
        self.kustomizations[folder] = found
        self._keep(path)
        count = len(found.entries("configMapGenerator")) + len(found.entries("secretGenerator"))
        self._readable(found)
        self._withheld_fields(found)
        for reference in references(found):
            count += self._reference(found, reference, (*above, self._tree.canonical(folder)))
        if self._bytes > MOST_BYTES:
            self._stop(found, (), f"it reads more than {MOST_BYTES >> 20} MB")
        if count > MOST_OBJECTS:
            self._stop(found, ("resources",), f"it would give {count} objects, and at most {MOST_OBJECTS} are rendered")
            count = 0
        self._objects[folder] = count
        return count

    def _reference(self, found: Kustomization, reference: Reference, above: tuple[str, ...]) -> int:
        text, pointer = reference.text, reference.pointer
        target = None if posixpath.isabs(text) else joined(found.folder, text)
        if _REMOTE().match(text):
            self._stop(found, pointer, f"{text} is remote, and nothing is fetched: {_RENDER}", withheld=True)
        elif target is None:
            if not self._allowed.outside:
                self._stop(found, pointer, f"{text} lies outside of the repository and is not read", withheld=True)
        elif self._tree.leads_out(target):
            if not self._allowed.outside:
                message = f"{text} is a link, or lies behind one, that leads out of the repository, and is not read"
                self._stop(found, pointer, message, withheld=True)
        elif reference.folder and self._tree.is_folder(target):
            return self._folder(found, reference, target, above)
        elif not self._tree.is_file(target):
            if _HOST().match(text) and reference.folder:
                self._stop(found, pointer, f"{text} is remote, and nothing is fetched: {_RENDER}", withheld=True)
            else:
                self._stop(found, pointer, f"there is no {'file or folder' if reference.folder else 'file'} {text}")
        else:
            return self._file(found, reference, target)
        return 0

    def _folder(self, found: Kustomization, reference: Reference, target: str, above: tuple[str, ...]) -> int:
        if reference.key in ("generators", "transformers", "validators") and not self._allowed.plugins:
            message = f"{reference.text} may hold plugins, programs of their own, and none is started: {_RENDER}"
            self._stop(found, reference.pointer, message, withheld=True)
            return 0
        if self._tree.canonical(target) in above:
            self._stop(found, reference.pointer, f"{reference.text} takes this kustomization in itself: a circle")
            return 0
        if len(above) > _MOST_LAYERS:
            self._stop(found, reference.pointer, f"there are more than {_MOST_LAYERS} layers of kustomizations")
            return 0
        if find_in(self._tree, target) is None:
            self._stop(found, reference.pointer, f"the folder {reference.text} holds no kustomization")
            return 0
        return self.visit(target, above)

    def _file(self, found: Kustomization, reference: Reference, target: str) -> int:
        data = self._keep(target)
        if not reference.manifest or data is None:
            return 0
        if target not in self.readings:
            self.readings[target] = read_once(self._shown(target), data)
        documents = self.readings[target].documents
        if reference.key == "resources":
            self.resources.add(target)
        if reference.key in ("generators", "transformers", "validators"):
            for problem in self.readings[target].problems:
                self.obstacles.append(Obstacle(problem.path, problem.span, problem.message))
            for document in documents:
                self._plugin(found, reference.pointer, document.value)
        return len(documents) if reference.key == "resources" else 0

    def _keep(self, path: str) -> bytes | None:
        if path not in self.files:
            size = self._tree.size(path)
            # Kustomize reads each name
            self._bytes += size or 0
            data = self._tree.read(path) if self._bytes <= MOST_BYTES else b""
            if size is None or data is None:
                return None
            self.files[path] = data
        return self.files[path]

    def _readable(self, found: Kustomization) -> None:
        """Check that Kustomize reads no more of this file than was checked here, and reads it in the same way."""
        path = self._shown(found.path)
        for problem in found.reading.problems:
            self.obstacles.append(Obstacle(path, problem.span, problem.message))
        for document in found.reading.documents[1:]:
            self.obstacles.append(Obstacle(path, document.span, "a kustomization is one document, and this is another"))
        for pointer, known in misspelt(found.value):
            self._stop(found, pointer, f"{pointer[-1]} must be written {known}", role="key")

    def _withheld_fields(self, found: Kustomization) -> None:
        for key in ("helmCharts", "helmChartInflationGenerator"):
            if found.value.get(key) and not self._allowed.helm:
                self._stop(
                    found, (key,), f"{key} would start helm, and no program is started: {_RENDER}", withheld=True
                )
        for key in ("generators", "transformers", "validators"):
            for index, entry in enumerate(found.entries(key)):
                if isinstance(entry, str) and "\n" in entry:
                    inline = read("", entry.encode(errors="replace"))
                    for problem in inline.problems[:1]:
                        self._stop(found, (key, index), problem.message)
                    for document in inline.documents:
                        self._plugin(found, (key, index), document.value)
        # whatever else names a file is handed over, too
        for text in islice(_texts(found.value), _MOST_TEXTS):
            target = joined(found.folder, text.partition("=")[2] or text)
            if target is not None and self._tree.is_file(target):
                self._keep(target)

    def _plugin(self, found: Kustomization, pointer: Pointer, value: Any) -> None:
        """Check a generator or transformer: only those built into Kustomize may run."""
        if not isinstance(value, dict):
            return
        for where, known in misspelt(value):
            self._stop(found, pointer, f"{where[-1]} must be written {known}")
        built_in = value.get("apiVersion") == _BUILT_IN
        kind = value.get("kind")
        if built_in and kind == "HelmChartInflationGenerator" and not self._allowed.helm:
            self._stop(found, pointer, f"{kind} would start helm, and no program is started: {_RENDER}", withheld=True)
        if not built_in and not self._allowed.plugins:
            message = f"{kind} is a plugin, a program of its own, and none is started: {_RENDER}"
            self._stop(found, pointer, message, withheld=True)
        for text in of_plugin(value):
            target = joined(found.folder, text)
            if _REMOTE().match(text):
                self._stop(found, pointer, f"{text} is remote, and nothing is fetched: {_RENDER}", withheld=True)
            elif target is not None and self._tree.is_file(target):
                self._keep(target)

    def _stop(
        self, found: Kustomization, pointer: Pointer, message: str, *, withheld: bool = False, role: Role = "value"
    ) -> None:
        span = found.document.locate(pointer, role) if found.document is not None else None
        self.obstacles.append(Obstacle(self._shown(found.path), span, message, withheld))


_RENDER = "render it yourself and check the result"


def _texts(value: Any) -> Iterator[str]:
    """Yield every short text in a value."""
    if isinstance(value, str):
        if value and len(value) < 1024 and "\n" not in value and "\0" not in value:
            yield value
    elif isinstance(value, dict | list):
        for entry in value.values() if isinstance(value, dict) else value:
            yield from _texts(entry)


LAYER = ".kubelint-gpu/kustomization.yaml"
"""The path of a kustomization that a GitOps object puts on top of a folder."""
_MOST = 2_000


def surveyed(
    root: Path,
    folder: str,
    shown: Callable[[str], str],
    allowed: AllowedFiles,
    texts: dict[str, bytes] | None = None,
    contents: Contents | None = None,
    *,
    for_flux: bool = False,
    deep: bool = True,
    layer: str = "",
) -> tuple[DiskTree, Survey]:
    """Return the files below a root, and the survey of a folder's kustomization.

    `texts` replace files on disk; `for_flux` adds the kustomization that Flux would generate, `deep` for all below the
    folder. `layer` is the text of a kustomization on top of it, which is surveyed in its place.
    """
    texts = {} if texts is None else texts
    head = generated(DiskTree(root, texts, contents), folder, deep=deep) if for_flux else None
    if head is not None:
        texts.setdefault(*head)
    if layer:
        texts[LAYER] = layer.encode()
        folder = posixpath.dirname(LAYER)
    tree = DiskTree(root, texts, contents)
    return tree, survey(tree, folder, shown, allowed)


def generated(tree: DiskTree, folder: str, *, deep: bool = True) -> tuple[str, bytes] | None:
    """Return path and contents of the generated kustomization; None if the folder has one, or has no manifests."""
    above = tree.root / folder
    if any(is_file(above / name) for name in NAMES):
        return None
    found: list[str] = []
    for number, (here, folders, names) in enumerate(os.walk(above)):
        folders[:] = sorted(name for name in folders if deep and not name.startswith("."))
        below = posixpath.relpath(here.replace(os.sep, "/"), str(above).replace(os.sep, "/"))
        if below != "." and any(name in NAMES for name in names):
            folders.clear()
            found.append(below)
            continue
        manifests = [name for name in names if name.endswith((".yaml", ".yml"))]
        paths = [posixpath.normpath(posixpath.join(below, name)) for name in manifests]
        found += [path for path in paths if _has_object(tree, posixpath.normpath(posixpath.join(folder, path)))]
        if number > _MOST or len(found) > _MOST:
            return None
    if not found:
        return None
    return posixpath.join(folder, NAMES[0]), f"resources: {json.dumps(sorted(found), ensure_ascii=False)}\n".encode(
        "utf-8", "surrogateescape"
    )


def _has_object(tree: DiskTree, path: str) -> bool:
    data = tree.read(path)
    if data is None or len(data) > MAX_BYTES:
        return False
    reading = read_once(path, data)
    values = [document.value for document in reading.documents]
    return bool(reading.problems) or any(isinstance(one, dict) and "kind" in one for one in values)
