"""Rendered objects, from any renderer, with the origin of each field."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from kubelint_gpu.documents import Document, Pointer, Reading, Role, Span
from kubelint_gpu.values import Value


class Spot(Value):
    """A range of a file; `path` is the path that findings print."""

    path: str
    span: Span


class RenderedObject(Value):
    """An object of a rendered text, and where its fields were written."""

    document: Document
    origin: ObjectOrigin


class Obstacle(Value):
    """Why a part is not rendered.

    Attributes:
        path: the file with the cause, as printed.
        span: the place in the file; None if no line can be named.
        message: one sentence.
        withheld: whether the renderer could do it but is not asked to, for example for a remote base or a plugin.
        help: commands that solve the problem.
    """

    path: str
    span: Span | None
    message: str
    withheld: bool = False
    help: tuple[str, ...] = ()


class Writer(Protocol):
    """The writer of a value."""

    def spot(self, role: Role = "value") -> Spot:
        """Return where the value stands."""


class TakenAway(Protocol):
    """Entries that one line removed from a mapping or list of a rendered object, and that did not come back."""

    @property
    def pointer(self) -> Pointer:
        """Return the mapping or list."""

    @property
    def writer(self) -> Writer:
        """Return the writer that removed the entries."""

    @property
    def entries(self) -> tuple[tuple[str | None, Any], ...]:
        """Return the removed entries, each with its key; None for elements of a list."""


class ObjectOrigin(Protocol):
    """The origin of one rendered object; answers are remembered."""

    @property
    def path(self) -> str:
        """Return the folder or file that was rendered, as printed."""

    @property
    def top(self) -> Spot:
        """Return the file that rendering begins with."""

    @property
    def namespace(self) -> str:
        """Return the namespace in which the object is applied if it names none; empty if unknown."""

    def spot(self, pointer: Pointer, role: Role = "value") -> Spot:
        """Return where a field was set last; an absent field stands at the key of its nearest present ancestor."""

    def told(self, path: str, line: int, column: int) -> tuple[bool, tuple[tuple[Spot, str], ...]]:
        """Return, for a place returned before, whether it is certain, and notes for further places."""

    def removals(self) -> Iterator[TakenAway]:
        """Yield the removed entries, in the order of the rendered text."""


class Top(Protocol):
    """The file that rendering begins with."""

    @property
    def reading(self) -> Reading:
        """Return its text."""

    @property
    def document(self) -> Document | None:
        """Return its parsed document; None if it cannot be read."""


class Rendition(Protocol):
    """A kustomization, or a chart with its values, rendered as far as possible."""

    @property
    def what(self) -> str:
        """Return the noun for it in messages: kustomization or chart."""

    @property
    def trouble(self) -> str:
        """Return how a message begins that names one of its problems."""

    @property
    def path(self) -> str:
        """Return the path that stands for the rendered text."""

    @property
    def folder(self) -> str:
        """Return the folder rendered, as printed."""

    @property
    def known_as(self) -> str:
        """Return the file that globs of the configuration match, as printed."""

    @property
    def root(self) -> Path:
        """Return the real root of the repository."""

    @property
    def top(self) -> Top:
        """Return the file that rendering begins with."""

    @property
    def problems(self) -> tuple[Obstacle, ...]:
        """Return why it could not be rendered; empty if it was."""

    @property
    def reading(self) -> Reading | None:
        """Return the rendered objects; None if there are none."""

    @property
    def origins(self) -> tuple[ObjectOrigin | None, ...]:
        """Return the origin of each rendered document; None for a document that is no object."""

    @property
    def sources(self) -> tuple[Reading, ...]:
        """Return the files read, the first one first."""

    @property
    def files(self) -> Iterable[str]:
        """Return the paths of the files read, below the root."""

    def as_in(self, root: Path, folder: Path) -> Rendition:
        """Return the same in another copy of the repository, where `folder` is the folder rendered.

        Raises:
            LookupError: the folder cannot be rendered.
        """

    def again(self, texts: Mapping[str, bytes]) -> Rendition:
        """Return the rendition with other texts for some files, by printed path; itself if it reads none of them."""
