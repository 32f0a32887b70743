"""The charts that a change of some files concerns."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeGuard

from kubelint_gpu.documents import read
from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.values.plain import mapping, sequence
from kubelint_gpu.sources.checkout import LONGEST, exists, is_file, is_subchart, repository_root
from kubelint_gpu.workspace.project.charts import CHART, ChosenChart
from kubelint_gpu.workspace.project.files_beside import manifests_of, tracked_with

_FROM_HERE = "file://"


def charts_above(paths: Iterable[str], chosen: Sequence[ChosenChart] = ()) -> tuple[str, ...]:
    """Real paths of the charts that some files belong to, or that are rendered with them.

    The configuration says so, or a chart depends on that of a file by a path within the repository.
    """
    found: set[str] = set()
    roots: set[Path] = set()
    for path in paths:
        if not exists(path):
            continue
        real = os.path.realpath(path)
        folder = Path(real).parent
        root = repository_root(folder)
        for above in (folder, *folder.parents):
            if is_file(above / CHART) and not is_subchart(above):
                found.add(str(above))
                roots.add(root)
            if above == root:
                break
        found.update(one.folder for one in chosen if real in one.files)
    users = grouped(pair for root in sorted(roots) for pair in _dependencies(root))
    todo = list(found)
    while todo:
        further = [one for one in users.get(todo.pop(), ()) if one not in found]
        found.update(further)
        todo += further
    return tuple(sorted(found))


def _dependencies(root: Path) -> Iterator[tuple[str, str]]:
    """The charts of a repository that others depend on by a path, each with the other; none if git does not say."""
    for head in manifests_of((path for path in tracked_with([_FROM_HERE], root) if path.name == CHART), ()):
        folder = os.path.realpath(Path(head.path).parent)
        for document in read(head.path, head.data).documents:
            for entry in sequence(mapping(document.value).get("dependencies")):
                address = mapping(entry).get("repository")
                if _is_path(address):
                    yield os.path.realpath(Path(folder, address.removeprefix(_FROM_HERE))), folder


def _is_path(address: Any) -> TypeGuard[str]:
    """Whether the address of a dependency is a path."""
    return (
        isinstance(address, str) and address.startswith(_FROM_HERE) and len(address) < LONGEST and "\0" not in address
    )
