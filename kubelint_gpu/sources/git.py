"""The user's own git, only read from; no other module starts git.

The repository may be a stranger's, with its configuration and hooks. So git answers only from its index and objects:
no call reads a file of the work tree, which would run filters, but for `.gitignore`, and none prints a difference.
Everything else that git could start is switched off with every call. The files that git itself reads are checked before
it is started, because git would wait for ever on a pipe.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from kubelint_gpu.sources import children
from kubelint_gpu.sources.checkout import exists, is_file, is_folder, repositories_around, repository_root
from kubelint_gpu.sources.children import ChildError, Limits, OutputLimitError, TimeLimitError
from kubelint_gpu.sources.programs import find, search_path

_MOST = 64 * 1024
_CONFIGURATIONS = ("config", "config.worktree")
_NAMING = frozenset((".git", "commondir", "alternates", *_CONFIGURATIONS))
"""Files that name others for git to read."""
_LIMITS = Limits(seconds=60, output=128 << 20, memory=512 << 20)
_BRIEF = Limits(seconds=10, output=16 << 20, memory=512 << 20)
_MOST_DIFFERENCES = 50_000
_FAILED = "git failed"
_Words = Sequence[str | bytes]
_SETTINGS = (
    # a folder that looks like a bare repository is none; git 2.38
    "safe.bareRepository=explicit",
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    "protocol.allow=never",
    "submodule.recurse=false",
)
_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    # an object that is not here is not fetched: git 2.39.4 and 2.44 do not try, and older ones may use no transport
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "LC_ALL": "C",
}


@lru_cache(maxsize=16)
def odd_file(git: Path) -> str | None:
    """Return the path of a pipe, device or the like that git would read as a file; None if there is none.

    `git` is the `.git` folder, or the file in its place that names it. Other folders are checked if they lie in a
    repository that holds or encloses `git`, and if git uses them in place of it.
    """
    checkouts = list(repositories_around([str(git.absolute().parent)]))
    seen: set[str] = set()
    todo = [(str(git.absolute()), False)]
    while todo:
        path, included = todo.pop()
        real = os.path.realpath(path)
        if real in seen or not exists(real):
            continue
        seen.add(real)
        if not (is_file(real) or is_folder(real)):
            return path
        if any(map(Path(real).is_relative_to, checkouts)):
            configures = included or os.path.basename(path) in _CONFIGURATIONS  # noqa: PTH119 - text
            found = [*(_telling(real) if is_folder(real) else _named(path, configures=configures))]
            if os.path.basename(path) in (".git", "commondir"):  # noqa: PTH119 - text
                checkouts += [os.path.realpath(one) for one in found if os.path.lexists(f"{one}/HEAD")]
            todo += [(one, configures) for one in found]
    return None


def _telling(folder: str) -> Iterator[str]:
    """Yield the entries of a folder that are no regular files, and the regular files that may name another folder."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name in _NAMING or not entry.is_file(follow_symlinks=False):
                    yield entry.path
    except OSError:
        return


def _named(path: str, *, configures: bool) -> Iterator[str]:
    """Yield the paths that a file of git names; if it `configures`, these are the files that it includes."""
    folder, name = os.path.split(path)
    base = os.path.dirname(folder) if name == "alternates" else folder  # noqa: PTH120 - text
    sign = b"=" if configures else b":" if name == ".git" else b""
    with open(path, "rb") as file:  # noqa: PTH123 - text
        lines = file.read(_MOST).splitlines()
    for line in lines:
        key, found, value = line.partition(sign) if sign else (b"", sign, line)
        if found == sign and (not configures or key.strip().lower().endswith(b"path")):
            written = os.fsdecode(value.strip().strip(b'"'))
            yield os.path.join(base, os.path.expanduser(written))  # noqa: PTH111, PTH118 - text


class GitError(Exception):
    """git did not answer; the message says why."""


class GitLimitError(GitError):
    """git exceeded its limit of time, memory or output."""


def root_of(folder: Path) -> Path:
    """Return the root of the work tree that holds a folder.

    That is the folder with `.git`, whatever the configuration of the repository says. Only if the environment names the
    repository is git asked.

    Raises:
        GitError: this is no git repository, or git is missing.
    """
    if "GIT_DIR" in os.environ:
        return Path(os.fsdecode(_run(["rev-parse", "--show-toplevel"], folder)).rstrip("\n"))
    root = repository_root(folder.absolute())
    if not exists(root / ".git"):
        raise GitError("not a git repository: neither this folder nor one above it holds .git")
    _can_be_read(root)
    return root


def git(arguments: _Words, root: Path, given: bytes = b"", limits: Limits = _LIMITS) -> bytes:
    """Run git at the root of a work tree, and return its output.

    Raises:
        GitError: git is missing, fails, or exceeds its limits.
    """
    if "GIT_DIR" in os.environ:
        return _run(arguments, root, given, limits=limits)
    # no repository but the one whose `.git` is here, and no other work tree
    ceiling = {"GIT_CEILING_DIRECTORIES": str(root.parent)}
    return _run([f"--work-tree={root}", *arguments], root, given, ceiling, limits)


def _run(
    words: _Words, folder: Path, given: bytes = b"", more: dict[str, str] | None = None, limits: Limits = _LIMITS
) -> bytes:
    _can_be_read(folder)
    path = search_path()
    program = find("git", path)
    if program is None:
        raise GitError("git is not installed")
    settings = [part for setting in _SETTINGS for part in ("-c", setting)]
    environment = {**os.environ, **_ENVIRONMENT, **(more or {}), "PATH": os.pathsep.join(path)}
    command = [program, "--no-pager", *settings, *words]
    try:
        ran = children.run(command, limits, folder=folder, environment=environment, given=given)
    except (TimeLimitError, OutputLimitError) as error:
        raise GitLimitError(str(error)) from None
    except ChildError as error:
        raise GitError(str(error)) from None
    if ran.failed and "out of memory" in ran.error.lower():
        raise GitLimitError(f"git needs more than {_LIMITS.memory >> 20} MB of memory, the most that it may have")
    if ran.failed:
        raise GitError(ran.error.strip().removeprefix("fatal: ") or _FAILED)
    return ran.output


def _can_be_read(root: Path) -> None:
    """Refuse a repository in which git would wait for ever.

    Raises:
        GitError: something that git reads is no regular file.
    """
    odd = odd_file(root / os.environ.get("GIT_DIR", ".git"))
    if odd is not None:
        raise GitError(f"git is not asked, because {odd} is no plain file")


def commit_named(revision: str, root: Path) -> str | None:
    """Return the name of the commit that a revision means; None if git knows none."""
    try:
        found = git(["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"], root)
    except GitError:
        return None
    return found.decode().strip()


def entries(root: Path) -> dict[str, str]:
    """Return the tracked files by path below the root, each with its letter, mode, blob name and stage.

    Paths have forward slashes. Untracked files are left out: they belong to another commit, or to none.

    Raises:
        GitError: the index cannot be read.
    """
    # git says as much of each: the names of all blobs of a repository are of one length
    text = os.fsdecode(git(["ls-files", "-z", "--stage", "-t"], root))
    width = text.find("\t") + 1
    return {line[width:]: line for line in text.split("\0") if line}


def blob_of(about: str) -> str:
    """Return the blob name of an index entry; empty if the entry is no regular file."""
    return about.split(" ", 3)[2] if about.startswith("100", 2) else ""


def is_expected(about: str) -> bool:
    """Whether an index entry should be in the work tree; a sparse checkout leaves some out."""
    return not about.startswith("S")


class Differences(NamedTuple):
    """The files that differ between a commit and the index, each with git's description.

    A description holds the mode and blob in the commit, those in the index, and a letter. `left_out` says why only some
    files were compared; empty if all were.
    """

    by_name: Mapping[str, str]
    left_out: str = ""


def differing(revision: str, root: Path, names: Collection[str]) -> Differences:
    """Compare the index with a commit; if that is too much for git, only the files of these names.

    Raises:
        GitError: git does not know the commit, or fails.
    """
    try:
        found = _differing(revision, root, ())
    except GitLimitError as error:
        why = str(error)
    else:
        if len(found) <= _MOST_DIFFERENCES:
            return Differences(found)
        why = f"{len(found)} files differ, and at most {_MOST_DIFFERENCES} are compared"
    told = f"only the files that are checked are compared with it, not those that have left it: {why}"
    return Differences(_differing(revision, root, names) if names else {}, told)


def _differing(revision: str, root: Path, names: Collection[str]) -> dict[str, str]:
    listed = git(
        [
            *("diff-index", "--cached", "-z", "--raw", "--no-renames", "--no-ext-diff", "--no-textconv"),
            *("--ignore-submodules=all", "--end-of-options", f"{revision}^{{commit}}", "--", *names),
        ],
        root,
    )
    parts = os.fsdecode(listed).split("\0")
    return dict(zip(parts[1::2], parts[::2], strict=False))


def old_blob(name: str, index: Mapping[str, str], changes: Mapping[str, str]) -> str:
    """Return a file's blob in a commit, given the index and its `changes` from that commit; empty if none."""
    if name not in changes:
        return blob_of(index.get(name, ""))
    mode, _, blob, *_ = changes[name].split()
    return blob if mode.startswith(":100") else ""


def is_gone(about: str) -> bool:
    """Whether a difference says that the index no longer has the file of the commit."""
    return about.endswith("D")


def files_with(texts: Sequence[str], root: Path) -> tuple[Path, ...]:
    """Return the files of the index that contain one of the texts, sorted by name. Raises GitError if git fails."""
    wanted = [part for text in texts for part in ("-e", text)]
    flags = ("--cached", "-l", "-z", "-I", "-F", "--no-textconv", "--no-recurse-submodules")
    try:
        found = git(["grep", *flags, *wanted], root)
    except GitError as error:
        if str(error) == _FAILED:
            # git grep exits with 1 and says nothing if no file holds them
            return ()
        raise
    return tuple(root / os.fsdecode(name) for name in sorted(found.split(b"\0")) if name)


def untracked_files(root: Path) -> tuple[str, ...]:
    """Return the files that git neither tracks nor ignores, by path below the root; none of another repository there.

    git reads the names of the work tree and its `.gitignore` files; a pipe in place of one stops it for 10 seconds.

    Raises:
        GitError: git fails, or does not answer in time.
    """
    found = os.fsdecode(git(["ls-files", "-z", "--others", "--exclude-standard"], root, limits=_BRIEF))
    return tuple(name for name in sorted(found.split("\0")) if name and not name.endswith("/"))


def tracked_files(root: Path) -> tuple[Path, ...] | None:
    """Return the existing files that git tracks below a repository's root; None if git fails."""
    try:
        found = entries(root)
    except GitError:
        return None
    return tuple(root / name for name in found if is_file(root / name))
