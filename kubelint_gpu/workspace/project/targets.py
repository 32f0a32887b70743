"""What a call is about, and what of the repository is read besides.

A hook gives the files that a commit changes: those are the targets. What is applied together with them, the
kustomizations that are built of them and what runs beside them is read as well, because another workload's GPU is what
makes this one wait; but only what stands in a target is reported.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

from kubelint_gpu.groups import grouped
from kubelint_gpu.sources.checkout import anchor_of, exists, is_file, repository_root
from kubelint_gpu.sources.files import collect
from kubelint_gpu.workspace.project.configuration import Configuration

_MOST_FOLDERS = 2_000


class Repository:
    """The files beside those that were named, as git tracks them; without git as they lie in the folder."""

    def __init__(self, configuration: Configuration, paths: Sequence[str] = ()) -> None:
        self._configuration = configuration
        start = configuration.path.parent.absolute() if configuration.path is not None else None
        self.root = repository_root(start or anchor_of(paths, Path.cwd()))

    @cached_property
    def manifests(self) -> tuple[str, ...]:
        """Everything that may hold manifests, as paths are printed."""
        from kubelint_gpu.sources.git import tracked_files

        tracked = tracked_files(self.root) if (self.root / ".git").exists() else None
        found = [file.path for file in collect([str(self.root)]).files]
        if tracked is None:
            return tuple(found)
        known = {os.path.realpath(path) for path in tracked}
        return tuple(path for path in found if os.path.realpath(path) in known)

    def companions(self, paths: Iterable[str]) -> tuple[str, ...]:
        """The other files of the units that some files belong to."""
        if not self._configuration.units:
            return ()
        known = {os.path.realpath(path) for path in paths}
        units = {self._configuration.unit_of(path) for path in paths} - {None}
        return tuple(
            path
            for path in (self.manifests if units else ())
            if self._configuration.unit_of(path) in units and os.path.realpath(path) not in known
        )

    def context(self) -> tuple[str, ...]:
        """The files that the configuration says are deployed beside what is checked."""
        if not self._configuration.context:
            return ()
        return tuple(path for path in self.manifests if self._configuration.is_context(path))


def named_files(paths: Sequence[str]) -> tuple[str, ...] | None:
    """The files among the arguments; None where one is a directory, whose every file is a target."""
    if not paths or any(path != "-" and os.path.isdir(path) for path in paths):  # noqa: PTH112 - text, and often
        return None
    return tuple(path for path in paths if path != "-")


def decisive_files(paths: Sequence[str], configuration: Configuration, inventories: Sequence[str]) -> tuple[str, ...]:
    """Return the files among the arguments that decide about the whole repository.

    That is the configuration, and the inventories that it or the command line names.
    """
    named = named_files(paths)
    if not named or (configuration.path is None and not inventories):
        return ()
    decisive = {os.path.realpath(path) for path in (*inventories, *configuration.inventories)}
    if configuration.path is not None:
        decisive.add(os.path.realpath(configuration.path))
    return tuple(path for path in named if os.path.realpath(path) in decisive)


def rest_of(repository: Repository, paths: Iterable[str]) -> tuple[str, ...]:
    """Return what may hold manifests in the repository, but for some paths."""
    known = {os.path.realpath(path) for path in paths}
    return tuple(path for path in repository.manifests if os.path.realpath(path) not in known)


def kustomized_folders(paths: Iterable[str], *, tracked_only: bool) -> tuple[str, ...]:
    """Real paths of the folders with a kustomization that may take in some files: those of their own repositories.

    Those that a file lies in count even if git does not track them, unless `tracked_only`. A file that lies in no
    repository is looked for below the working directory, or in its folder; a folder with more folders below it than a
    repository has is no project.
    """
    from kubelint_gpu.sources.git import tracked_files
    from kubelint_gpu.workspace.project.kustomizations import NAMES

    cwd = Path.cwd()
    found: set[str] = set()
    around = {path: tuple(_kustomized_around(path)) for path in paths}
    mine = grouped((_root(path, cwd), Path(os.path.realpath(path)).parent) for path in around if around[path])
    for root, folders in mine.items():
        tracked = tracked_files(root) if (root / ".git").exists() else None
        if tracked is None:
            tracked = _below(root, NAMES) or tuple(path for folder in set(folders) for path in folder.iterdir())
        found |= {os.path.realpath(path.parent) for path in tracked if path.name in NAMES}
    if not tracked_only:
        found.update(str(folder) for folders in around.values() for folder in folders)
    return tuple(sorted(found))


def files_called(names: Collection[str], root: Path) -> set[Path]:
    """The files with some names that git tracks, and those below the working directory."""
    from kubelint_gpu.sources.git import tracked_files

    tracked = (tracked_files(root) if (root / ".git").exists() else None) or ()
    return {*(path for path in tracked if path.name in names), *_below(Path.cwd(), names)}


def _below(root: Path, wanted: Collection[str]) -> tuple[Path, ...]:
    """The files with some names below a folder; none where it has too many folders."""
    found: list[Path] = []
    for number, (folder, _, names) in enumerate(os.walk(root)):
        if number > _MOST_FOLDERS:
            return ()
        found += [Path(folder, name) for name in names if name in wanted]
    return tuple(found)


def _root(path: str, cwd: Path) -> Path:
    start = Path(os.path.realpath(path)).parent
    root = repository_root(start)
    return root if (root / ".git").exists() or not start.is_relative_to(cwd) else repository_root(cwd)


def in_kustomized_folder(path: str) -> bool:
    """Whether a kustomization may take a file in: only one in its folder or above can."""
    return any(True for _ in _kustomized_around(path))


def _kustomized_around(path: str) -> Iterator[Path]:
    """Yield the real folders of a file's repository that it lies in and that have a kustomization, the nearest first.

    None for what is no file.
    """
    from kubelint_gpu.workspace.project.kustomizations import NAMES

    if not exists(path):
        return
    start = Path(os.path.realpath(path)).parent
    root = repository_root(start)
    for folder in (start, *start.parents):
        if any(is_file(folder / name) for name in NAMES):
            yield folder
        if folder == root:
            return
