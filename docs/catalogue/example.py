"""Runnable examples of rules: manifests with the inventory they need, and what their comments expect."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from kubelint_gpu.checks.finding import Finding
from kubelint_gpu.checks.run import Outcome, check
from kubelint_gpu.checks.unit import Unit
from kubelint_gpu.checks.world import World
from kubelint_gpu.documents import Reading, encode, read
from kubelint_gpu.documents.edits import Edit, apply
from kubelint_gpu.inventory import load

Kind = Literal["bad", "good", "fixed"]
INVENTORY = "inventory.yaml"
_MOST_FIXES = 10
_MARK = re.compile(rb"[ \t]*# (todo-)?expect: ([^\r\n]*)")
_ENTRY = re.compile(r'(?P<code>KLG\d{3})(?: col (?P<column>\d+))?(?: "(?P<part>[^"]*)")?')


@dataclass(frozen=True)
class Expectation:
    """A finding that a comment announces: its line, and what else the comment says of it."""

    path: str
    line: int
    code: str
    column: int | None = None
    part: str = ""
    todo: bool = False

    def meets(self, finding: Finding) -> bool:
        """Whether a finding is the announced one."""
        place = finding.place
        return (
            (finding.code, place.path, place.line) == (self.code, self.path, self.line)
            and self.column in (None, place.column)
            and self.part in finding.message
        )

    def __str__(self) -> str:
        """As a person would look for it."""
        column = f" column {self.column}" if self.column else ""
        return f"{self.code} at {self.path}:{self.line}{column}" + (f' with "{self.part}"' if self.part else "")


@dataclass(frozen=True, order=True)
class Example:
    """A manifest of a rule's folder; all paths in its findings are relative to that folder."""

    folder: Path
    kind: Kind
    name: str

    @property
    def code(self) -> str:
        """The rule."""
        return self.folder.name.partition("-")[0]

    @property
    def path(self) -> str:
        """The manifest, relative to the rule's folder."""
        return f"{self.kind}/{self.name}.yaml"

    @property
    def inventory(self) -> str | None:
        """The inventory: its own, else the rule's; a fixed manifest shares that of the bad one."""
        kind = "bad" if self.kind == "fixed" else self.kind
        for path in (f"{kind}/{self.name}.{INVENTORY}", INVENTORY):
            if (self.folder / path).is_file():
                return path
        return None

    @property
    def data(self) -> bytes:
        """The manifest's bytes."""
        return (self.folder / self.path).read_bytes()

    @property
    def command(self) -> str:
        """How a person runs it in the rule's folder."""
        return f"kubelint-gpu check {self.path}" + (f" --inventory {self.inventory}" if self.inventory else "")

    def __str__(self) -> str:
        """Its name in a test run."""
        return f"{self.folder.name}/{self.path}"


def examples(folder: Path, kind: Kind) -> tuple[Example, ...]:
    """The examples of a kind, in the order of names."""
    paths = sorted((folder / kind).glob("*.yaml"))
    return tuple(Example(folder, kind, path.stem) for path in paths if not path.name.endswith(f".{INVENTORY}"))


def expectations(example: Example) -> tuple[Expectation, ...]:
    """What the comments of an example announce, in the manifest and in its inventory.

    Raises:
        ValueError: a comment cannot be read.
    """
    paths = (example.path, example.inventory) if example.inventory else (example.path,)
    return tuple(found for path in paths for found in _announced(path, (example.folder / path).read_bytes()))


def unmarked(data: bytes) -> bytes:
    """A manifest without its announcements: line numbers and columns stay."""
    return _MARK.sub(b"", data)


@lru_cache(maxsize=1024)
def outcome(example: Example, data: bytes | None = None, *, marked: bool = True) -> Outcome:
    """What the rules say of an example, or of other bytes in its place."""
    found = example.data if data is None else data
    reading = read(example.path, found if marked else unmarked(found))
    world = _world(example, marked=marked)
    return check((Unit((reading,), world),), world)


def readings(example: Example, *, marked: bool = True) -> tuple[Reading, ...]:
    """The texts of an example."""
    data = example.data if marked else unmarked(example.data)
    return (read(example.path, data), *_world(example, marked=marked).readings)


def fixed(example: Example) -> bytes | None:
    """A bad example after the verified fixes of its rule, safe ones first; None where there is none.

    Raises:
        AssertionError: fixes follow each other without an end.
    """
    data = example.data
    for _ in range(_MOST_FIXES):
        after = _fixed_once(example, data)
        if after is None:
            return None if data == example.data else data
        data = after
    raise AssertionError(f"{example}: fixing does not come to an end")


def _fixed_once(example: Example, data: bytes) -> bytes | None:
    reading = read(example.path, data)
    for finding in outcome(example, data).findings:
        fixes = sorted((fix for fix in finding.fixes if fix.verified), key=lambda fix: fix.safety != "safe")
        if finding.code != example.code or not fixes or reading.source is None:
            continue
        edits = []
        for edit in fixes[0].edits:
            start = reading.source.line_starts[edit.place.line - 1] + edit.place.column - 1
            end = reading.source.line_starts[edit.place.end_line - 1] + edit.place.end_column - 1
            edits.append(Edit(edit.place.path, reading.source.span(start, end), edit.text))
        return encode(reading.source, apply(reading.source, edits))
    return None


@lru_cache(maxsize=256)
def _world_of(folder: Path, path: str, *, marked: bool) -> World:
    data = (folder / path).read_bytes()
    found = (read(path, data if marked else unmarked(data)),)
    inventory, errors = load(found)
    return World(inventory, found, errors)


def _world(example: Example, *, marked: bool) -> World:
    return _world_of(example.folder, example.inventory, marked=marked) if example.inventory else World()


def _announced(path: str, data: bytes) -> Iterator[Expectation]:
    for number, line in enumerate(data.replace(b"\r\n", b"\n").split(b"\n"), 1):
        for todo, text in _MARK.findall(line):
            yield from _entries(path, number, text.decode("utf-8", "replace").strip(), todo=bool(todo))


def _entries(path: str, line: int, text: str, *, todo: bool) -> Iterator[Expectation]:
    at = 0
    while True:
        found = _ENTRY.match(text, at)
        if found is None:
            raise ValueError(f"{path}:{line}: cannot read the expectation {text!r}")
        column = found["column"]
        yield Expectation(path, line, found["code"], int(column) if column else None, found["part"] or "", todo)
        at = found.end()
        if at == len(text):
            return
        if not text.startswith(", ", at):
            raise ValueError(f"{path}:{line}: expectations are separated by a comma and a space, not {text[at:]!r}")
        at += 2
