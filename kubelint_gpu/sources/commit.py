"""What a git commit is about to hold: the tracked files, and what those that it changes held before."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from kubelint_gpu.sources.git import GitError, git
from kubelint_gpu.sources.revision import read_revision
from kubelint_gpu.values import dataclass

_FROM = "PRE_COMMIT_FROM_REF"


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit in the making, or a range of commits that is about to be pushed.

    Attributes:
        tracked: the real paths of the files that it holds.
        before: what the files held that it changes or deletes, by their path from the working directory.
        changed: the files that it changes, adds or deletes, by the same paths.
        root: the root of the repository.
        base: the commit that it is compared with; None where there is none.
    """

    tracked: frozenset[str]
    before: Mapping[Path, bytes]
    root: Path
    base: str | None = None
    changed: tuple[Path, ...] = ()


def read_commit(folder: Path, environment: Mapping[str, str], *, suffixes: tuple[str, ...], max_bytes: int) -> Commit:
    """The commit as a pre-commit hook sees it, in the repository that `folder` lies in.

    It is compared with `PRE_COMMIT_FROM_REF` where pre-commit gives one, else with HEAD; the first commit with nothing.
    The work tree stands for the index, because pre-commit puts unstaged changes aside.

    Raises:
        GitError: this is no git repository, or git is missing.
    """
    root = Path(git(["rev-parse", "--show-toplevel"], folder).decode().rstrip("\n"))
    names = _names(git(["ls-files", "-z"], root))
    tracked = frozenset(os.path.realpath(root / name) for name in names)
    base = _base(root, environment)
    if base is None:
        return Commit(tracked, {}, root)
    listed = _names(git(["diff", "--name-only", "--no-renames", "--no-ext-diff", "-z", base, "--"], root))
    changed = [Path(os.path.relpath(root / name, folder)) for name in listed if name.endswith(suffixes)]
    return Commit(tracked, read_revision(base, changed, max_bytes=max_bytes, cwd=folder), root, base, tuple(changed))


def _base(root: Path, environment: Mapping[str, str]) -> str | None:
    for revision in (environment.get(_FROM), "HEAD"):
        if revision:
            try:
                found = git(["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"], root)
            except GitError:
                continue
            return found.decode().strip()
    return None


def _names(listed: bytes) -> list[str]:
    return [os.fsdecode(name) for name in listed.split(b"\0") if name]
