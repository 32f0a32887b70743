"""The contents of a git commit, made or about to be made; read from git's objects, never from the work tree."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha1, sha256
from pathlib import Path

from msgspec import field

from kubelint_gpu.sources.checkout import is_inside
from kubelint_gpu.sources.files import SourceFile
from kubelint_gpu.sources.git import (
    GitError,
    blob_of,
    commit_named,
    differing,
    entries,
    git,
    is_expected,
    old_blob,
    root_of,
)
from kubelint_gpu.values import Value

_FROM = "PRE_COMMIT_FROM_REF"
_MOST_FILE = 1024 * 1024
_MOST_BYTES = 256 * 1024 * 1024
_AT_ONCE = 16 * 1024 * 1024


class Commit(Value):
    """A commit about to be made, or a range of commits about to be pushed.

    Attributes:
        tracked: the files of the commit, by path below the root.
        root: the root of the repository.
        base: the commit to compare with; None if there is none.
        changed: for each file that the commit changes, adds or deletes, by path from the working directory, the name of
            its blob before; empty if the path was no regular file.
        left_out: why only the files that the run has read were compared; empty if all were.
        differs: whether the commit changes any file, also one without manifests, such as a template of a chart.
    """

    tracked: Collection[str]
    root: Path
    base: str | None = None
    changed: Mapping[Path, str] = field(default_factory=dict)
    left_out: str = ""
    differs: bool = False

    def before(self, *, max_bytes: int) -> dict[Path, bytes]:
        """Return the old contents of the files that the commit changes or deletes, up to `max_bytes` each.

        Raises:
            GitError: the repository does not have all of these contents.
        """
        return read_blobs(self.changed, self.base, self.root, max_bytes=max_bytes) if self.base is not None else {}

    def holds(self, path: str) -> bool:
        """Whether the commit has this file, by its path from the working directory or by the target of its link."""
        return any(name in self.tracked for name in names_below(path, Path(os.path.realpath(self.root))))


def read_commit(
    folder: Path, environment: Mapping[str, str], files: Iterable[SourceFile], *, suffixes: tuple[str, ...]
) -> Commit:
    """Return the commit as a pre-commit hook sees it, in the repository of `folder`.

    The base is `PRE_COMMIT_FROM_REF` if pre-commit sets it, else HEAD; the first commit has none. pre-commit puts
    unstaged changes aside. Without pre-commit, `files`, which the run has read, count as the staged contents, and a
    file missing in the work tree as deleted.

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
        return Commit(index.keys(), root, base, old_blobs(paths, index, changes, root, folder), left_out, bool(found))
    return Commit(index.keys(), root)


def missing(index: Mapping[str, str], root: Path, suffixes: tuple[str, ...]) -> Iterator[str]:
    """Yield the files of the index that are missing in the work tree."""
    folders = {name.rpartition("/")[0] for name in index}
    there = {f"{folder}/{name}" if folder else name for folder in folders for name in _listed(root, folder)}
    for name in index.keys() - there:
        # a file system may call a file by another spelling of its name than git
        if name.endswith(suffixes) and is_expected(index[name]) and not os.path.lexists(root / name):
            yield name


def _listed(root: Path, folder: str) -> list[str]:
    """Return the names in a folder; none if the folder does not exist or cannot be read."""
    try:
        return os.listdir(os.path.join(root, folder))  # noqa: PTH118, PTH208 - text
    except OSError:
        return []


def _written(index: Mapping[str, str], files: Iterable[SourceFile], top: Path) -> Iterator[str]:
    """Yield the files whose contents differ from the index, apart from line ends.

    git is not asked, because it would run the filters of the repository.
    """
    for name, data in {name: file.data for file in files for name in names_below(file.path, top)}.items():
        blob = blob_of(index.get(name, ""))
        if blob and blob not in _blobs(data, blob):
            yield name


def _blobs(data: bytes, like: str) -> Iterator[str]:
    """Yield the blob names that git may give these contents, with LF or CRLF; `like` shows the kind of hash in use."""
    hashed = sha1 if len(like) == 40 else sha256
    for text in (data, data.replace(b"\r\n", b"\n")):
        yield hashed(b"blob %d\0" % len(text) + text, usedforsecurity=False).hexdigest()


def names_below(path: str, top: Path) -> Iterator[str]:
    """Yield the names below the root that a path may have in the index: as it is written, and with links resolved."""
    for full in (Path(os.path.normpath(Path.cwd() / path)), Path(os.path.realpath(path))):
        if full.is_relative_to(top):
            yield full.relative_to(top).as_posix()


class RevisionError(GitError):
    """A revision cannot be read; the message says why."""


class _Blob(Value):
    """A regular file of a commit; `size` is None if the repository does not have the contents."""

    path: str
    name: str
    size: int | None


def old_blobs(
    paths: Iterable[Path], index: Mapping[str, str], changes: Mapping[str, str], root: Path, folder: Path
) -> dict[Path, str]:
    """Return the blobs that the paths had in a commit, given the index and its `changes` from that commit.

    The blob is empty for a path that was no regular file in the commit.
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
    """Return the contents of files of a commit, by their blob names; files above `max_bytes` are left out.

    Raises:
        GitError: the repository does not have all of these contents.
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
    """Return the root of the repository of a folder, and the name of the commit that `revision` means.

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
    """Yield a temporary folder with the regular files of a commit.

    The contents come from git's objects unchanged: no filter of the repository runs, and no link is made. Left out are
    files above a megabyte, everything beyond 256 megabytes in all, contents that a partial clone does not have, and
    names that the system does not allow.

    Raises:
        GitError: git cannot read the commit.
    """
    from kubelint_gpu.sources.safe_write import ended_with_the_run

    wanted: list[_Blob] = []
    left = _MOST_BYTES
    for one in _blobs_below(commit, root):
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


def _blobs_below(commit: str, root: Path) -> Iterator[_Blob]:
    listed = git(["ls-tree", "-r", "-l", "-z", "--full-tree", "--end-of-options", f"{commit}^{{commit}}"], root)
    for entry in filter(None, listed.split(b"\0")):
        about, _, path = entry.partition(b"\t")
        mode, _kind, blob, size = about.decode().split()
        if mode.startswith("100"):
            yield _Blob(os.fsdecode(path), blob, int(size) if size.isdecimal() else None)


def _contents(blobs: Sequence[_Blob], root: Path) -> Iterator[tuple[_Blob, bytes]]:
    """Yield the contents of the files, read a few megabytes at a time."""
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
