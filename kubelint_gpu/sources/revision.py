"""Files as they were in a git revision, read from git's objects and never from the work tree."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from kubelint_gpu.sources.git import GitError, git

_MOST_FILE = 1024 * 1024
_MOST_BYTES = 256 * 1024 * 1024


class RevisionError(GitError):
    """A revision cannot be read; the message says why."""


def read_revision(
    revision: str, paths: Iterable[Path], *, max_bytes: int, cwd: Path | None = None
) -> dict[Path, bytes]:
    """The contents that some files had; a file that was not there, or is larger than `max_bytes`, is left out.

    Raises:
        GitError: this is no git repository, git is missing, or there is no such revision.
    """
    folder = cwd or Path.cwd()
    root, commit = commit_of(revision, folder)
    wanted: list[tuple[Path, str]] = []
    for path in paths:
        full = Path(os.path.realpath(folder / path))
        if full.is_relative_to(os.path.realpath(root)):
            wanted.append((path, full.relative_to(os.path.realpath(root)).as_posix()))
    return _contents(commit, wanted, root, max_bytes)


def commit_of(revision: str, folder: Path) -> tuple[Path, str]:
    """The root of the repository that a folder lies in, and the name of a commit of it.

    Raises:
        GitError: this is no git repository, git is missing, or there is no such revision.
    """
    root = Path(git(["rev-parse", "--show-toplevel"], folder).decode().rstrip("\n"))
    try:
        commit = git(["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"], folder)
    except GitError:
        raise RevisionError(f'"{revision}" is neither a path nor a revision that git knows') from None
    return root, commit.decode().strip()


@contextmanager
def checked_out(commit: str, root: Path) -> Iterator[Path]:
    """A folder that holds the plain files of a commit, for as long as it is needed.

    They come from git's objects as they are: no filter of the repository runs, no link is made.
    Files above a megabyte, and what is beyond 256 of them in all, are left out.
    """
    listed = git(["ls-tree", "-r", "-l", "-z", "--full-tree", commit], root)
    with tempfile.TemporaryDirectory(prefix="kubelint-gpu-") as name:
        folder = Path(os.path.realpath(name))
        wanted: list[tuple[str, Path]] = []
        left = _MOST_BYTES
        for entry in filter(None, listed.split(b"\0")):
            about, _, path = entry.partition(b"\t")
            mode, kind, blob, size = about.decode().split()
            if kind != "blob" or mode == "120000" or int(size) > min(_MOST_FILE, left):
                continue
            target = folder / os.fsdecode(path)
            if not target.is_relative_to(folder) or ".." in target.parts:
                continue
            left -= int(size)
            wanted.append((blob, target))
        _write_blobs(wanted, root)
        yield folder


def _write_blobs(wanted: list[tuple[str, Path]], root: Path) -> None:
    text = git(["cat-file", "--batch"], root, "".join(f"{blob}\n" for blob, _ in wanted).encode())
    at = 0
    for _, target in wanted:
        end = text.index(b"\n", at)
        size = int(text[at:end].split()[2])
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text[end + 1 : end + 1 + size])
        at = end + size + 2


def _contents(commit: str, wanted: list[tuple[Path, str]], root: Path, max_bytes: int) -> dict[Path, bytes]:
    askable = [(path, name) for path, name in wanted if "\n" not in name]
    request = "".join(f"{commit}:{name}\n" for _, name in askable)
    sizes = git(["cat-file", "--batch-check=%(objecttype) %(objectsize)"], root, request.encode()).decode().splitlines()
    found: dict[Path, bytes] = {}
    for (path, name), line in zip(askable, sizes, strict=True):
        kind, _, size = line.partition(" ")
        if kind == "blob" and int(size) <= max_bytes:
            found[path] = git(["cat-file", "blob", f"{commit}:{name}"], root)
    return found
