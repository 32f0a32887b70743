"""The manifests around a file: what else is in its repository."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from kubelint_gpu.sources.files import SUFFIXES

_SKIPPED = frozenset({"node_modules", "venv", "__pycache__", "charts"})
MOST_ENTRIES = 20_000


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
