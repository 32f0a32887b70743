"""`--hook`: what a pre-commit hook checks, and what it compares with."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from kubelint_gpu.documents import MAX_BYTES, Reading, read
from kubelint_gpu.sources import SourceFile, collect
from kubelint_gpu.sources.commit import Commit, read_commit
from kubelint_gpu.sources.files import SUFFIXES
from kubelint_gpu.sources.git import GitError
from kubelint_gpu.sources.paths import is_file
from kubelint_gpu.workspace.manifest import Manifest, manifests
from kubelint_gpu.workspace.project.before import Before, Past, old_renders
from kubelint_gpu.workspace.project.kustomizations import Renders
from kubelint_gpu.workspace.project.worlds import complain


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
    if commit.base is not None and commit.changed:
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
