"""`--against`: the objects as they were, read from git's objects or from another path, never from the work tree."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click

from kubelint_gpu.checks.manifest import Manifest, manifests
from kubelint_gpu.cli.kustomizations import Built, Settings, render_all
from kubelint_gpu.cli.worlds import complain
from kubelint_gpu.documents import MAX_BYTES, Reading, read
from kubelint_gpu.sources import collect
from kubelint_gpu.sources.files import SUFFIXES

Before = dict[str, dict[str, Manifest]]


def objects_of_path(path: str, settings: Settings) -> tuple[Before, bool]:
    """The objects of a file or a directory, its kustomizations rendered: whatever file they stand in now.

    Also whether all of it could be read, so that what is not there was not there.
    """
    collected = collect([path])
    for error in collected.errors:
        complain(error.path, error.message)
    built = render_all([path], [file.path for file in collected.files], settings)
    plain = [read(file.path, file.data) for file in collected.files if not built.takes(file.path)]
    whole = not collected.errors and not built.failure and not any(one.problems for one in built.rendered)
    return {"": _by_object((*plain, *built.readings), built)}, whole


def objects_of_revision(revision: str, readings: Sequence[Reading], built: Built, settings: Settings) -> Before:
    """The objects of a revision by the file or kustomization that they stand in now; new ones have none.

    What has left its file, or whose file is gone, stands under the empty name: it may have moved anywhere.

    Raises:
        click.ClickException: this is no revision, or there is no git repository.
    """
    from kubelint_gpu.sources.git import GitError, git
    from kubelint_gpu.sources.revision import commit_of, read_revision

    made = {one.path for one in built.rendered}
    now = [(found.path, found.object) for found in manifests(readings)]
    paths = [Path(path) for path in dict.fromkeys(_path(one) for one in readings) if path not in made]
    try:
        root, commit = commit_of(revision, Path.cwd())
        listed = git(
            ["diff", "--name-only", "--no-renames", "--no-ext-diff", "--diff-filter=D", "-z", commit, "--"], root
        )
        names = (os.fsdecode(name) for name in listed.split(b"\0") if name)
        gone = [Path(os.path.relpath(root / name)) for name in names if name.endswith(SUFFIXES)]
        texts = read_revision(commit, [*paths, *(path for path in gone if path not in paths)], max_bytes=MAX_BYTES)
    except GitError as error:
        raise click.ClickException(f"--against: {error}") from None
    before = old_renders(root, commit, built, settings)
    top = os.path.realpath(root)
    for path in paths:
        if path not in texts and path.exists() and Path(os.path.realpath(path)).is_relative_to(top):
            before[path.as_posix()] = {}
    there = set(now)
    for path, data in texts.items():
        old = read(path.as_posix(), data)
        if not old.problems:
            before.setdefault(path.as_posix(), {})
        for found in _by_object([old]).values():
            stays = (path.as_posix(), found.object) in there
            before.setdefault(path.as_posix() if stays else "", {})[found.object] = found
    return before


def old_renders(root: Path, commit: str, built: Built, settings: Settings) -> Before:
    """The kustomizations of a revision, rendered in a folder of their own that holds its files."""
    if not built.rendered:
        return {}
    from kubelint_gpu.sources.kustomize.program import ProgramError, find_program
    from kubelint_gpu.sources.kustomize.rendering import Renderer, render
    from kubelint_gpu.sources.revision import checked_out

    before: Before = {}
    try:
        renderer = Renderer(find_program(settings.program), settings.flags, settings.seconds)
    except ProgramError:
        return {}
    with checked_out(commit, root) as copy:
        for one in built.rendered:
            if one.path in built.left_out:
                continue
            folder = copy / os.path.relpath(os.path.realpath(one.path), os.path.realpath(root))
            try:
                old = render(folder, renderer, root=copy, cwd=copy)
            except (LookupError, ValueError):
                continue
            for problem in old.problems[:1]:
                complain(one.path, f"--against: it was not rendered as it was: {problem.message}")
            if old.reading is not None:
                before[one.path] = _by_object([old.reading])
    return before


def _by_object(readings: Sequence[Reading], built: Built | None = None) -> dict[str, Manifest]:
    origins = {one.path: one.origins for one in built.rendered} if built is not None else {}
    return {found.object: found for found in manifests(readings, origins)}


def _path(reading: Reading) -> str:
    return reading.source.path if reading.source is not None else ""
