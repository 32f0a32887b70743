"""`.kubelint-gpu.yaml`: the nearest one upward, never merged with another; its globs and paths are relative to it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click

from kubelint_gpu.cli.globs import matches
from kubelint_gpu.documents import Document, Pointer, read
from kubelint_gpu.sources.files import display_path
from kubelint_gpu.sources.writing import repository_root
from kubelint_gpu.values import dataclass, field

NAME = ".kubelint-gpu.yaml"
_LEVELS = ("error", "warning", "note", "off")


@dataclass(frozen=True, slots=True)
class PathIgnore:
    """Rules that are not reported for some files, and why."""

    glob: str
    codes: tuple[str, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Configuration:
    """The settings of a repository.

    Attributes:
        path: the file, None without one.
        inventory: files that declare the cluster.
        select: rules that are reported; empty for all.
        ignore: rules that are not.
        severity: severities in place of the rules' own, by code; `off` switches a rule off.
        per_path: rules that are not reported for some files.
        units: globs of files that are applied together, by name.
    """

    path: Path | None = None
    inventory: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: dict[str, str] = field(default_factory=dict)
    per_path: tuple[PathIgnore, ...] = ()
    units: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def relative(self, path: str) -> str:
        """A path as the globs of this file see it."""
        folder = self.path.parent if self.path is not None else Path.cwd()
        return display_path(Path.cwd() / path, folder)

    def unit_of(self, path: str) -> str | None:
        """The unit that a file belongs to."""
        seen = self.relative(path)
        return next((name for name, globs in self.units.items() if any(matches(seen, glob) for glob in globs)), None)

    def ignores(self, path: str) -> Iterator[str]:
        """The codes and prefixes that are not reported for a file."""
        if self.per_path:
            seen = self.relative(path)
            for entry in self.per_path:
                if matches(seen, entry.glob):
                    yield from entry.codes


def find(start: Path) -> Path | None:
    """The nearest configuration upward from a folder, no further than the repository's root."""
    root = repository_root(start)
    for folder in (start, *start.parents):
        if (folder / NAME).is_file():
            return folder / NAME
        if folder == root:
            return None
    return None


def load(path: Path | None) -> Configuration:
    """Read a configuration.

    Raises:
        click.ClickException: it cannot be read, or holds what it may not; with line, column and suggestion.
    """
    if path is None:
        return Configuration()
    shown = display_path(path, Path.cwd())
    try:
        reading = read(shown, path.read_bytes())
    except OSError as error:
        raise click.ClickException(f"{shown}: {error.strerror}") from None
    for problem in reading.problems:
        where = f"{shown}:{problem.span.line}:{problem.span.column}" if problem.span else shown
        raise click.ClickException(f"{where}: {problem.message}")
    documents = [document for document in reading.documents if document.value is not None]
    if not documents:
        return Configuration(path=path)
    return _Reader(documents[0], path).configuration()


class _Reader:
    """One document, with errors that say where."""

    def __init__(self, document: Document, path: Path) -> None:
        self._document = document
        self._path = path

    def configuration(self) -> Configuration:
        value = self._mapping(
            self._document.value, (), ("inventory", "select", "ignore", "severity", "per-path", "units")
        )
        folder = self._path.parent
        return Configuration(
            path=self._path,
            inventory=tuple(
                os.path.relpath(folder / name) for name in self._texts(value.get("inventory"), ("inventory",))
            ),
            select=self._texts(value.get("select"), ("select",)),
            ignore=self._texts(value.get("ignore"), ("ignore",)),
            severity=dict(self._severities(value.get("severity"))),
            per_path=tuple(self._per_path(value.get("per-path"))),
            units=dict(self._units(value.get("units"))),
        )

    def _fail(self, pointer: Pointer, message: str, *, key: bool = False) -> click.ClickException:
        span = self._document.locate(pointer, "key" if key else "value")
        return click.ClickException(f"{self._document.source.path}:{span.line}:{span.column}: {message}")

    def _mapping(self, value: Any, pointer: Pointer, known: Iterable[str] | None = None) -> dict[str, Any]:
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise self._fail(pointer, "must be a mapping")
        names = tuple(known) if known is not None else None
        for key in value:
            if names is not None and key not in names:
                near = get_close_matches(key, names, 1, 0.5)
                hint = f"; did you mean {near[0]}?" if near else f"; known are {', '.join(names)}"
                raise self._fail((*pointer, key), f'unknown key "{key}"{hint}', key=True)
        return value

    def _texts(self, value: Any, pointer: Pointer) -> tuple[str, ...]:
        if value is None:
            return ()
        if isinstance(value, str):
            return (value,)
        if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
            raise self._fail(pointer, "must be a text or a list of texts")
        return tuple(value)

    def _severities(self, value: Any) -> Iterator[tuple[str, str]]:
        for code, level in self._mapping(value, ("severity",)).items():
            if level is False:
                level = "off"  # noqa: PLW2901 - YAML reads a bare off as false
            if level not in _LEVELS:
                raise self._fail(("severity", code), f"must be one of {', '.join(_LEVELS)}")
            yield code, level

    def _per_path(self, value: Any) -> Iterator[PathIgnore]:
        for glob, entry in self._mapping(value, ("per-path",)).items():
            pointer = ("per-path", glob)
            found = self._mapping(entry, pointer, ("ignore", "reason"))
            reason = found.get("reason", "")
            if not isinstance(reason, str):
                raise self._fail((*pointer, "reason"), "must be a text")
            yield PathIgnore(glob, self._texts(found.get("ignore"), (*pointer, "ignore")), reason)

    def _units(self, value: Any) -> Iterator[tuple[str, tuple[str, ...]]]:
        for name, globs in self._mapping(value, ("units",)).items():
            yield name, self._texts(globs, ("units", name))
