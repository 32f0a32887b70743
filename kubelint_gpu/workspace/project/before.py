"""`--against` and `--hook`: the earlier objects, read from git or from another path, never from the work tree."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import click

from kubelint_gpu.documents import MAX_BYTES, Reading, read
from kubelint_gpu.groups import grouped
from kubelint_gpu.sources.checkout import anchor_of, is_file, is_folder
from kubelint_gpu.sources.commit import (
    Commit,
    checked_out,
    commit_of,
    missing,
    names_below,
    old_blobs,
    read_blobs,
    read_commit,
)
from kubelint_gpu.sources.files import SUFFIXES, SourceFile, collect
from kubelint_gpu.sources.git import GitError, differing, entries, is_gone
from kubelint_gpu.sources.render import ObjectOrigin
from kubelint_gpu.values import Value
from kubelint_gpu.workspace.manifest import Manifest, manifests
from kubelint_gpu.workspace.project.charts import render_charts
from kubelint_gpu.workspace.project.comparison import Comparison
from kubelint_gpu.workspace.project.kustomizations import Renders, RenderSettings, render_all
from kubelint_gpu.workspace.project.worlds import complain

Before = dict[str, dict[str, Manifest]]


class Past(Value):
    """The earlier state.

    Attributes:
        objects: the earlier objects by the file or kustomization that holds them now. The empty name has the objects
            that left their file, or whose file is deleted: they might have moved anywhere.
        there: the names of the earlier objects of each file and kustomization whose earlier state is known.
        left: the objects that left one of the checked files, each with the file in whose place it was; empty if it
            might have been in place of any.
    """

    objects: Before
    there: Mapping[str, frozenset[str]]
    left: Mapping[str, tuple[str, Manifest]]


def objects_of_path(
    path: str, arguments: Sequence[str], readings: Sequence[Reading], built: Renders, settings: RenderSettings
) -> Past:
    """Return the objects of a file or a directory, with its kustomizations rendered.

    A file of the directory is the earlier state of the file with the same name in a checked directory. A single file is
    the earlier state of a single other file. If all of it is readable, other objects did not exist.

    Raises:
        click.ClickException: none of it can be read.
    """
    collected = collect([path])
    for error in collected.errors:
        if not collected.files:
            raise click.ClickException(f"--against: {error.path}: {error.message}")
        complain(error.path, error.message)
    names = [file.path for file in collected.files]
    rendered = render_all([path], names, settings).with_charts(render_charts([path], names, settings.helm))
    plain = [read(file.path, file.data) for file in collected.files if not rendered.takes(file.path)]
    whole = (
        not collected.errors and not rendered.failure and not any(rendition.problems for rendition in rendered.rendered)
    )
    now = {(manifest.path, manifest.object) for manifest in manifests(readings, built.origins)}
    places = list(dict.fromkeys(reading.path for reading in readings))
    counterparts = Counterparts(path, arguments, places)
    objects: Before = {}
    left: dict[str, tuple[str, Manifest]] = {}
    for old in manifests((*plain, *rendered.readings), rendered.origins):
        where = counterparts.of(old.path)
        stays = (where, old.object) in now
        objects.setdefault(where if stays else "", {})[old.object] = old
        if not stays and counterparts.concern(old.path):
            left[old.object] = where, old
    were = {place: frozenset(objects.get(place, ())) for place in places} if whole else {}
    return Past(objects, were, left)


class Counterparts:
    """Finds the checked file that replaces a file of the compared path, by its place in its directory."""

    def __init__(self, path: str, arguments: Sequence[str], places: Sequence[str]) -> None:
        self._path = path
        self._places = {os.path.normpath(place): place for place in places}
        self._folders = [argument for argument in arguments if is_folder(argument)]
        self._single = places[0] if len(places) == 1 else ""
        self._named = {os.path.basename(place) for place in places}  # noqa: PTH119 - text

    def of(self, old: str) -> str:
        """Return the file or kustomization that replaces an old file; if none exists, its place, or "" if unknown."""
        if not is_folder(self._path):
            return self._single
        name = os.path.relpath(old, self._path)
        candidates = [os.path.normpath(os.path.join(folder, name)) for folder in self._folders]  # noqa: PTH118
        candidates += [place for place in self._places if not self._folders and _is_named(place, name)]
        checked = next((self._places[place] for place in candidates if place in self._places), None)
        return checked or (candidates[0] if len(candidates) == 1 else "")

    def concern(self, old: str) -> bool:
        """Whether the objects of an old file belong to the checked files. Beside single files, only theirs do."""
        if self._folders or not is_folder(self._path):
            return True
        return bool(self.of(old)) or not self._any_named()

    def _any_named(self) -> bool:
        return any(os.path.lexists(Path(self._path) / name) for name in self._named)


def _is_named(place: str, name: str) -> bool:
    return place == name or place.endswith(f"{os.sep}{name}") or os.path.basename(place) == name  # noqa: PTH119


def objects_of_revision(revision: str, arguments: Sequence[str], readings: Sequence[Reading], built: Renders) -> Past:
    """Return the objects of a git revision.

    Raises:
        click.ClickException: this is no revision, or there is no git repository.
    """
    made = {one.path for one in built.rendered}
    now = [(manifest.path, manifest.object) for manifest in manifests(readings, built.origins)]
    paths = [Path(path) for path in dict.fromkeys(one.path for one in readings) if path not in made]
    try:
        root, commit = commit_of(revision, anchor_of(arguments, Path.cwd()))
        top = Path(os.path.realpath(root))
        tracked = {name for path in paths for name in names_below(str(path), top)}
        index, (changes, left_out) = entries(root), differing(commit, root, tracked)
        if left_out:
            complain(f"--against: {revision}", left_out)
        names = {name for name, about in changes.items() if is_gone(about)} | {*missing(index, root, SUFFIXES)}
        gone = [Path(os.path.relpath(root / name)) for name in sorted(names) if name.endswith(SUFFIXES)]
        wanted = [*paths, *(path for path in gone if path not in paths)]
        blobs = old_blobs(wanted, index, changes, root, Path.cwd())
        texts = read_blobs(blobs, commit, root, max_bytes=MAX_BYTES)
        before = old_renders(root, commit, built)
    except GitError as error:
        raise click.ClickException(f"--against: {error}") from None
    there = {place: frozenset(objects) for place, objects in before.items()}
    left: dict[str, tuple[str, Manifest]] = {}
    for path in paths:
        if path not in texts and os.path.lexists(path) and Path(os.path.realpath(path)).is_relative_to(top):
            before[path.as_posix()] = {}
            there[path.as_posix()] = frozenset()
    stand, checked = set(now), set(paths)
    for path, data in texts.items():
        name, old = path.as_posix(), read(path.as_posix(), data)
        objects = _by_object([old])
        if not old.problems:
            before.setdefault(name, {})
            there[name] = frozenset(objects)
        for manifest in objects.values():
            stays = (name, manifest.object) in stand
            before.setdefault(name if stays else "", {})[manifest.object] = manifest
            if not stays and (path in checked or _is_below(path, arguments)):
                left[manifest.object] = name, manifest
    return Past(before, there, left)


def _is_below(path: Path, arguments: Sequence[str]) -> bool:
    """Whether a deleted file was one of the checked files."""
    real = Path(os.path.realpath(path))
    return any(real.is_relative_to(os.path.realpath(argument)) for argument in arguments if argument != "-")


def old_renders(root: Path, commit: str, built: Renders) -> Before:
    """Return the kustomizations and charts of a revision, rendered in a separate folder with its files."""
    if not built.rendered:
        return {}

    from kubelint_gpu.workspace.project.git_ops.renders_before import rendered_before

    before: Before = {}
    try:
        with checked_out(commit, root) as copy:
            for path, old in rendered_before(copy, Path(os.path.realpath(root)), built).items():
                for problem in old.problems[:1] if old is not None and old.reading is None else ():
                    complain(path, f"--against: it was not rendered as it was: {problem.message}")
                if old is None:
                    before[path] = {}
                elif old.reading is not None:
                    before[path] = _by_object([old.reading], {old.reading.path: old.origins})
    except GitError as error:
        complain(str(root), f"what is rendered is not compared with what it was: {error}")
    return before


def _by_object(
    readings: Sequence[Reading], origins: Mapping[str, tuple[ObjectOrigin | None, ...]] = MappingProxyType({})
) -> dict[str, Manifest]:
    return {manifest.object: manifest for manifest in manifests(readings, origins)}


def past_of(
    against: Comparison, arguments: Sequence[str], readings: Sequence[Reading], built: Renders, settings: RenderSettings
) -> Past:
    """Return the earlier objects that manifests are compared with."""
    if against.path is not None:
        return objects_of_path(against.path, arguments, readings, built, settings)
    return objects_of_revision(against.revision, arguments, readings, built)


def commit_in_the_making(files: Iterable[SourceFile]) -> Commit:
    """Return the commit that is being made; `files` are the files that the run has read.

    Raises:
        click.ClickException: there is no git repository, or no git.
    """
    try:
        commit = read_commit(Path.cwd(), os.environ, files, suffixes=SUFFIXES)
    except GitError as error:
        raise click.ClickException(f"--hook: {error}") from None
    if commit.left_out:
        complain(f"--hook: {commit.base}", commit.left_out)
    return commit


def objects_before(commit: Commit, readings: Sequence[Reading], built: Renders, targets: Collection[str]) -> Past:
    """Return the earlier objects that the commit changes or deletes.

    Objects of `targets` that it does not change are judged alone, as without a comparison. Those of files beside them
    were there before.

    Raises:
        click.ClickException: what the repository held before is not in it.
    """
    try:
        texts = commit.before(max_bytes=MAX_BYTES)
    except GitError as error:
        raise click.ClickException(f"--hook: {error}") from None
    every = manifests(readings, built.origins)
    now = {(manifest.path, manifest.object): manifest.item.value for manifest in every}
    stand = grouped(now)
    before: Before = {}
    there: dict[str, frozenset[str]] = {}
    left: dict[str, tuple[str, Manifest]] = {}
    made = {one.path for one in built.rendered}
    here = {reading.source.path for reading in readings if reading.source is not None} - made
    changed = {path.as_posix() for path in commit.changed}
    if commit.base is not None and commit.differs:
        unchanged = _in_files(every, here.difference(changed, targets))
        before |= unchanged
        there |= {name: frozenset(objects) for name, objects in unchanged.items()}
        for place, objects in old_renders(commit.root, commit.base, built).items():
            there[place] = frozenset(objects)
            before[place] = {name: one for name, one in objects.items() if now.get((place, name)) != one.item.value}
    for name in here:
        if commit.base is None or (name in changed and Path(name) not in texts):
            there[name] = frozenset()
    gone: set[bytes] = set()
    for path, data in texts.items():
        name = path.as_posix()
        if name not in here and not os.path.lexists(path):
            # of equal deleted files, only one reports the deleted objects
            if data in gone:
                continue
            gone.add(data)
        reading = read(name, data)
        held = manifests([reading])
        if name in here and not reading.problems:
            there[name] = frozenset(old.object for old in held)
        stays = {*stand.get(name, ())} if name in here else _objects_in(path)
        for old in held:
            if old.object not in stays:
                before.setdefault("", {})[old.object] = old
                if name in here or not os.path.lexists(path):
                    left[old.object] = name, old
            elif now.get((name, old.object)) != old.item.value:
                before.setdefault(name, {})[old.object] = old
    return Past(before, there, left)


def _in_files(every: Sequence[Manifest], paths: Collection[str]) -> dict[str, dict[str, Manifest]]:
    """Return the manifests of some files, by path and object."""
    found = grouped((one.path, (one.object, one)) for one in every if one.path in paths)
    return {path: dict(pairs) for path, pairs in found.items()}


def _objects_in(path: Path) -> set[str]:
    """Return the names of the objects in an unchecked file; none if it is deleted."""
    files = collect([str(path)]).files if is_file(path) else ()
    return {manifest.object for file in files for manifest in manifests([read(file.path, file.data)])}
