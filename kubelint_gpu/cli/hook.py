"""`--hook`: what a pre-commit hook checks, and what it compares with."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click

from kubelint_gpu.checks.manifest import manifests
from kubelint_gpu.cli.before import Before, old_renders
from kubelint_gpu.cli.kustomizations import Built, Settings
from kubelint_gpu.documents import MAX_BYTES, Reading, read
from kubelint_gpu.sources.commit import Commit, read_commit
from kubelint_gpu.sources.files import SUFFIXES
from kubelint_gpu.sources.git import GitError


def commit_in_the_making() -> Commit:
    """What is about to be committed.

    Raises:
        click.ClickException: there is no git repository, or no git.
    """
    try:
        return read_commit(Path.cwd(), os.environ, suffixes=SUFFIXES, max_bytes=MAX_BYTES)
    except GitError as error:
        raise click.ClickException(f"--hook: {error}") from None


def objects_before(commit: Commit, readings: Sequence[Reading], built: Built, settings: Settings) -> Before:
    """The objects that the commit changes, as they were, by file; those of deleted files stand under the empty name.

    What it leaves alone is not among them: that is judged by itself, as without a comparison.
    """
    now = {
        (found.path, found.object): found.item.value
        for reading in readings
        for found in manifests([reading])
        if Path(found.path) in commit.before
    }
    there = {path for path, _ in now}
    before: Before = {}
    if commit.base is not None and commit.before:
        rendered = {(found.path, found.object): found.item.value for found in manifests(built.readings)}
        for place, objects in old_renders(commit.root, commit.base, built, settings).items():
            before[place] = {
                name: one for name, one in objects.items() if rendered.get((place, name)) != one.item.value
            }
    for path, data in commit.before.items():
        name = path.as_posix()
        known = name in there or path.exists()
        for found in manifests([read(name, data)]):
            if now.get((name, found.object)) != found.item.value:
                before.setdefault(name if known else "", {})[found.object] = found
    return before
