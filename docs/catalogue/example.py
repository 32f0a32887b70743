"""Runnable examples of rules: manifests with the inventory they need, and what their comments expect."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from kubelint_gpu.documents import Reading, encode, read
from kubelint_gpu.documents.editing import Edit, apply
from kubelint_gpu.engine.run import Outcome, check
from kubelint_gpu.findings.finding import Finding
from kubelint_gpu.inventory import load
from kubelint_gpu.sources.kustomize.program import Program
from kubelint_gpu.sources.kustomize.rendering import Renderer, render
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.manifest import Manifest, manifests

Kind = Literal["bad", "good", "fixed"]
INVENTORY = "inventory.yaml"
AGAINST = "against.yaml"
RENDERED = "rendered.yaml"
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
        """The manifest, or the folder of a kustomization, relative to the rule's folder."""
        return f"{self.kind}/{self.name}" if self.is_kustomization else f"{self.kind}/{self.name}.yaml"

    @property
    def is_kustomization(self) -> bool:
        """Whether it is a folder, to be rendered."""
        return (self.folder / self.kind / self.name).is_dir()

    @property
    def texts(self) -> tuple[str, ...]:
        """The files that it is made of, relative to the rule's folder."""
        if not self.is_kustomization:
            return (self.path,)
        found = sorted((self.folder / self.path).rglob("*.yaml"))
        return tuple(path.relative_to(self.folder).as_posix() for path in found)

    @property
    def inventory(self) -> str | None:
        """The inventory: its own, else the rule's; a fixed manifest shares that of the bad one."""
        kind = "bad" if self.kind == "fixed" else self.kind
        for path in (f"{kind}/{self.name}.{INVENTORY}", INVENTORY):
            if (self.folder / path).is_file():
                return path
        return None

    @property
    def against(self) -> str | None:
        """The manifest of what runs now; a fixed manifest shares that of the bad one."""
        path = f"{'bad' if self.kind == 'fixed' else self.kind}/{self.name}.{AGAINST}"
        return path if (self.folder / path).is_file() else None

    @property
    def rendered(self) -> str | None:
        """What Kustomize printed for it; None where it is no kustomization, or not one that can be built."""
        path = f"{self.path}.{RENDERED}"
        return path if (self.folder / path).is_file() else None

    @property
    def data(self) -> bytes:
        """The manifest's bytes."""
        return (self.folder / self.path).read_bytes()

    @property
    def command(self) -> str:
        """How a person runs it in the rule's folder."""
        inventory = f" --inventory {self.inventory}" if self.inventory else ""
        return f"kubelint-gpu check {self.path}{inventory}" + (f" --against {self.against}" if self.against else "")

    def __str__(self) -> str:
        """Its name in a test run."""
        return f"{self.folder.name}/{self.path}"


def examples(folder: Path, kind: Kind) -> tuple[Example, ...]:
    """The examples of a kind, in the order of names."""
    paths = sorted((folder / kind).glob("*.yaml"))
    beside = (f".{INVENTORY}", f".{AGAINST}", f".{RENDERED}")
    names = [path.stem for path in paths if not path.name.endswith(beside)]
    names += [path.parent.name for path in sorted((folder / kind).glob("*/kustomization.yaml"))]
    return tuple(Example(folder, kind, name) for name in names)


def expectations(example: Example) -> tuple[Expectation, ...]:
    """What the comments of an example announce, in the manifest and in its inventory.

    Raises:
        ValueError: a comment cannot be read.
    """
    paths = (*example.texts, example.inventory) if example.inventory else example.texts
    return tuple(found for path in paths for found in _announced(path, (example.folder / path).read_bytes()))


def unmarked(data: bytes) -> bytes:
    """A manifest without its announcements: line numbers and columns stay."""
    return _MARK.sub(b"", data)


def outcome(
    example: Example, data: bytes | None = None, *, marked: bool = True, beside: bytes = b"", declared: bytes = b""
) -> Outcome:
    """What the rules say of an example, or of other bytes in its place.

    `beside` are further manifests of the unit, `declared` are further objects of the cluster.
    """
    if data is None:
        data = b"" if example.is_kustomization else example.data
    return _outcome(example, data, marked=marked, beside=beside, declared=declared)


@lru_cache(maxsize=1024)
def _outcome(example: Example, data: bytes, *, marked: bool, beside: bytes, declared: bytes) -> Outcome:
    world = _world(example, marked=marked)
    if example.is_kustomization:
        return check((_rendered(example, world, marked=marked),), world)
    if declared:
        every = (*world.readings, read("declared.yaml", declared))
        inventory, errors = load(every)
        world = ClusterContext(inventory, every, errors)
    manifest = read(example.path, data if marked else unmarked(data))
    more = (read("beside.yaml", beside),) if beside else ()
    return check((ApplySet((manifest, *more), world, before=_before(example)),), world)


def readings(example: Example, *, marked: bool = True) -> tuple[Reading, ...]:
    """The texts of an example."""
    texts = ((path, (example.folder / path).read_bytes()) for path in example.texts)
    mine = (read(path, data if marked else unmarked(data)) for path, data in texts)
    return (*mine, *_world(example, marked=marked).readings)


def _rendered(example: Example, world: ClusterContext, *, marked: bool) -> ApplySet:
    """The example's kustomization, with what Kustomize printed for it where that is recorded beside it."""
    texts = {path: (example.folder / path).read_bytes() for path in example.texts}
    found = render(
        example.folder / example.path,
        Renderer(Program(("kustomize", "build"))),
        root=example.folder,
        cwd=example.folder,
        texts=texts if marked else {path: unmarked(data) for path, data in texts.items()},
        printed=(example.folder / example.rendered).read_bytes() if example.rendered else None,
    )
    return ApplySet((found.reading,) if found.reading is not None else (), world, rendered=(found,))


def fixed(example: Example) -> bytes | None:
    """A bad example after the verified fixes of its rule, safe ones first; None where there is none.

    Raises:
        AssertionError: fixes follow each other without an end.
    """
    if example.is_kustomization:
        return None
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
def _world_of(folder: Path, path: str, *, marked: bool) -> ClusterContext:
    data = (folder / path).read_bytes()
    found = (read(path, data if marked else unmarked(data)),)
    inventory, errors = load(found)
    return ClusterContext(inventory, found, errors)


def _before(example: Example) -> dict[str, Manifest]:
    if example.against is None:
        return {}
    found = manifests((read(example.against, (example.folder / example.against).read_bytes()),))
    return {manifest.object: manifest for manifest in found}


def _world(example: Example, *, marked: bool) -> ClusterContext:
    return _world_of(example.folder, example.inventory, marked=marked) if example.inventory else ClusterContext()


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
