"""Files as they were in a git revision, read from git's objects and never from the work tree."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from kubelint_gpu.sources.checkout import is_inside
from kubelint_gpu.sources.git import GitError, commit_named, git, old_blob, root_of
from kubelint_gpu.values import Value

_MOST_FILE = 1024 * 1024
_MOST_BYTES = 256 * 1024 * 1024
_AT_ONCE = 16 * 1024 * 1024


class RevisionError(GitError):
    """A revision cannot be read; the message says why."""


class _Blob(Value):
    """A plain file of a commit; `size` is None where the repository does not have its contents."""

    path: str
    name: str
    size: int | None


def old_blobs(
    paths: Iterable[Path], index: Mapping[str, str], changes: Mapping[str, str], root: Path, folder: Path
) -> dict[Path, str]:
    """What some paths from a folder held in a commit from which the index differs by `changes`: names of blobs.

    An empty one stands for a path that was no plain file of it.
    """
    top = os.path.realpath(root)
    found = dict.fromkeys(paths, "")
    parents: dict[Path, str] = {}
    for path in found:
        parent = (folder / path).parent
        if parent not in parents:
            parents[parent] = os.path.realpath(parent)
        full = os.path.join(parents[parent], path.name)  # noqa: PTH118 - text
        full = os.path.realpath(full) if os.path.islink(full) else full  # noqa: PTH114 - text
        if full.startswith(os.path.join(top, "")):  # noqa: PTH118 - text
            found[path] = old_blob(Path(full).relative_to(top).as_posix(), index, changes)
    return found


def read_blobs(blobs: Mapping[Path, str], commit: str, root: Path, *, max_bytes: int) -> dict[Path, bytes]:
    """The contents that some files of a commit had, by the names of their blobs; none of what is larger.

    Raises:
        GitError: not all of it is here.
    """
    wanted: dict[str, list[Path]] = {}
    for path, name in blobs.items():
        if name:
            wanted.setdefault(name, []).append(path)
    if not wanted:
        return {}
    told = git(["cat-file", "--batch-check"], root, "".join(f"{name}\n" for name in wanted).encode())
    found: list[_Blob] = []
    for (name, paths), line in zip(wanted.items(), told.decode().splitlines(), strict=True):
        _, kind, *size = line.split()
        if kind != "blob":
            raise RevisionError(
                f"{paths[0]} of {commit} is not in this repository, as in a partial clone, and nothing is fetched: "
                f"git cat-file blob {name} fetches it"
            )
        if int(size[0]) <= max_bytes:
            found.append(_Blob(paths[0].as_posix(), name, int(size[0])))
    return {path: data for one, data in _contents(found, root) for path in wanted[one.name]}


def commit_of(revision: str, folder: Path) -> tuple[Path, str]:
    """The root of the repository that a folder lies in, and the name of a commit of it.

    Raises:
        GitError: this is no git repository, git is missing, or there is no such revision.
    """
    root = root_of(folder)
    commit = commit_named(revision, root)
    if commit is None:
        raise RevisionError(f'"{revision}" is neither a path nor a revision that git knows')
    return root, commit


@contextmanager
def checked_out(commit: str, root: Path) -> Iterator[Path]:
    """A folder that holds the plain files of a commit, for as long as it is needed.

    They come from git's objects as they are: no filter of the repository runs, no link is made.
    Files above a megabyte, what is beyond 256 of them in all, what a partial clone does not have, and names that the
    system does not allow are left out.

    Raises:
        GitError: git cannot read the commit.
    """
    from kubelint_gpu.sources.safe_write import ended_with_the_run

    wanted: list[_Blob] = []
    left = _MOST_BYTES
    for one in _blobs(commit, root):
        if one.size is not None and one.size <= min(_MOST_FILE, left):
            left -= one.size
            wanted.append(one)
    import tempfile

    with ended_with_the_run(), tempfile.TemporaryDirectory(prefix="kubelint-gpu-") as name:
        folder = Path(os.path.realpath(name))
        for one, data in _contents(wanted, root):
            target = folder / one.path
            if ".." in target.parts or not is_inside(target, folder):
                continue
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
            except OSError:
                continue
        yield folder


def _blobs(commit: str, root: Path) -> Iterator[_Blob]:
    listed = git(["ls-tree", "-r", "-l", "-z", "--full-tree", "--end-of-options", f"{commit}^{{commit}}"], root)
    for entry in filter(None, listed.split(b"\0")):
        about, _, path = entry.partition(b"\t")
        mode, _kind, blob, size = about.decode().split()
        if mode.startswith("100"):
            yield _Blob(os.fsdecode(path), blob, int(size) if size.isdecimal() else None)


def _contents(blobs: Sequence[_Blob], root: Path) -> Iterator[tuple[_Blob, bytes]]:
    """What plain files hold, a few megabytes of them at a time."""
    some: list[_Blob] = []
    total = 0
    for number, one in enumerate(blobs, start=1):
        some.append(one)
        total += one.size or 0
        if total < _AT_ONCE and number < len(blobs):
            continue
        text = git(["cat-file", "--batch"], root, "".join(f"{each.name}\n" for each in some).encode())
        at = 0
        for each in some:
            end = text.index(b"\n", at)
            size = int(text[at:end].split()[2])
            yield each, text[end + 1 : end + 1 + size]
            at = end + size + 2
        some, total = [], 0
