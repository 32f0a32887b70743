"""`.kubelint-gpu.yaml` as data: every error with its line, every misspelt key with the one meant, `kinds:` too."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kubelint_gpu.documents import Document, Pointer, Reading, read
from kubelint_gpu.sources.checkout import anchor_of, is_file, is_inside, repository_root
from kubelint_gpu.sources.files import NotReadable, display_path, read_named
from kubelint_gpu.sources.helm.given_values import is_release
from kubelint_gpu.sources.render import Spot
from kubelint_gpu.workspace.project.charts import CHART, ChosenChart
from kubelint_gpu.workspace.project.configuration import (
    LONGEST,
    MOST,
    MOST_CHARACTERS,
    NAME,
    Configuration,
    ConfigurationError,
    PathIgnore,
    Target,
)
from kubelint_gpu.workspace.project.worlds import complain

if TYPE_CHECKING:
    from kubelint_gpu.cache.store import Store
    from kubelint_gpu.workspace.project.known_configurations import KnownDocument


import re
from collections.abc import Callable

from kubelint_gpu.patterns import pattern

_TEXTS = ("kind", "group", "template", "strategy", "update")
_KEYS = (*_TEXTS, "replicas", "ends")
_UPDATES = ("none", "RollingUpdate", "Recreate")
_MOST = 100
_GROUP = pattern(r"[a-z0-9-]+(\.[a-z0-9-]+)+", re.ASCII)
_FIELDS = pattern(r"[A-Za-z][A-Za-z0-9]*(\[\])?(\.(\*|[A-Za-z][A-Za-z0-9]*)(\[\])?)*", re.ASCII)


def rows(value: Any, fail: Callable[[Pointer, str], Exception]) -> Iterator[dict[str, Any]]:
    """Yield rows as `custom_workloads.json` has them; entries for one kind are templates of one row.

    `fail` makes the error that is raised if an entry says something that it cannot.
    """
    if not isinstance(value, list) or len(value) > _MOST:
        raise fail(("kinds",), f"must be a list of at most {_MOST} templates")
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for index, entry in enumerate(value):
        _check(entry, ("kinds", index), fail)
        update, strategy = entry.get("update", "none"), entry.get("strategy", "")
        replicas, name = entry.get("replicas", []), (entry["group"], entry["kind"])
        row = found.setdefault(name, {"kind": name[1], "groups": [name[0]], "ends": False, "templates": []})
        row["templates"].append(
            {
                "path": entry["template"],
                "form": "either",
                "more": True,
                "pods": [replicas] if isinstance(replicas, str) else replicas,
                **({"strategy": strategy} if strategy else {"type": update}),
            }
        )
        row["ends"] = row["ends"] or entry.get("ends", False)
        if strategy or update != "none":
            row["update"] = "deployment"
    yield from found.values()


def _check(entry: Any, pointer: Pointer, fail: Callable[[Pointer, str], Exception]) -> None:
    if not isinstance(entry, dict):
        raise fail(pointer, "must be a mapping")
    for key, value in entry.items():
        where = (*pointer, key)
        if key not in _KEYS:
            raise fail(where, f'unknown key "{key}"; known are {", ".join(_KEYS)}')
        if key in _TEXTS and not isinstance(value, str):
            raise fail(where, "must be a text")
        if key == "ends" and not isinstance(value, bool):
            raise fail(where, "must be true or false")
        if key == "group" and _GROUP().fullmatch(value) is None:
            raise fail(where, "must be an API group with a dot and without a version, such as flows.example.com")
        if key == "update" and value not in _UPDATES:
            raise fail(where, f"must be one of {', '.join(_UPDATES)}")
        if key in ("template", "strategy", "replicas"):
            paths = value if isinstance(value, list) else [value]
            if not all(isinstance(path, str) and _FIELDS().fullmatch(path) for path in paths):
                raise fail(where, "must be a path of fields, such as spec.workers[].template")
    missing = [key for key in ("kind", "group", "template") if not entry.get(key)]
    if missing:
        raise fail(pointer, f"must have {missing[0]}")


KEYS = (
    *("inventory", "targets", "context", "baseline", "select", "ignore", "severity", "per-path", "units", "charts"),
    "kinds",
)
_CHART_KEYS = ("path", "release", "namespace", "values", "set", "kube-version", "api-versions", "unit")
LEVELS = ("error", "warning", "note", "off")


def configuration_of(document: Document | KnownDocument, path: Path) -> Configuration:
    """The settings that a document holds.

    Raises:
        ConfigurationError: it holds what it may not; with line, column and suggestion.
    """
    return _Reader(document, path).configuration()


def configuration_for(given: str | None, paths: Iterable[str], store: Store | None = None) -> Configuration:
    """What a run over some paths goes by: the file that is `given`, else the nearest one.

    Prints to standard error if none is read, although a folder above has one.
    """
    start = anchor_of(paths, Path.cwd())
    path = Path(given) if given else find(start)
    if path is None and not (repository_root(start) / ".git").exists():
        for above in (folder / NAME for folder in start.parents if is_file(folder / NAME)):
            shown = display_path(above, Path.cwd())
            complain(
                shown, f"is not read: outside of git only this directory is searched; give it with --config {shown}"
            )
            break
    return load(path, store)


class _Reader:
    """One document, with errors that say where."""

    def __init__(self, document: Document | KnownDocument, path: Path) -> None:
        self._document = document
        self._path = path
        self._number = 0
        self._characters = 0

    def configuration(self) -> Configuration:
        value = self._mapping(self._document.value, (), KEYS)
        return Configuration(
            path=self._path,
            inventory=self._paths(value.get("inventory"), ("inventory",)),
            targets=tuple(self._targets(value.get("targets"))),
            context=self._patterns(value.get("context"), ("context",)),
            baseline=self._baseline(value.get("baseline")),
            select=self._texts(value.get("select"), ("select",)),
            ignore=self._texts(value.get("ignore"), ("ignore",)),
            severity=dict(self._severities(value.get("severity"))),
            per_path=tuple(self._per_path(value.get("per-path"))),
            units=dict(self._units(value.get("units"))),
            charts=tuple(self._charts(value.get("charts"))),
            kinds=tuple(self._kinds(value.get("kinds"))),
            lines={key: self._document.locate((key,), "key").line for key in value},
            source=self._document.source,
        )

    def _fail(self, pointer: Pointer, message: str, *, key: bool = False) -> ConfigurationError:
        span = self._document.locate(pointer, "key" if key else "value")
        return ConfigurationError(self._document.source.path, span, message)

    def _mapping(self, value: Any, pointer: Pointer, known: Iterable[str] | None = None) -> dict[str, Any]:
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise self._fail(pointer, "must be a mapping")
        names = tuple(known) if known is not None else None
        for key in value:
            if names is not None and key not in names:
                import difflib

                near = difflib.get_close_matches(key, names, 1, 0.5)
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

    def _patterns(self, value: Any, pointer: Pointer) -> tuple[str, ...]:
        """Globs that are written as texts."""
        found = self._texts(value, pointer)
        for index, glob in enumerate(found):
            self._counted(glob, pointer if isinstance(value, str) else (*pointer, index))
        return found

    def _globs(self, value: dict[str, Any], pointer: Pointer) -> Iterator[tuple[str, Any]]:
        """The entries of a mapping whose keys are globs."""
        for glob, entry in value.items():
            self._counted(glob, (*pointer, glob), key=True)
            yield glob, entry

    def _counted(self, glob: str, pointer: Pointer, *, key: bool = False) -> None:
        """Every path is compared with every glob, so there are bounds on both."""
        self._number += 1
        self._characters += len(glob)
        if len(glob) > LONGEST:
            raise self._fail(pointer, f"a glob has at most {LONGEST} characters, and this one has {len(glob)}", key=key)
        if self._number > MOST:
            raise self._fail(pointer, f"a configuration has at most {MOST} globs, and this is one more", key=key)
        if self._characters > MOST_CHARACTERS:
            told = f"the globs of a configuration have at most {MOST_CHARACTERS} characters together"
            raise self._fail(pointer, f"{told}, and with this one they have {self._characters}", key=key)

    def _paths(self, value: Any, pointer: Pointer) -> tuple[str, ...]:
        """Files of the repository, relative to the working directory; what lies outside of it is not read."""
        found = []
        root = Path(os.path.realpath(repository_root(self._path.parent.absolute())))
        for index, name in enumerate(self._texts(value, pointer)):
            place = pointer if isinstance(value, str) else (*pointer, index)
            full = self._path.parent / name
            try:
                inside = is_inside(os.path.realpath(full), root)
            except ValueError:
                inside = False
            if not inside or Path(name).is_absolute():
                raise self._fail(place, f'"{name}" is not a path within the repository; name it on the command line')
            found.append(os.path.relpath(full))
        return tuple(found)

    def _targets(self, value: Any) -> Iterator[Target]:
        for glob, inventory in self._globs(self._mapping(value, ("targets",)), ("targets",)):
            pointer = ("targets", glob)
            if isinstance(inventory, dict):
                files = self._mapping(inventory, pointer, ("files",)).get("files")
                yield Target(glob, self._paths(files, (*pointer, "files")))
            else:
                yield from (Target(glob, (path,)) for path in self._paths(inventory, pointer))

    def _baseline(self, value: Any) -> str | None:
        if value is None:
            return None
        if not isinstance(value, str):
            raise self._fail(("baseline",), "must be a text")
        return self._paths(value, ("baseline",))[0]

    def _severities(self, value: Any) -> Iterator[tuple[str, str]]:
        for code, level in self._mapping(value, ("severity",)).items():
            if level is False:
                level = "off"  # noqa: PLW2901 - YAML reads a bare off as false
            if level not in LEVELS:
                raise self._fail(("severity", code), f"must be one of {', '.join(LEVELS)}")
            if not code.strip(" ,"):
                raise self._fail(("severity", code), "names no rule", key=True)
            yield code, level

    def _per_path(self, value: Any) -> Iterator[PathIgnore]:
        for glob, entry in self._globs(self._mapping(value, ("per-path",)), ("per-path",)):
            pointer = ("per-path", glob)
            found = self._mapping(entry, pointer, ("ignore", "reason", "until"))
            reason, until = (self._text(found.get(key), (*pointer, key)) for key in ("reason", "until"))
            if "until" in found:
                from kubelint_gpu.findings.expiry import day_problem

                if day_problem(until):
                    raise self._fail((*pointer, "until"), "must be a day such as 2027-01-31")
            from kubelint_gpu.workspace.manifest import place_of

            place = place_of(self._document.source.path, self._document.locate(pointer, "key"))
            yield PathIgnore(glob, self._texts(found.get("ignore"), (*pointer, "ignore")), reason, until, place)

    def _charts(self, value: Any) -> Iterator[ChosenChart]:
        if value is None:
            return
        if not isinstance(value, list):
            raise self._fail(("charts",), "must be a list")
        if len(value) > MOST:
            raise self._fail(("charts",), f"a configuration names at most {MOST} renders of charts")
        for index, entry in enumerate(value):
            pointer = ("charts", index)
            found = self._mapping(entry, pointer, _CHART_KEYS)
            paths = self._paths(found.get("path"), (*pointer, "path"))
            if len(paths) != 1:
                raise self._fail(pointer, "must name one chart with path")
            if not is_file(os.path.join(paths[0], CHART)):  # noqa: PTH118 - text
                raise self._fail((*pointer, "path"), f"there is no {CHART} in {paths[0]}")
            names = {key: self._text(found.get(key), (*pointer, key)) for key in ("release", "namespace")}
            for key, name in names.items():
                if name and not is_release(name):
                    raise self._fail((*pointer, key), "must be a lowercase name such as serving")
            versions = self._texts(found.get("api-versions"), (*pointer, "api-versions"))
            kube_version, unit = (self._text(found.get(key), (*pointer, key)) for key in ("kube-version", "unit"))
            values = self._paths(found.get("values"), (*pointer, "values"))
            sets = tuple(self._sets(found.get("set"), (*pointer, "set")))
            release, namespace = names.values()
            yield ChosenChart(paths[0], release, namespace, values, sets, kube_version, versions, unit=unit)

    def _kinds(self, value: Any) -> Iterator[dict[str, Any]]:
        if value is not None:
            from kubelint_gpu.workspace.project.configuration_file import rows

            yield from rows(value, self._fail)

    def _sets(self, value: Any, pointer: Pointer) -> Iterator[tuple[str, str, Spot]]:
        """Single values, each with its path, its value as JSON, and its place."""
        for path, one in self._mapping(value, pointer).items():
            if not path.strip() or "=" in path:
                raise self._fail((*pointer, path), "must be a path of values such as resources.limits", key=True)
            place = Spot(self._document.source.path, self._document.locate((*pointer, path)))
            yield path, json.dumps(one, default=str), place

    def _text(self, value: Any, pointer: Pointer) -> str:
        if value is not None and not isinstance(value, str):
            raise self._fail(pointer, "must be a text")
        return value or ""

    def _units(self, value: Any) -> Iterator[tuple[str, tuple[str, ...]]]:
        for name, globs in self._mapping(value, ("units",)).items():
            yield name, self._patterns(globs, ("units", name))


def find(start: Path, within: Path | None = None) -> Path | None:
    """The nearest configuration upward from a folder, no further than the repository's root.

    Where there is no repository, it is looked for up to `within`, else in the folder alone.
    """
    root = repository_root(start)
    if within is not None and start.is_relative_to(within) and not (root / ".git").exists():
        root = within
    for folder in (start, *start.parents):
        if is_file(folder / NAME):
            return folder / NAME
        if folder == root:
            return None
    return None


def load(path: Path | None, store: Store | None = None) -> Configuration:
    """Read a configuration; what `store` has of one with these bytes is not parsed again.

    Raises:
        ConfigurationError: it cannot be read, or holds what it may not; with line, column and suggestion.
    """
    if path is None:
        return Configuration()
    shown = display_path(path, Path.cwd())
    try:
        data = read_named(path)
    except NotReadable as error:
        raise ConfigurationError(shown, None, str(error)) from None
    if store is not None:
        from kubelint_gpu.workspace.project.known_configurations import known_document

        known = known_document(store, shown, data)
        if known is not None:
            return configuration_of(known, path)
    return interpret(path, read(shown, data))


def interpret(path: Path, reading: Reading) -> Configuration:
    """A configuration from its text. Raises ConfigurationError if it holds what it may not."""
    for problem in reading.problems:
        raise ConfigurationError(problem.path, problem.span, problem.message)
    documents = [document for document in reading.documents if document.value is not None]
    if not documents:
        return Configuration(path=path)
    return configuration_of(documents[0], path)
