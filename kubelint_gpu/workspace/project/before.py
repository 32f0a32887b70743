"""`--against` and `--hook`: the objects as they were, read from git or from another path, never from the work tree."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import click

from kubelint_gpu.documents import MAX_BYTES, Reading, read
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
    """What there was before.

    Attributes:
        objects: the objects by the file or kustomization that they stand in now; under the empty name what has left its
            file, or whose file is gone: it may have moved anywhere.
        there: for each file and kustomization of which it is known what was in it, that.
        left: those that have left one of the files that are checked, each with the file in whose place it stood; empty
            where it may have been in place of any.
    """

    objects: Before
    there: Mapping[str, frozenset[str]]
    left: Mapping[str, tuple[str, Manifest]]


def objects_of_path(path: str, arguments: Sequence[str], readings: Sequence[Reading], settings: RenderSettings) -> Past:
    """The objects of a file or a directory, its kustomizations rendered.

    A file of the directory is what the file of the same name was in a directory that is checked; a single file is what
    a single other one was.
    Where all of it could be read, what is not there was not there.

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
    whole = not collected.errors and not rendered.failure and not any(one.problems for one in rendered.rendered)
    now = {(found.path, found.object) for found in manifests(readings)}
    places = list(dict.fromkeys(one.path for one in readings))
    counterparts = Counterparts(path, arguments, places)
    objects: Before = {}
    left: dict[str, tuple[str, Manifest]] = {}
    for found in manifests((*plain, *rendered.readings), {one.path: one.origins for one in rendered.rendered}):
        where = counterparts.of(found.path)
        stays = (where, found.object) in now
        objects.setdefault(where if stays else "", {})[found.object] = found
        if not stays and counterparts.concern(found.path):
            left[found.object] = where, found
    were = {place: frozenset(objects.get(place, ())) for place in places} if whole else {}
    return Past(objects, were, left)


class Counterparts:
    """Which file that is checked a file of the compared path was, by its place in its directory."""

    def __init__(self, path: str, arguments: Sequence[str], places: Sequence[str]) -> None:
        self._path = path
        self._places = {os.path.normpath(place): place for place in places}
        self._folders = [one for one in arguments if is_folder(one)]
        self._single = places[0] if len(places) == 1 else ""
        self._named = {os.path.basename(place) for place in places}  # noqa: PTH119 - text

    def of(self, old: str) -> str:
        """The file or kustomization that it was before; where none is, where it would be, empty if nobody knows."""
        if not is_folder(self._path):
            return self._single
        name = os.path.relpath(old, self._path)
        candidates = [os.path.normpath(os.path.join(folder, name)) for folder in self._folders]  # noqa: PTH118
        candidates += [one for one in self._places if not self._folders and _is_named(one, name)]
        found = next((self._places[one] for one in candidates if one in self._places), None)
        return found or (candidates[0] if len(candidates) == 1 else "")

    def concern(self, old: str) -> bool:
        """Whether what it held is meant to be among what is checked: beside single files, only what was in theirs."""
        if self._folders or not is_folder(self._path):
            return True
        return bool(self.of(old)) or not self._any_named()

    def _any_named(self) -> bool:
        return any(os.path.lexists(Path(self._path) / name) for name in self._named)


def _is_named(place: str, name: str) -> bool:
    return place == name or place.endswith(f"{os.sep}{name}") or os.path.basename(place) == name  # noqa: PTH119


def objects_of_revision(
    revision: str,
    arguments: Sequence[str],
    readings: Sequence[Reading],
    built: Renders,
) -> Past:
    """The objects of a revision.

    Raises:
        click.ClickException: this is no revision, or there is no git repository.
    """
    made = {one.path for one in built.rendered}
    now = [(found.path, found.object) for found in manifests(readings)]
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
        for found in objects.values():
            stays = (name, found.object) in stand
            before.setdefault(name if stays else "", {})[found.object] = found
            if not stays and (path in checked or _is_below(path, arguments)):
                left[found.object] = name, found
    return Past(before, there, left)


def _is_below(path: Path, arguments: Sequence[str]) -> bool:
    """Whether a file that is gone was one of those that are checked."""
    real = Path(os.path.realpath(path))
    return any(real.is_relative_to(os.path.realpath(one)) for one in arguments if one != "-")


def old_renders(root: Path, commit: str, built: Renders) -> Before:
    """The kustomizations and charts of a revision, rendered in a folder of their own that holds its files."""
    if not built.rendered:
        return {}

    try:
        with checked_out(commit, root) as copy:
            return _old_renders(copy, root, built)
    except GitError as error:
        complain(str(root), f"what is rendered is not compared with what it was: {error}")
        return {}


def _old_renders(copy: Path, root: Path, built: Renders) -> Before:
    before: Before = {}
    for one in built.rendered:
        if one.path in built.left_out:
            continue
        folder = copy / os.path.relpath(os.path.realpath(one.folder), os.path.realpath(root))
        if not os.path.lexists(folder):
            before[one.path] = {}
            continue
        try:
            old = one.as_in(copy, folder)
        except (LookupError, ValueError, OSError):
            continue
        for problem in old.problems[:1] if old.reading is None else ():
            complain(one.path, f"--against: it was not rendered as it was: {problem.message}")
        if old.reading is not None:
            before[one.path] = _by_object([old.reading], {old.reading.path: old.origins})
    return before


def _by_object(
    readings: Sequence[Reading], origins: Mapping[str, tuple[ObjectOrigin | None, ...]] = MappingProxyType({})
) -> dict[str, Manifest]:
    return {found.object: found for found in manifests(readings, origins)}


def past_of(
    against: Comparison,
    arguments: Sequence[str],
    readings: Sequence[Reading],
    built: Renders,
    settings: RenderSettings,
) -> Past:
    """The objects that manifests are compared with."""
    if against.path is not None:
        return objects_of_path(against.path, arguments, readings, settings)
    return objects_of_revision(against.revision, arguments, readings, built)


def commit_in_the_making(files: Iterable[SourceFile]) -> Commit:
    """What is about to be committed; `files` are what the run has read.

    Raises:
        click.ClickException: there is no git repository, or no git.
    """
    try:
        found = read_commit(Path.cwd(), os.environ, files, suffixes=SUFFIXES)
    except GitError as error:
        raise click.ClickException(f"--hook: {error}") from None
    if found.left_out:
        complain(f"--hook: {found.base}", found.left_out)
    return found


def objects_before(commit: Commit, readings: Sequence[Reading], built: Renders) -> Past:
    """The objects that the commit changes or takes away, as they were.

    What it leaves alone is not among them: that is judged by itself, as without a comparison.

    Raises:
        click.ClickException: what the repository held before is not in it.
    """
    try:
        texts = commit.before(max_bytes=MAX_BYTES)
    except GitError as error:
        raise click.ClickException(f"--hook: {error}") from None
    now = {(found.path, found.object): found.item.value for found in manifests(readings)}
    stand: dict[str, set[str]] = {}
    for place, found_there in now:
        stand.setdefault(place, set()).add(found_there)
    before: Before = {}
    there: dict[str, frozenset[str]] = {}
    left: dict[str, tuple[str, Manifest]] = {}
    if commit.base is not None and commit.differs:
        for place, objects in old_renders(commit.root, commit.base, built).items():
            there[place] = frozenset(objects)
            before[place] = {name: one for name, one in objects.items() if now.get((place, name)) != one.item.value}
    made = {one.path for one in built.rendered}
    here = {reading.source.path for reading in readings if reading.source is not None} - made
    changed = {path.as_posix() for path in commit.changed}
    for name in here:
        if commit.base is None or (name in changed and Path(name) not in texts):
            there[name] = frozenset()
    gone: set[bytes] = set()
    for path, data in texts.items():
        name = path.as_posix()
        if name not in here and not os.path.lexists(path):
            # of files that are gone and held the same, one tells what left
            if data in gone:
                continue
            gone.add(data)
        old = read(name, data)
        held = manifests([old])
        if name in here and not old.problems:
            there[name] = frozenset(found.object for found in held)
        stays = stand.get(name, set()) if name in here else _objects_in(path)
        for found in held:
            if found.object not in stays:
                before.setdefault("", {})[found.object] = found
                if name in here or not os.path.lexists(path):
                    left[found.object] = name, found
            elif now.get((name, found.object)) != found.item.value:
                before.setdefault(name, {})[found.object] = found
    return Past(before, there, left)


def _objects_in(path: Path) -> set[str]:
    """What a file holds that is not among those that are checked; nothing where it is gone."""
    files = collect([str(path)]).files if is_file(path) else ()
    return {found.object for file in files for found in manifests([read(file.path, file.data)])}
