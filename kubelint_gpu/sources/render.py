"""What is rendered, whoever renders it: a text of objects, and where each field of them was written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from kubelint_gpu.documents import Document, Pointer, Reading, Role, Span
from kubelint_gpu.values import Value


class Spot(Value):
    """A range of a file; `path` is what findings print."""

    path: str
    span: Span


class Obstacle(Value):
    """Why something is not rendered.

    Attributes:
        path: the file that says so, as it is printed.
        span: where; None where there is no line to point at.
        message: one sentence.
        withheld: whether the renderer could do it and is not asked to: a remote base, a plugin.
        help: commands that mend it.
    """

    path: str
    span: Span | None
    message: str
    withheld: bool = False
    help: tuple[str, ...] = ()


class Writer(Protocol):
    """Who wrote a value."""

    def spot(self, role: Role = "value") -> Spot:
        """Where the value stands."""


class TakenAway(Protocol):
    """What one line took out of a mapping or list of a rendered object, and nobody put back."""

    @property
    def pointer(self) -> Pointer:
        """The mapping or list."""

    @property
    def writer(self) -> Writer:
        """Who took it out."""

    @property
    def entries(self) -> tuple[tuple[str | None, Any], ...]:
        """What it was, each with its key; None for elements of a list."""


class ObjectOrigin(Protocol):
    """One rendered object: where its fields were written. It remembers what it was asked."""

    @property
    def path(self) -> str:
        """What was rendered, as it is printed."""

    @property
    def top(self) -> Spot:
        """The file that rendering begins with."""

    @property
    def namespace(self) -> str:
        """Where it is applied if it does not say it itself; empty if nobody says it."""

    def spot(self, pointer: Pointer, role: Role = "value") -> Spot:
        """Where a field was set last; an absent one stands at the key of the nearest ancestor that is present."""

    def told(self, path: str, line: int, column: int) -> tuple[bool, tuple[tuple[Spot, str], ...]]:
        """Of a place that was answered: whether it is certain, and what to say at further places."""

    def removals(self) -> Iterator[TakenAway]:
        """What was taken out on the way, in the order of the rendered text."""


class Top(Protocol):
    """The file that rendering begins with."""

    @property
    def reading(self) -> Reading:
        """Its text."""

    @property
    def document(self) -> Document | None:
        """What it holds; None where it cannot be read."""


class Rendition(Protocol):
    """A kustomization or a chart with its values, rendered as far as that could be done."""

    @property
    def what(self) -> str:
        """What it is, in a message: kustomization or chart."""

    @property
    def trouble(self) -> str:
        """What a message says of it before its problem."""

    @property
    def path(self) -> str:
        """What stands for the rendered text where a path is printed."""

    @property
    def folder(self) -> str:
        """The folder that is rendered, as it is printed."""

    @property
    def known_as(self) -> str:
        """The file by which globs of the configuration know it, as it is printed."""

    @property
    def root(self) -> Path:
        """The real root of the repository."""

    @property
    def top(self) -> Top:
        """The file that rendering begins with."""

    @property
    def problems(self) -> tuple[Obstacle, ...]:
        """Why it could not be rendered; empty where it was."""

    @property
    def reading(self) -> Reading | None:
        """The rendered objects; None where there are none."""

    @property
    def origins(self) -> tuple[ObjectOrigin | None, ...]:
        """For each rendered document where its fields were written; None for what is no object."""

    @property
    def sources(self) -> tuple[Reading, ...]:
        """The files that it is made of, the first one first."""

    @property
    def files(self) -> Iterable[str]:
        """Their paths below the root."""

    def as_in(self, root: Path, folder: Path) -> Rendition:
        """The same as another copy of the repository has it, of which `folder` is what is rendered.

        Raises:
            LookupError: there is none in it.
        """

    def again(self, texts: Mapping[str, bytes]) -> Rendition:
        """The same with other texts for some files, by printed path; itself where none of them is its own."""
