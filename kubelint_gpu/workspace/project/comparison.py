"""The argument of `--against`: a git revision, or a path."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click

from kubelint_gpu.sources.checkout import anchor_of, exists, repository_root
from kubelint_gpu.sources.files import SUFFIXES
from kubelint_gpu.values import Value
from kubelint_gpu.workspace.project.worlds import complain

_PATH, _REVISION = "path:", "rev:"


class Comparison(Value):
    """The state that a run is compared with: a `path`, or, if that is None, a `revision`."""

    revision: str
    path: str | None = None


def comparison(against: str, paths: Sequence[str] = ()) -> Comparison:
    """Return the meaning of an argument. A file of the checkout never takes the place of a revision.

    `rev:` and `path:` decide. A name that no revision can have is a path. A name that git knows is a revision. Any
    other name is a path if there is no repository, or if it has the suffix of a manifest.

    Raises:
        click.ClickException: the argument is ambiguous.
    """
    if against.startswith(_REVISION):
        return Comparison(against.removeprefix(_REVISION))
    if against.startswith(_PATH) or _only_a_path(against):
        return Comparison("", against.removeprefix(_PATH))
    if not exists(against):
        return Comparison(against)
    folder = anchor_of(paths, Path.cwd())
    if _is_known(against, folder):
        complain(f"--against={against}", f"is the revision, not the path of the same name: that is path:{against}")
        return Comparison(against)
    if against.endswith(SUFFIXES) or not exists(repository_root(folder) / ".git"):
        return Comparison("", against)
    raise click.ClickException(f"--against: git knows no revision {against}; for the path write ./{against}")


def _only_a_path(text: str) -> bool:
    """Whether no revision can have this name, by `git check-ref-format`."""
    return text.startswith(".") or text.endswith("/") or "\\" in text or os.path.isabs(text)  # noqa: PTH117 - text


def _is_known(revision: str, folder: Path) -> bool:
    from kubelint_gpu.sources.git import GitError, commit_named, root_of

    try:
        return commit_named(revision, root_of(folder)) is not None
    except GitError:
        return False
