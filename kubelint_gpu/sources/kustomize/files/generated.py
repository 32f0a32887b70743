"""Kustomizations that nobody wrote: the one that Flux generates for a folder without one, and one on top of a folder.

Mirrors `scanManifests` of github.com/fluxcd/pkg/kustomize; files without objects, for which Flux fails, are left out.
"""

from __future__ import annotations

import json
import os
import posixpath
from collections.abc import Callable
from pathlib import Path

from kubelint_gpu.documents import MAX_BYTES
from kubelint_gpu.sources.checkout import is_file
from kubelint_gpu.sources.kustomize.files.kustomization import NAMES, Contents, DiskTree
from kubelint_gpu.sources.kustomize.files.survey import AllowedFiles, Survey, read_once
from kubelint_gpu.sources.kustomize.files.surveyor import survey

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
