"""What a git commit is about to hold: the tracked files, and what those that it changes held before."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from hashlib import sha1, sha256
from pathlib import Path

from msgspec import field

from kubelint_gpu.sources.files import SourceFile
from kubelint_gpu.sources.git import GitError, blob_of, commit_named, differing, entries, is_expected, root_of
from kubelint_gpu.sources.revision import old_blobs, read_blobs
from kubelint_gpu.values import Value

_FROM = "PRE_COMMIT_FROM_REF"


class Commit(Value):
    """A commit in the making, or a range of commits that is about to be pushed.

    Attributes:
        tracked: the files that it holds, by their path below the root.
        root: the root of the repository.
        base: the commit that it is compared with; None where there is none.
        changed: the files that it changes, adds or deletes, by their path from the working directory, and the name of
            the blob that each held before; empty for what was no plain file.
        left_out: why only the files that the run has read were compared; empty where all were.
    """

    tracked: Collection[str]
    root: Path
    base: str | None = None
    changed: Mapping[Path, str] = field(default_factory=dict)
    left_out: str = ""

    def before(self, *, max_bytes: int) -> dict[Path, bytes]:
        """What the files held that it changes or deletes; without what is larger than `max_bytes`.

        Raises:
            GitError: not all of it is here.
        """
        return read_blobs(self.changed, self.base, self.root, max_bytes=max_bytes) if self.base is not None else {}

    def holds(self, path: str) -> bool:
        """Whether a file, by its path from the working directory, or what it is a link to, is one of the commit."""
        return any(name in self.tracked for name in names_below(path, Path(os.path.realpath(self.root))))


def read_commit(
    folder: Path, environment: Mapping[str, str], files: Iterable[SourceFile], *, suffixes: tuple[str, ...]
) -> Commit:
    """The commit as a pre-commit hook sees it, in the repository that `folder` lies in.

    It is compared with `PRE_COMMIT_FROM_REF` where pre-commit gives one, else with HEAD; the first commit with nothing.
    pre-commit puts unstaged changes aside. Without it `files`, what the run has read, stand for what the index holds of
    them, and a file that is gone is deleted.

    Raises:
        GitError: this is no git repository, or git is missing.
    """
    root = root_of(folder)
    index = entries(root)
    top, files = Path(os.path.realpath(root)), tuple(files)
    checked = {name for file in files for name in names_below(file.path, top)}
    for base in filter(None, (environment.get(_FROM), "HEAD")):
        try:
            changes, left_out = differing(base, root, checked)
        except GitError:
            if commit_named(base, root) is not None:
                raise
            continue
        found = {*changes, *missing(index, root, suffixes), *_written(index, files, top)}
        paths = [Path(os.path.relpath(root / name, folder)) for name in sorted(found) if name.endswith(suffixes)]
        return Commit(index.keys(), root, base, old_blobs(paths, index, changes, root, folder), left_out)
    return Commit(index.keys(), root)


def missing(index: Mapping[str, str], root: Path, suffixes: tuple[str, ...]) -> Iterator[str]:
    """The files of an index that are not in the work tree any more."""
    folders = {name.rpartition("/")[0] for name in index}
    there = {f"{folder}/{name}" if folder else name for folder in folders for name in _listed(root, folder)}
    for name in index.keys() - there:
        # a file system may call a file by another spelling of its name than git
        if name.endswith(suffixes) and is_expected(index[name]) and not os.path.lexists(root / name):
            yield name


def _listed(root: Path, folder: str) -> list[str]:
    """The names in a folder; none where it is not there, or cannot be read."""
    try:
        return os.listdir(os.path.join(root, folder))  # noqa: PTH118, PTH208 - text
    except OSError:
        return []


def _written(index: Mapping[str, str], files: Iterable[SourceFile], top: Path) -> Iterator[str]:
    """The files that hold something else than the index, apart from line ends.

    git would run the filters of the repository to compare them.
    """
    for name, data in {name: file.data for file in files for name in names_below(file.path, top)}.items():
        blob = blob_of(index.get(name, ""))
        if blob and blob not in _blobs(data, blob):
            yield name


def _blobs(data: bytes, like: str) -> Iterator[str]:
    """What git may call these contents, by the hash of a repository in which others are called alike."""
    hashed = sha1 if len(like) == 40 else sha256
    for text in (data, data.replace(b"\r\n", b"\n")):
        yield hashed(b"blob %d\0" % len(text) + text, usedforsecurity=False).hexdigest()


def names_below(path: str, top: Path) -> Iterator[str]:
    """The names below the root that a path may have in an index: as it is written, and where links lead."""
    for full in (Path(os.path.normpath(Path.cwd() / path)), Path(os.path.realpath(path))):
        if full.is_relative_to(top):
            yield full.relative_to(top).as_posix()
