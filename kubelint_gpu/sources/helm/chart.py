"""The files of a chart, as a copy for Helm; nothing outside of the repository is included."""

from __future__ import annotations

import io
import json
import os
import posixpath
import re
import shlex
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kubelint_gpu.documents import MAX_BYTES, Document, Reading, read
from kubelint_gpu.kube.values.plain import sequence
from kubelint_gpu.patterns import pattern
from kubelint_gpu.sources.checkout import is_inside
from kubelint_gpu.sources.files import display_path
from kubelint_gpu.sources.helm.given_values import is_release
from kubelint_gpu.sources.render import Obstacle
from kubelint_gpu.values import Value

MOST_FILES = 5_000
MOST_TOGETHER = 64 * 1024 * 1024
MOST_VARIANTS = 20
_DEEPEST = 24
SCHEMA = "values.schema.json"
_PACKED = (".tgz", ".tar.gz")
_VARIANT = pattern(r"(?:values[-.](?!schema\.)[^/]+|ci/[^/]+-values)\.ya?ml")
_REFERENCE = pattern(r'"\$(?:ref|dynamicRef|recursiveRef)"\s*:\s*"(?!#)', re.ASCII)


class TooLargeError(Exception):
    """A chart has more files, or larger ones, than are read."""


class ChartFile(Value, eq=False):
    """`Chart.yaml` with its contents."""

    reading: Reading
    document: Document | None


class Chart(Value, eq=False):
    """A chart of the repository.

    Attributes:
        root: the real root of the repository.
        cwd: the folder that printed paths are relative to.
        folder: the folder of the chart, below the root.
        files: the files that Helm gets, by path below the chart: its own, and its dependencies in the repository.
        places: the path of each of these files below the root; for a file in an archive the path of the archive.
        top: `Chart.yaml`.
        problems: why the chart is not rendered, or only in part.
    """

    root: Path
    cwd: Path
    folder: str
    files: dict[str, bytes]
    places: dict[str, str]
    top: ChartFile
    problems: tuple[Obstacle, ...] = ()

    @property
    def value(self) -> dict[str, Any]:
        """Return the contents of `Chart.yaml`; empty if these are no mapping."""
        found = self.top.document.value if self.top.document is not None else None
        return found if isinstance(found, dict) else {}

    @property
    def is_library(self) -> bool:
        """Whether the chart is a library chart, which renders nothing by itself."""
        return self.value.get("type") == "library"

    @property
    def release(self) -> str:
        """Return the chart's name as a release name if that is valid, else `release-name`."""
        name = str(self.value.get("name") or "").lower()
        return name if is_release(name) else "release-name"

    @property
    def variants(self) -> list[str]:
        """Return the values files for single environments, besides `values.yaml`, by path below the chart."""
        return sorted(path for path in self.files if _VARIANT().fullmatch(path))

    def is_packed(self, path: str) -> bool:
        """Whether a file of `files` comes from an archive."""
        return self.places.get(path, "").endswith(_PACKED)

    def shown(self, path: str) -> str:
        """Return the path of a file of `files`, as printed."""
        return display_path(self.root / self.places.get(path, posixpath.join(self.folder, path)), self.cwd)


def chart_at(root: Path, folder: str, cwd: Path, texts: dict[str, bytes] | None = None) -> Chart:
    """Read the chart in `folder`, a path below the root; `texts` replace files, by path below the root.

    The problems name files that are missing for Helm or lead out of the repository.
    """
    folder = "" if folder == "." else folder
    found = _Gathering(root, texts or {})
    problems: list[Obstacle] = []
    shown = display_path(root / folder / "Chart.yaml", cwd)
    try:
        found.take(folder, "")
    except TooLargeError as error:
        found.files.clear()
        problems.append(Obstacle(shown, None, str(error)))
    reading = read(shown, found.files.get("Chart.yaml", b""))
    document = next(iter(reading.documents), None)
    top = ChartFile(reading, document)
    problems += (Obstacle(display_path(root / path, cwd), None, message) for path, message in found.refused)
    if found.files:
        try:
            problems += _with_dependencies(found, folder, "", top, cwd)
        except TooLargeError as error:
            problems.append(Obstacle(shown, None, str(error)))
        problems += _without_references(found, cwd, root)
    return Chart(root, cwd, folder, found.files, found.places, top, tuple(problems))


class _Gathering:
    """Gathers the files of a chart, within limits."""

    def __init__(self, root: Path, texts: dict[str, bytes]) -> None:
        self.root = Path(os.path.realpath(root))
        self.files: dict[str, bytes] = {}
        self.places: dict[str, str] = {}
        self.refused: list[tuple[str, str]] = []
        self._texts = texts
        self._size = 0

    def take(self, folder: str, target: str, depth: int = 0) -> None:
        """Add all files below a folder of the repository, as files below `target`.

        Raises:
            TooLargeError: there are too many files, or they are too large.
        """
        if depth > _DEEPEST:
            raise TooLargeError(f"its folders are more than {_DEEPEST} deep")
        try:
            with os.scandir(self.root / folder) as entries:
                names = sorted((entry.name, entry.is_symlink()) for entry in entries)
        except OSError:
            return
        for name, is_link in names:
            path, goal = posixpath.join(folder, name), posixpath.join(target, name)
            full = self.root / path
            if name == ".git":
                continue
            if is_link and not is_inside(os.path.realpath(full), self.root):
                self.refused.append((path, f"{name} is a link that leads out of the repository"))
            elif full.is_dir():
                self.take(path, goal, depth + 1)
            elif full.is_file():
                self._take_file(path, goal)

    def _take_file(self, path: str, goal: str) -> None:
        data = self._texts.get(path)
        if data is None:
            try:
                with (self.root / path).open("rb") as file:
                    data = file.read(MAX_BYTES + 1)
            except OSError:
                return
        if goal.startswith("charts/") and goal.endswith(_PACKED) and goal.count("/") == 1:
            for name, part in _unpacked(data):
                self.put(f"charts/{name}", part, path)
        else:
            self.put(goal, data, path)

    def put(self, goal: str, data: bytes, place: str) -> None:
        """Add a file for Helm.

        Raises:
            TooLargeError: there are too many files, or they are too large.
        """
        self._size += len(data)
        if len(self.files) >= MOST_FILES or self._size > MOST_TOGETHER or len(data) > MAX_BYTES:
            raise TooLargeError(
                f"it has more than {MOST_FILES} files or {MOST_TOGETHER >> 20} MB, the most that are read; .helmignore "
                "does not make it smaller here"
            )
        self.files[goal] = data
        self.places[goal] = place


def _unpacked(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the regular files of a packed chart, within limits; invalid names and unreadable files are left out."""
    size = 0
    try:
        with tarfile.open(fileobj=io.BytesIO(_inflated(data)), mode="r:") as archive:
            for member in archive:
                name = posixpath.normpath(member.name)
                if not member.isreg() or name.startswith(("/", "..")):
                    continue
                size += member.size
                if size > MOST_TOGETHER:
                    raise TooLargeError(f"a packed chart holds more than {MOST_TOGETHER >> 20} MB")
                file = archive.extractfile(member)
                if file is not None:
                    yield name, file.read()
    except (tarfile.TarError, zlib.error, EOFError, OSError, ValueError):
        return


def _inflated(data: bytes) -> bytes:
    found = zlib.decompressobj(wbits=31).decompress(data, MOST_TOGETHER + 1)
    if len(found) > MOST_TOGETHER:
        raise TooLargeError(f"a packed chart holds more than {MOST_TOGETHER >> 20} MB")
    return found


def _with_dependencies(
    found: _Gathering, folder: str, target: str, top: ChartFile, cwd: Path, depth: int = 0
) -> Iterator[Obstacle]:
    """Put the chart's dependencies in the repository below its `charts/`, and yield those that are missing."""
    value = top.document.value if top.document is not None else None
    if not isinstance(value, dict) or top.document is None:
        return
    entries = sequence(value.get("dependencies"))
    missing = []
    for index, entry in enumerate(entries):
        name = entry.get("name") if isinstance(entry, dict) else None
        if not isinstance(name, str) or "/" in name or _is_vendored(found, target, name):
            continue
        repository = entry.get("repository")
        inner = _within_repository(found, folder, repository)
        if inner is not None and depth < _DEEPEST:
            goal = posixpath.join(target, "charts", name)
            found.take(inner, goal)
            reading = read(
                display_path(found.root / inner / "Chart.yaml", cwd), found.files.get(f"{goal}/Chart.yaml", b"")
            )
            file = ChartFile(reading, next(iter(reading.documents), None))
            yield from _with_dependencies(found, inner, goal, file, cwd, depth + 1)
            continue
        missing.append(index)
        outside = isinstance(repository, str) and repository.startswith("file:")
        why = "lies outside of the repository" if outside else "is not vendored below charts/"
        command = () if outside else (f"helm dependency build {shlex.quote(display_path(found.root / folder, cwd))}",)
        span = top.document.locate(("dependencies", index, "name"))
        message = f"the dependency {name} {why}: it is left out"
        yield Obstacle(top.reading.path, span, message, withheld=True, help=command)
    if missing:
        kept = [entry for index, entry in enumerate(entries) if index not in missing]
        text = json.dumps({**value, "dependencies": kept}, ensure_ascii=False, default=str)
        found.files[posixpath.join(target, "Chart.yaml")] = text.encode("utf-8", "replace")


def _is_vendored(found: _Gathering, target: str, name: str) -> bool:
    """Whether a chart of this name lies below `charts/`."""
    start = posixpath.join(target, "charts", "")
    for path, data in found.files.items():
        if path.startswith(start) and path.endswith("/Chart.yaml") and path.count("/") == start.count("/") + 1:
            if path == f"{start}{name}/Chart.yaml":
                return True
            value = next((one.value for one in read(path, data).documents), None)
            if isinstance(value, dict) and value.get("name") == name:
                return True
    return False


def _within_repository(found: _Gathering, folder: str, repository: Any) -> str | None:
    """Return the folder below the root that a dependency's `file://` repository means; None if it means none."""
    if not isinstance(repository, str) or not repository.startswith("file://"):
        return None
    path = posixpath.normpath(posixpath.join(folder, repository.removeprefix("file://")))
    full = found.root / path
    if path.startswith(("/", "..")) or not is_inside(os.path.realpath(full), found.root):
        return None
    return path if (full / "Chart.yaml").is_file() else None


def _without_references(found: _Gathering, cwd: Path, root: Path) -> Iterator[Obstacle]:
    """Remove schemas that refer to other files or addresses, because Helm would read these."""
    for path in [one for one in found.files if posixpath.basename(one) == SCHEMA]:
        text = found.files[path].decode(errors="replace")
        if _REFERENCE().search(text):
            del found.files[path]
            yield Obstacle(
                display_path(root / found.places[path], cwd),
                None,
                "this schema refers to other files or addresses, which are not read: values are not checked by it",
                withheld=True,
            )
