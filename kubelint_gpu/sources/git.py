"""The user's own git, asked and never told to change anything."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

_SECONDS = 60


class GitError(Exception):
    """git could not answer; the message says why."""


def git(arguments: Sequence[str], folder: Path, given: bytes = b"") -> bytes:
    """What git prints.

    Raises:
        GitError: git is missing, refuses, or takes too long.
    """
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    try:
        ran = subprocess.run(  # noqa: S603 - no shell, and nothing of a manifest is among the arguments
            ["git", "-c", "core.fsmonitor=false", *arguments],  # noqa: S607 - the user's own git
            cwd=folder,
            input=given,
            capture_output=True,
            check=False,
            timeout=_SECONDS,
            env=environment,
        )
    except FileNotFoundError:
        raise GitError("git is not installed") from None
    except subprocess.TimeoutExpired:
        raise GitError(f"git did not answer within {_SECONDS} seconds") from None
    if ran.returncode:
        raise GitError(ran.stderr.decode(errors="replace").strip().removeprefix("fatal: ") or "git failed")
    return ran.stdout


def tracked_files(root: Path) -> tuple[Path, ...] | None:
    """The files that git tracks below a repository's root and that are there; None where this is no repository.

    Untracked files are none of them: another commit's, or nobody's.
    """
    try:
        listed = git(["ls-files", "-z", "--cached", "--deduplicate"], root)
    except GitError:
        return None
    names = (os.fsdecode(name) for name in listed.split(b"\0") if name)
    return tuple(root / name for name in sorted(names) if (root / name).is_file())
