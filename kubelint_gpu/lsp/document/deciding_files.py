"""The files beside a document: the manifests of its repository, and the objects elsewhere that decide about it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from kubelint_gpu.documents import Reading
from kubelint_gpu.sources.files import SUFFIXES
from kubelint_gpu.workspace.deciding import may_decide, meant_in
from kubelint_gpu.workspace.elsewhere import Elsewhere
from kubelint_gpu.workspace.manifest import Manifest
from kubelint_gpu.workspace.project.targets import in_kustomized_folder

_SKIPPED = frozenset({"node_modules", "venv", "__pycache__", "charts"})
MOST_ENTRIES = 20_000
_MOST = 200


def manifest_files(root: Path) -> tuple[str, ...] | None:
    """The manifests below a folder, sorted; None where there is more than can be looked through while somebody types.

    Left out are hidden folders, dependencies, templates of Helm charts, and links.
    """
    if root in (Path.home(), Path(root.anchor)):
        return None
    found: list[str] = []
    for seen, entry in enumerate(_entries(str(root)), 1):
        if seen > MOST_ENTRIES:
            return None
        if entry is not None:
            found.append(entry)
    return tuple(sorted(found))


def _entries(root: str) -> Iterator[str | None]:
    """Each entry below a folder: its path where it is a manifest, else None."""
    todo = [root]
    while todo:
        try:
            with os.scandir(todo.pop()) as entries:
                children = list(entries)
        except OSError:
            continue
        is_chart = any(child.name == "Chart.yaml" for child in children)
        for child in children:
            if child.is_dir(follow_symlinks=False):
                skipped = (
                    child.name.startswith(".") or child.name in _SKIPPED or (is_chart and child.name == "templates")
                )
                if not skipped:
                    todo.append(child.path)
                yield None
            else:
                yield child.path if child.name.endswith(SUFFIXES) and child.is_file(follow_symlinks=False) else None


def deciding(
    readings: Sequence[Reading], words: Mapping[str, frozenset[str]], read: Callable[[Sequence[str]], list[Reading]]
) -> list[Manifest]:
    """Return what decides about some files; nothing if that takes more files than an editor can wait for.

    Args:
        readings: the files.
        words: what stands in the other files of the repository, by absolute path.
        read: reads some of these.
    """
    meant = meant_in([one.text for one in readings])
    found = {path for path, each in words.items() if may_decide(each, meant) and not in_kustomized_folder(path)}
    folders = {Path(path).parent for path in found}
    near = {
        path
        for path, each in (words.items() if found else ())
        if Path(path).parent in folders or not meant.declared.isdisjoint(each)
    }
    if len(found | near) > _MOST:
        return []
    seen = Elsewhere([readings, *([one] for one in read(sorted(found | near)))], judged=1).seen_by(0)
    return list(seen.objects)
