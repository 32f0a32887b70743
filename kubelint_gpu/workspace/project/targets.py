"""The targets of a call, and the further files of the repository that a run reads.

A hook passes the files that a commit changes: these are the targets. A run also reads the files that are applied with
them, the kustomizations that use them, and the files beside them: another workload might hold the GPU that a target
needs. Only findings in targets are reported.
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
    """The files beside the named files, as git tracks them; without git, as they are in the folder."""

    def __init__(self, configuration: Configuration, paths: Sequence[str] = ()) -> None:
        self._configuration = configuration
        start = configuration.path.parent.absolute() if configuration.path is not None else None
        self.root = repository_root(start or anchor_of(paths, Path.cwd()))

    @cached_property
    def manifests(self) -> tuple[str, ...]:
        """Return all possible manifests, as printed paths."""
        from kubelint_gpu.sources.git import tracked_files

        tracked = tracked_files(self.root) if (self.root / ".git").exists() else None
        paths = [file.path for file in collect([str(self.root)]).files]
        if tracked is None:
            return tuple(paths)
        known = {os.path.realpath(path) for path in tracked}
        return tuple(path for path in paths if os.path.realpath(path) in known)

    def companions(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Return the other files of the units of some files."""
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
        """Return the files that are deployed beside the checked files, as the configuration says."""
        if not self._configuration.context:
            return ()
        return tuple(path for path in self.manifests if self._configuration.is_context(path))


def named_files(paths: Sequence[str]) -> tuple[str, ...] | None:
    """Return the files among the arguments; None if an argument is a directory, because all its files are targets."""
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
    """Return the possible manifests of the repository, without some paths."""
    known = {os.path.realpath(path) for path in paths}
    return tuple(path for path in repository.manifests if os.path.realpath(path) not in known)


def kustomized_folders(paths: Iterable[str], *, tracked_only: bool) -> tuple[str, ...]:
    """Return the real paths of folders, in the repositories of some files, whose kustomization might use the files.

    The folders around a file count even if git does not track them, unless `tracked_only`. For a file outside of any
    repository, the search covers the working directory, or the folder of the file. A folder with more folders below it
    than a repository has is no project.
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
    """Return the files with some names that git tracks, and those below the working directory."""
    from kubelint_gpu.sources.git import tracked_files

    tracked = (tracked_files(root) if (root / ".git").exists() else None) or ()
    return {*(path for path in tracked if path.name in names), *_below(Path.cwd(), names)}


def _below(root: Path, wanted: Collection[str]) -> tuple[Path, ...]:
    """Return the files with some names below a folder; none if it has too many folders."""
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
    """Whether a kustomization in the folder of a file, or above, might use the file."""
    return any(True for _ in _kustomized_around(path))


def _kustomized_around(path: str) -> Iterator[Path]:
    """Yield the folders around a file, within its repository, that have a kustomization; the nearest first.

    The paths are real. A path that is no file has none.
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
