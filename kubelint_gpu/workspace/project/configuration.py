"""`.kubelint-gpu.yaml`: the nearest one upward, never merged with another; its paths and globs are relative to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import click
from msgspec import field

from kubelint_gpu.documents import SourceText, Span
from kubelint_gpu.findings.finding import Place
from kubelint_gpu.sources.files import display_path
from kubelint_gpu.values import Value
from kubelint_gpu.workspace.project.charts import ChosenChart

LONGEST = 1000
"""The most characters of a glob."""
MOST = 1000
"""The most globs of a configuration."""
MOST_CHARACTERS = 50_000
"""The most characters of all globs together: memory and time grow with them."""
NAME = ".kubelint-gpu.yaml"


@lru_cache(maxsize=2 * MOST)
def _expression(glob: str) -> str:
    from kubelint_gpu import linear

    text, at = "(?s)", 0
    while at < len(glob):
        if glob.startswith("**/", at):
            text, at = text + "(?:[^/]+/)*", at + 3
        elif glob.startswith("**", at):
            text, at = text + ".*", at + 2
        elif glob[at] == "*":
            text, at = text + "[^/]*", at + 1
        elif glob[at] == "?":
            text, at = text + "[^/]", at + 1
        else:
            text, at = text + linear.escaped(glob[at]), at + 1
    return text


def matches(path: str, glob: str) -> bool:
    """Whether a path with forward slashes matches a glob. A glob for a folder matches all files in it."""
    from kubelint_gpu import linear

    glob = glob.removeprefix("./")
    return linear.matches(_expression(glob), path) or linear.matches(_expression(glob.rstrip("/") + "/**"), path)


class ConfigurationError(click.ClickException):
    """The configuration cannot be used; `problem` says why, and `span` where, if that is known."""

    def __init__(self, path: str, span: Span | None, problem: str) -> None:
        where = f"{path}:{span.line}:{span.column}" if span else path
        super().__init__(f"{where}: {problem}")
        self.span = span
        self.problem = problem


class PathIgnore(Value):
    """Rules that are not reported for some files.

    Attributes:
        reason: the author's reason.
        until: the last day on which it holds, such as 2027-01-31; empty for no end.
        place: the place of its glob.
    """

    glob: str
    codes: tuple[str, ...]
    reason: str = ""
    until: str = ""
    place: Place = Place("", 1, 1, 1, 1)


class Target(Value):
    """A cluster of the repository: a glob of the files that go to it, and the files that declare it."""

    glob: str
    inventory: tuple[str, ...]


class Configuration(Value):
    """The settings of a repository.

    Attributes:
        path: the file, None without one.
        inventory: files that declare the cluster.
        targets: the clusters and their files, if there are several clusters.
        context: globs of manifests that are deployed beside the checked manifests.
        baseline: the file of accepted findings.
        select: rules that are reported; empty for all.
        ignore: rules that are not reported.
        severity: severities in place of the rules' own, by code; `off` switches a rule off.
        per_path: rules that are not reported for some files.
        charts: how charts are rendered, if their own files do not say it.
        kinds: further rows for the table of custom resources, in the form of `custom_workloads.json`.
        units: globs of files that are applied together, by name.
        lines: the line of each key.
        source: the text of the file.
    """

    path: Path | None = None
    inventory: tuple[str, ...] = ()
    targets: tuple[Target, ...] = ()
    context: tuple[str, ...] = ()
    baseline: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: dict[str, str] = field(default_factory=dict)
    per_path: tuple[PathIgnore, ...] = ()
    charts: tuple[ChosenChart, ...] = ()
    kinds: tuple[dict[str, Any], ...] = ()
    units: dict[str, tuple[str, ...]] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    source: SourceText | None = None

    @property
    def relative_path(self) -> str:
        """The file as it is printed; empty without one."""
        return display_path(self.path.absolute(), Path.cwd()) if self.path is not None else ""

    @property
    def inventories(self) -> tuple[str, ...]:
        """Every file that declares a cluster, each once."""
        return tuple(dict.fromkeys((*self.inventory, *(path for one in self.targets for path in one.inventory))))

    def clusters_of(self, *paths: str) -> tuple[tuple[str, ...], ...]:
        """What declares the clusters of a file: targets that match the first path with any, else the inventory."""
        seen = map(self.relative, paths)
        every = ([one.inventory for one in self.targets if matches(path, one.glob)] for path in seen)
        found = dict.fromkeys(next(filter(None, every), ()))
        return tuple(found) or ((self.inventory,) if self.inventory else ())

    def clusters_called(self, names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
        """What declares the clusters that have one of some names: targets whose glob is this very name."""
        return tuple(dict.fromkeys(one.inventory for one in self.targets if one.glob in names))

    def is_context(self, path: str) -> bool:
        """Whether a file is deployed beside those that are checked."""
        seen = self.relative(path) if self.context else ""
        return any(matches(seen, glob) for glob in self.context)

    def relative(self, path: str) -> str:
        """A path as the globs of this file see it."""
        folder = self.path.parent if self.path is not None else Path.cwd()
        return display_path(Path.cwd() / path, folder)

    def unit_of(self, path: str) -> str | None:
        """The unit that a file belongs to."""
        if not self.units:
            return None
        seen = self.relative(path)
        return next((name for name, globs in self.units.items() if any(matches(seen, glob) for glob in globs)), None)

    def ignores(self, path: str) -> Iterator[str]:
        """The codes and prefixes that are not reported for a file, today."""
        if self.per_path:
            from kubelint_gpu.findings.expiry import over, today

            seen, now = self.relative(path), today()
            for entry in self.per_path:
                if not over(entry.until, now) and matches(seen, entry.glob):
                    yield from entry.codes
