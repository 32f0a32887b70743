"""Files, directories and standard input that hold the manifests.

The result is in the order of the arguments, and sorted by path within a directory.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from operator import attrgetter
from pathlib import Path
from typing import BinaryIO

from kubelint_gpu.documents import MAX_BYTES
from kubelint_gpu.patterns import pattern
from kubelint_gpu.sources.checkout import exists, has_files, is_folder, is_inside, leads_out, way_out
from kubelint_gpu.sources.programs import keep_out
from kubelint_gpu.values import PartlyCompared, Value

SUFFIXES = (".yaml", ".yml", ".json")
STDIN = "-"
SKIMMED = ("CustomResourceDefinition",)
"""Kinds of which nothing but the head is judged: they are most of the bytes of real repositories."""

TEMPLATE = "templates of a Helm chart; check what helm template prints: helm template CHART | kubelint-gpu check -"
_KIND = pattern(r"""\bkind["']?[ \t]*:""")
_AT_ONCE = 16 * 1024 * 1024
SKIPPED = frozenset({"node_modules", "venv", "__pycache__"})


class NotReadable(Exception):  # noqa: N818 - it says what the path is
    """A file cannot or may not be read; the message says why."""


class SourceFile(PartlyCompared):
    """The bytes of a manifest.

    `path` is printed: relative to the working directory, with forward slashes.
    `real` is the same path without links, empty for standard input.
    `data` of a file above the limit is one byte longer than the limit, so that reading it says 'too large'.
    """

    not_compared = frozenset({"real"})
    path: str
    data: bytes
    real: str = ""


class SourceError(Value):
    """A path that cannot be read, and why; a user can cause it, and the other files are still read."""

    path: str
    message: str


class Skipped(Value):
    """A path in a directory that was left out although it may hold manifests; not an error."""

    path: str
    message: str


class Collected(Value):
    """The result of reading the paths of a command line."""

    files: tuple[SourceFile, ...]
    errors: tuple[SourceError, ...]
    skipped: tuple[Skipped, ...]


def collect(
    paths: Sequence[str],
    *,
    stdin: BinaryIO | None = None,
    stdin_filename: str = "<stdin>",
    max_bytes: int = MAX_BYTES,
    cwd: Path | None = None,
) -> Collected:
    """Read files, and all `*.yaml`, `*.yml` and `*.json` of directories.

    A file named by the user is read whatever its suffix; `-` is `stdin`. Left out in directories: hidden files,
    `node_modules`, virtual environments, the templates of Helm charts, links to directories, and links whose target
    lies outside of the directory. A path that a link takes out of its checkout is an error. A file that is reached
    twice is read once.
    """
    folder = cwd or Path.cwd()
    collector = _Collector(folder, max_bytes)
    keep_out(folder / path for path in paths if path != STDIN)
    for path in paths:
        if path == STDIN:
            collector.add_stdin(stdin, stdin_filename)
        else:
            collector.add(path)
    return Collected(
        tuple(collector.files), tuple(collector.errors), tuple(sorted(collector.skipped, key=attrgetter("path")))
    )


def read_named(path: str | Path, *, max_bytes: int = MAX_BYTES) -> bytes:
    """Return the bytes of a file named by a user or a configuration, at most one more than the limit.

    Raises:
        NotReadable: the file cannot be read, is no regular file, or a link takes it out of its checkout.
    """
    try:
        keep_out([path])
        out = way_out(path, Path.cwd())
        if out is None:
            return _bounded(Path(path), max_bytes + 1)
    except (OSError, ValueError) as error:
        raise NotReadable(_reason(error)) from None
    raise NotReadable(leads_out(out))


def display_path(path: Path, cwd: Path) -> str:
    """Return the path relative to `cwd` with forward slashes; a path on another Windows drive stays absolute."""
    try:
        relative = os.path.relpath(path, cwd)
    except ValueError:
        relative = str(path)
    return relative.replace(os.sep, "/")


class _Collector:
    """Reads files; each real path at most once."""

    def __init__(self, cwd: Path, max_bytes: int) -> None:
        self.files: list[SourceFile] = []
        self.errors: list[SourceError] = []
        self.skipped: list[Skipped] = []
        self._cwd = cwd
        self._max_bytes = max_bytes
        self._seen: set[str] = set()

    def add_stdin(self, stdin: BinaryIO | None, name: str) -> None:
        """Read standard input, once."""
        if STDIN in self._seen:
            return
        self._seen.add(STDIN)
        if stdin is None:
            self.errors.append(SourceError(name, "there is no standard input to read"))
            return
        try:
            content = stdin.read(self._max_bytes + 1)
        except OSError as error:
            self.errors.append(SourceError(name, _reason(error)))
            return
        if _KIND().search(content.decode("utf-8", "replace").replace("\0", "")):
            self.files.append(SourceFile(name, content))
        else:
            what = "has no object, which would have a kind" if content.strip() else "is empty"
            self.errors.append(SourceError(name, f"standard input {what}: the command that writes it may have failed"))

    def add(self, path: str) -> None:
        """Read a path of the command line."""
        full = self._cwd / path
        try:
            out = way_out(path, self._cwd)
            if out is not None:
                self._fail(full, leads_out(out))
                return
            is_directory = stat.S_ISDIR(full.stat().st_mode)
        except (OSError, ValueError) as error:
            self._fail(full, _reason(error))
            return
        if not is_directory:
            if _is_template(full):
                self._skip(display_path(full, self._cwd), TEMPLATE)
            else:
                self._read(full, os.path.realpath(full), display_path(full, self._cwd))
            return
        errors, found = len(self.errors), False
        for file, real, shown in self._walk(full):
            found = True
            self._read(file, real, shown)
        if not found and len(self.errors) == errors:
            self._fail(full, "no *.yaml, *.yml or *.json in this directory")

    def _read(self, full: str | Path, real: str, shown: str) -> None:
        if real in self._seen:
            return
        self._seen.add(real)
        try:
            data = _bounded(full, self._max_bytes + 1)
        except NotReadable as error:
            self.errors.append(SourceError(shown, str(error)))
        except (OSError, ValueError) as error:
            self.errors.append(SourceError(shown, _reason(error)))
        else:
            self.files.append(SourceFile(shown, data, real))

    def _walk(self, root: Path) -> Iterator[tuple[str, str, str]]:
        """Yield the manifests below a directory, sorted by path, without following links to directories.

        Each is given as a path to open, the same path without links, and the path to print.
        """
        real_root = os.path.realpath(root)
        todo = [(True, str(root), real_root, display_path(root, self._cwd))]
        while todo:
            is_directory, path, real, shown = todo.pop()
            if not is_directory:
                yield path, real, shown
                continue
            try:
                with os.scandir(path) as entries:
                    children = sorted(entries, key=attrgetter("name"), reverse=True)
            except OSError as error:
                self.errors.append(SourceError(shown, _reason(error)))
                continue
            names = {child.name for child in children}
            is_chart = "Chart.yaml" in names
            if ".git" in names:
                keep_out([path])
            for child in children:
                name, path, is_link = child.name, child.path, child.is_symlink()
                there = os.path.realpath(path) if is_link else f"{real.rstrip(os.sep)}{os.sep}{name}"
                printed = name if shown == "." else f"{shown}/{name}"
                if not (is_folder(path) if is_link else child.is_dir(follow_symlinks=False)):
                    if not name.endswith(SUFFIXES):
                        continue
                    if is_link and not exists(path):
                        self._skip(printed, "a link to nothing")
                    elif is_link and not is_inside(there, real_root):
                        self._skip(printed, "a link to a file outside of the directory")
                    else:
                        todo.append((False, path, there, printed))
                elif name.startswith(".") or name in SKIPPED or exists(f"{path}/pyvenv.cfg"):
                    continue
                elif is_link:
                    self._skip(printed, "a link to a directory")
                elif is_chart and name == "templates":
                    if has_files(path):
                        self._skip(printed, TEMPLATE)
                else:
                    todo.append((True, path, there, printed))

    def _fail(self, full: Path, message: str) -> None:
        self.errors.append(SourceError(display_path(full, self._cwd), message))

    def _skip(self, shown: str, message: str) -> None:
        self.skipped.append(Skipped(shown, message))


def _bounded(path: str | Path, most: int) -> bytes:
    """Return at most `most` bytes of a regular file; other files are refused first, since a pipe could block."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise NotReadable("not a regular file; use - to read from a pipe")
        parts: list[bytes] = []
        # Python makes room for as much as it is asked for
        while most > 0 and (part := file.read(min(most, _AT_ONCE))):
            parts.append(part)
            most -= len(part)
        return b"".join(parts)


def is_in_chart(path: str) -> bool:
    """Whether the file lies in a Helm chart, so that Helm renders its templates."""
    return any(exists(folder / "Chart.yaml") for folder in Path(path).parents)


def _is_template(path: Path) -> bool:
    """Whether the file is a template of a Helm chart."""
    parts = path.absolute().parts
    return any(
        part == "templates" and exists(Path(*parts[:index], "Chart.yaml")) for index, part in enumerate(parts[:-1])
    )


def _reason(error: Exception) -> str:
    """Return the reason that the operating system gives, in lower case."""
    if isinstance(error, FileNotFoundError):
        return "no such file or directory"
    if isinstance(error, PermissionError):
        return "no permission to read it"
    return ((isinstance(error, OSError) and error.strerror) or str(error)).lower()
