"""Files of the repository that no path of a run names, but whose objects affect its manifests."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeGuard

from kubelint_gpu.documents import read
from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.values.plain import mapping, sequence
from kubelint_gpu.patterns import pattern
from kubelint_gpu.sources.checkout import LONGEST, exists, is_file, is_inside, is_subchart, repository_root
from kubelint_gpu.sources.files import SUFFIXES, SourceFile, collect, display_path
from kubelint_gpu.sources.git import GitError, files_with
from kubelint_gpu.workspace.deciding import may_decide, meant_in, words_in
from kubelint_gpu.workspace.project.charts import CHART, ChosenChart
from kubelint_gpu.workspace.project.targets import in_kustomized_folder

_MOST = 1_000
_MOST_NAMES = 5_000
_KINDS = ("PriorityClass", "RuntimeClass", "StorageClass")
_NAMED = pattern(r"""\b(?:priority|runtime|storage)ClassName["']?[ \t]*:[ \t]*["']?([a-z0-9][a-z0-9.-]*)""")
_WITH_PODS = (b"containers", b"replicas", b"resources")
_BUILT_IN = "system-"

_FROM_HERE = "file://"


def class_files(manifests: Iterable[bytes], read: Sequence[str], root: Path) -> list[SourceFile]:
    """Return the tracked files that declare classes, if the manifests name a class that none of them declares.

    Args:
        manifests: the contents of the files of the run.
        read: the paths that the run reads anyway, and those that are no manifests.
        root: the root of the repository; without git nothing is looked for.
    """
    texts = [data.decode("utf-8", "replace") for data in manifests]
    paths = tracked_with([f"kind: {kind}" for kind in _KINDS], root) if _lack_a_class(texts) else ()
    return manifests_of(paths, {*map(os.path.realpath, read)})


def deciding_files(manifests: Iterable[bytes], read: Sequence[str], root: Path) -> list[SourceFile]:
    """Return the tracked files with objects that affect manifests, and files that show whether these objects count.

    Those are the files in the same folders, and files that declare an object with the name of a manifest: they show
    which folders are variants of each other. The arguments are those of `class_files`. Manifests outside of the
    repository are ignored.
    """
    texts = [data.decode("utf-8", "replace") for data in manifests if any(word in data for word in _WITH_PODS)]
    meant, known = meant_in(texts), {*map(os.path.realpath, read)}
    names = sorted({*meant.spaces, *meant.used, *meant.declared})
    if not texts or len(names) > _MOST_NAMES or not any(is_inside(path, os.path.realpath(root)) for path in known):
        return []
    wanted = [f": {quote}{name}" for name in names for quote in ("", '"', "'")]
    wanted += [f"kind: {kind}" for kind in sorted(meant.kinds)]
    found = [
        file
        for file in manifests_of(tracked_with(wanted, root), known)
        if may_decide(words_in(file.data.decode("utf-8", "replace")), meant) and not in_kustomized_folder(file.path)
    ]
    alike = tracked_with([f"name: {name}" for name in sorted(meant.declared)], root) if found else ()
    near = [path for folder in {Path(file.path).parent for file in found} for path in folder.iterdir()]
    if len(alike) + len(near) > _MOST:
        return []
    return [*found, *manifests_of([*alike, *sorted(near)], {*known, *(os.path.realpath(file.path) for file in found)})]


def tracked_with(texts: Sequence[str], root: Path) -> tuple[Path, ...]:
    """Return the files in git's index that contain one of the texts; none if the repository or git does not say."""
    if not texts or not os.path.lexists(root / ".git"):
        return ()
    try:
        return files_with(texts, root)
    except GitError:
        return ()


def manifests_of(paths: Iterable[Path], known: Collection[str]) -> list[SourceFile]:
    """Return the manifests among some paths, at most 1,000, without those whose real path is known.

    A file that a link takes out of the repository is left out.
    """
    wanted = [path for path in paths if path.name.endswith(SUFFIXES) and os.path.realpath(path) not in known]
    return [*collect([display_path(path, Path.cwd()) for path in wanted[:_MOST] if path.is_file()]).files]


def _lack_a_class(texts: Iterable[str]) -> bool:
    """Whether a class is named that none of the texts declares."""
    texts = list(texts)
    named = {found[1] for text in texts if "ClassName" in text for found in _NAMED().finditer(text)}
    missing = {name for name in named if not name.startswith(_BUILT_IN)}
    for text in (each for each in texts if any(kind in each for kind in _KINDS)):
        missing -= {name for name in missing if f"name: {name}" in text or f'"{name}"' in text}
    return bool(missing)


def charts_above(paths: Iterable[str], chosen: Sequence[ChosenChart] = ()) -> tuple[str, ...]:
    """Return the real paths of the charts that contain some files, or that are rendered with them.

    A chart is rendered with a file if the configuration says so, or if the chart depends on that of the file by a path
    within the repository.
    """
    folders: set[str] = set()
    roots: set[Path] = set()
    for path in paths:
        if not exists(path):
            continue
        real = os.path.realpath(path)
        folder = Path(real).parent
        root = repository_root(folder)
        for above in (folder, *folder.parents):
            if is_file(above / CHART) and not is_subchart(above):
                folders.add(str(above))
                roots.add(root)
            if above == root:
                break
        folders.update(chart.folder for chart in chosen if real in chart.files)
    users = grouped(pair for root in sorted(roots) for pair in _dependencies(root))
    todo = list(folders)
    while todo:
        further = [user for user in users.get(todo.pop(), ()) if user not in folders]
        folders.update(further)
        todo += further
    return tuple(sorted(folders))


def _dependencies(root: Path) -> Iterator[tuple[str, str]]:
    """Yield pairs of charts: a chart, and one that depends on it by a path; none if git does not answer."""
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
