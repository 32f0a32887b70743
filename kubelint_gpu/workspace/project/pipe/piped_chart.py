"""Objects that came through a pipe, some of them not as a chart of the repository gives them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from kubelint_gpu.documents import Document, Pointer, Reading, Role, value_at
from kubelint_gpu.sources.helm.chart import ChartFile
from kubelint_gpu.sources.helm.chart_origin import ChartOrigin
from kubelint_gpu.sources.helm.chart_render import RenderedChart
from kubelint_gpu.sources.render import ObjectOrigin, Obstacle, Spot, TakenAway
from kubelint_gpu.values import Value


class PipedChart(Value, eq=False):
    """A stream of objects with the charts that they come from.

    Attributes:
        stream: what standard input is called.
        root: the real root of the repository.
        folder: the first chart, as it is printed.
        top: its `Chart.yaml`.
        problems: why not all findings lead to values.
        reading: the objects; None if they are judged as they came.
        charts: the charts, rendered as like the stream as could be.
        origins: for each document where its fields were written; None if no chart is known to give it.
    """

    stream: str
    root: Path
    folder: str
    top: ChartFile
    problems: tuple[Obstacle, ...]
    reading: Reading | None = None
    charts: tuple[RenderedChart, ...] = ()
    origins: tuple[ObjectOrigin | None, ...] = ()

    @property
    def what(self) -> str:
        """What it is, in a message."""
        return "chart"

    @property
    def trouble(self) -> str:
        """What a message says before its problem."""
        return f"the findings of {self.stream} do not lead to values of the chart {self.folder}"

    @property
    def path(self) -> str:
        """What standard input is called."""
        return self.stream if self.reading is not None else f"{self.folder} of {self.stream}"

    @property
    def known_as(self) -> str:
        """The name by which globs of the configuration know it."""
        return self.path

    @property
    def sources(self) -> tuple[Reading, ...]:
        """The stream, and the files of the charts."""
        own = (self.reading,) if self.reading is not None else ()
        every = (*own, *(reading for chart in self.charts for reading in chart.sources))
        return tuple({reading.path: reading for reading in every}.values())

    @property
    def files(self) -> Iterable[str]:
        """Their paths below the root."""
        return dict.fromkeys(path for chart in self.charts for path in chart.files)

    def as_in(self, root: Path, folder: Path) -> PipedChart:
        """Nothing: nobody knows what would have come through the pipe.

        Raises:
            LookupError: always.
        """
        raise LookupError(f"{self.path} is not rendered again from {folder} below {root}")

    def again(self, texts: Mapping[str, bytes]) -> PipedChart:
        """The same: what came through the pipe does not depend on `texts`."""
        del texts
        return self


class PipedOrigin:
    """An object of a stream that its chart does not give just so: other values were used.

    A field that the most similar object of the chart has, too, leads to where that one was written. Any other one leads
    to the line of the template for it, or for the mapping that it stands in. `found` is that object with its origin.
    """

    namespace = ""

    def __init__(
        self, document: Document, template: Spot, top: Spot, path: str, found: tuple[Document, ChartOrigin] | None
    ) -> None:
        self.path = path
        self.top = top
        self._document = document
        self._template = template
        self._found = found

    def spot(self, pointer: Pointer, role: Role = "value") -> Spot:
        """Where a field was written, or its template."""
        if self._found is None:
            return self._template
        other, origin = self._found
        here = self._document.present(pointer), value_at(self._document.value, pointer)
        there = other.present(pointer), value_at(other.value, pointer)
        if here == there:
            return origin.spot(pointer, role)
        size = next(size for size in range(len(pointer), -1, -1) if other.present(pointer[:size]))
        return origin.template(pointer[:size])

    def told(self, path: str, line: int, column: int) -> tuple[bool, tuple[tuple[Spot, str], ...]]:
        """That a place is not certain, and where the object stands in the stream."""
        del path, line, column
        here = Spot(self._document.source.path, self._document.locate(("kind",), "key"))
        return False, ((here, "this object is not what the chart gives: other values were used"),)

    def removals(self) -> Iterator[TakenAway]:
        """Nothing: a template takes nothing away."""
        return iter(())
