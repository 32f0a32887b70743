"""A chart with its values, those of `--set` too, rendered as it would be installed."""

from __future__ import annotations

import json
import os
import posixpath
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec import field

from kubelint_gpu.documents import MAX_BYTES, Reading, read, source_text
from kubelint_gpu.patterns import pattern
from kubelint_gpu.sources.children import Ran
from kubelint_gpu.sources.files import SKIMMED, display_path
from kubelint_gpu.sources.helm.chart import SCHEMA, Chart, ChartFile, chart_at
from kubelint_gpu.sources.helm.chart_origin import ChartOrigin, origins_of
from kubelint_gpu.sources.helm.chart_values import (
    STEPS,
    ChartValues,
    ValuesPart,
    overlay,
    values_of_file,
    values_of_object,
)
from kubelint_gpu.sources.helm.given_values import GivenValues
from kubelint_gpu.sources.helm.helm_program import FLAG, Helm, Release, complaint, hooks_left_out, template
from kubelint_gpu.sources.helm.provenance import Provenance
from kubelint_gpu.sources.programs import keep_out
from kubelint_gpu.sources.render import Obstacle, Spot
from kubelint_gpu.sources.rendering_program import MOST_OUTPUT, ProgramError, RenderTime
from kubelint_gpu.values import Value, replace


class ChartRenderer(Value):
    """How charts are rendered: the Helm program, and its limit of time."""

    helm: Helm
    time: RenderTime = field(default_factory=lambda: RenderTime(flag=FLAG))


class RenderedChart(Value, eq=False):
    """One chart with one choice of values, rendered.

    Attributes:
        chart: the files of the chart.
        release: the flags of `helm template`.
        values: further values, in increasing precedence.
        renderer: the Helm program, and its limit of time.
        problems: why the chart could not be rendered, or which parts were not.
        reading: the rendered objects, None if there are none.
        origins: for each rendered document the origin of its fields; None for a document that is no object.
        texts: replacements of files on disk, by path below the root.
        title: what distinguishes this render from others of the same chart; empty if there is only one.
        path_of_object: the file of the GitOps object that gives the values, below the root; empty if there is none.
    """

    chart: Chart
    release: Release
    values: tuple[GivenValues, ...]
    renderer: ChartRenderer
    problems: tuple[Obstacle, ...] = ()
    reading: Reading | None = None
    origins: tuple[ChartOrigin | None, ...] = ()
    texts: Mapping[str, bytes] = MappingProxyType({})
    title: str = ""
    path_of_object: str = ""

    @property
    def what(self) -> str:
        """Return the noun for it in messages."""
        return "chart"

    @property
    def trouble(self) -> str:
        """Return how a message begins that names one of its problems."""
        return f"the chart is {'not rendered' if self.reading is None else 'rendered in part'}"

    @property
    def root(self) -> Path:
        """The real root of the repository."""
        return self.chart.root

    @property
    def folder(self) -> str:
        """Return the folder of the chart, as printed."""
        return display_path(self.root / self.chart.folder, self.chart.cwd)

    @property
    def path(self) -> str:
        """Return the folder of the chart, with the title of the render if it has one, as printed."""
        return f"{self.folder} with {self.title}" if self.title else self.folder

    @property
    def known_as(self) -> str:
        """Return the file that globs of the configuration match: the last values file, the object, `Chart.yaml`."""
        last = self.values[-1] if self.values else None
        path = self.path_of_object if last is None or last.form != "file" else last.path
        return display_path(self.root / path, self.chart.cwd) if path else f"{self.folder}/Chart.yaml"

    @property
    def top(self) -> ChartFile:
        """Return `Chart.yaml`."""
        return self.chart.top

    @property
    def files(self) -> Iterable[str]:
        """Return the files read, by path below the root."""
        return dict.fromkeys((*self.chart.places.values(), *(one.path for one in self.values)))

    @property
    def sources(self) -> tuple[Reading, ...]:
        """Return `Chart.yaml`, then the values files, then the templates."""
        return (self.top.reading, *_own_values(self), *_given_readings(self).values(), *_templates(self))

    def as_in(self, root: Path, folder: Path) -> RenderedChart:
        """Return the same render in another copy of the repository, whose chart lies in `folder`.

        Raises:
            LookupError: the folder holds no chart.
        """
        if not (folder / "Chart.yaml").is_file() or any(not (root / one.path).is_file() for one in self.values):
            raise LookupError(f"there is no chart in {folder}, or not all of its values")
        chart = chart_at(root, folder.relative_to(root).as_posix(), root)
        return render(chart, self.release, self.values, self.renderer, title=self.title)

    def again(self, texts: Mapping[str, bytes]) -> RenderedChart:
        """Return the render with other texts for some files, by printed path; itself if it reads none of them."""
        below = {display_path(self.root / path, self.chart.cwd): path for path in self.files}
        mine = {below[path]: data for path, data in texts.items() if path in below}
        if not mine:
            return self
        both = {**self.texts, **mine}
        chart = chart_at(self.root, self.chart.folder, self.chart.cwd, both)
        return render(chart, self.release, self.values, self.renderer, texts=both, title=self.title)


def render(
    chart: Chart,
    release: Release,
    values: tuple[GivenValues, ...],
    renderer: ChartRenderer,
    *,
    texts: Mapping[str, bytes] = MappingProxyType({}),
    title: str = "",
) -> RenderedChart:
    """Render a chart with its own values and the `values` given.

    `texts` replace files on disk, by path below the root.
    """
    release = replace(release, name=release.name or chart.release)
    found = RenderedChart(chart, release, values, renderer, chart.problems, texts=texts, title=title)
    if not chart.files or any(not one.withheld for one in chart.problems):
        return found
    missing = [one.path for one in values if _data(found, one.path) is None]
    if missing:
        shown = display_path(chart.root / missing[0], chart.cwd)
        top = _top(found)
        problem = Obstacle(top.path, top.span, f"the file of values {shown} cannot be read")
        return replace(found, problems=(problem, *chart.problems))
    keep_out(chart.root / path for path in found.files)
    try:
        ran = _run(found)
    except (ProgramError, OSError) as error:
        top = _top(found)
        return replace(found, problems=(*chart.problems, Obstacle(top.path, top.span, f"{found.path}: {error}")))
    if ran.failed:
        refusal = complaint(ran.error, _templates(found), chart, _top(found), chart_values(found))
        return replace(found, problems=(refusal, *chart.problems))
    reading = read(found.path, ran.output, max_bytes=MOST_OUTPUT, skimmed=SKIMMED)
    return replace(
        found,
        problems=(*chart.problems, *hooks_left_out(ran.error, _templates(found), _top(found))),
        reading=reading,
        origins=origins_of(reading, _provenance(found, reading.text), found.path, release.namespace),
    )


def _provenance(found: RenderedChart, output: str) -> Provenance:
    texts = {path: _text(found, path) for path in sorted(found.chart.files) if _is_template(path)}
    templates = {path: source_text(found.chart.shown(path), text) for path, text in texts.items()}
    packed = [path for path in templates if found.chart.is_packed(path)]
    return Provenance(output, templates, chart_values(found), _Rerun(found), _top(found), packed)


class _Rerun(Value, eq=False):
    """Renders a chart again with other template texts, or with further values."""

    found: RenderedChart

    def __call__(self, texts: dict[str, str] | None, further: dict[str, Any] | None) -> str | None:
        """Return the output; None if rendering fails."""
        try:
            ran = _run(self.found, {path: text.encode() for path, text in (texts or {}).items()}, further)
        except (ProgramError, OSError):
            return None
        return None if ran.failed else ran.output.decode(errors="replace")


def _run(found: RenderedChart, texts: Mapping[str, bytes] | None = None, further: dict[str, Any] | None = None) -> Ran:
    """Run Helm on a copy of the chart."""
    with tempfile.TemporaryDirectory(prefix="kubelint-gpu-") as made:
        top = Path(os.path.realpath(made))
        home, tree, beside = top / "home", top / "chart", top / "values"
        for folder in (home, tree, beside):
            folder.mkdir()
        for path, data in {**found.chart.files, **(texts or {})}.items():
            # a schema and notes may refuse another value, and change nothing of what is printed
            if further is not None and path.endswith((SCHEMA, "NOTES.txt")) and b"{{- define" not in data:
                continue
            target = tree / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        files, release = [], found.release
        for number, (given, reading, part) in enumerate(_given_values(found)):
            files.append(beside / f"{number}.yaml")
            text = reading.text if given.form == "file" else _as_yaml(part.value)
            files[-1].write_text(text, encoding="utf-8", errors="replace")
        if further is not None:
            files.append(beside / "further.json")
            files[-1].write_text(_as_yaml(further), encoding="utf-8", errors="replace")
            release = without_values(release)
        return template(found.renderer.helm, tree, files, home, release, found.renderer.time)


def _as_yaml(value: object) -> str:
    """JSON without escapes of characters, which YAML does not read as JSON does."""
    return json.dumps(value, ensure_ascii=False, default=str)


def chart_values(found: RenderedChart) -> ChartValues:
    """Return the values that a chart is rendered with."""
    own = [
        values_of_file(reading, alias)
        for path, reading in zip(_own_paths(found), _own_values(found), strict=True)
        for alias in _aliases(found.chart, _prefix(path) or ()) or [_prefix(path) or ()]
    ]
    return ChartValues([*own, *(part for _, _, part in _given_values(found)), *values_of_flags(found.release)])


def _own_paths(found: RenderedChart) -> list[str]:
    """Return the values files below the chart: those of subcharts, the deepest first, then the chart's own."""
    every = [one for one in found.chart.files if posixpath.basename(one) == "values.yaml" and _prefix(one) is not None]
    return sorted(every, key=lambda one: (-one.count("/"), one))


def _own_values(found: RenderedChart) -> list[Reading]:
    return [read(found.chart.shown(path), found.chart.files[path]) for path in _own_paths(found)]


def _aliases(chart: Chart, prefix: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the aliases that the parent chart gives a subchart."""
    entries = chart.value.get("dependencies")
    if len(prefix) != 1 or not isinstance(entries, list):
        return []
    mine = [one for one in entries if isinstance(one, dict) and one.get("name") == prefix[0]]
    return [(alias,) for one in mine if isinstance(alias := one.get("alias") or one.get("name"), str)]


def _prefix(path: str) -> tuple[str, ...] | None:
    """Return the names of the subcharts on the path of a values file; None if it belongs to no subchart."""
    parts = path.split("/")[:-1]
    if len(parts) % 2 or any(part != "charts" for part in parts[::2]):
        return None
    return tuple(parts[1::2])


def _given_readings(found: RenderedChart) -> dict[str, Reading]:
    """Return the files with given values, by path below the root; unreadable files are empty."""
    readings = {}
    for path in dict.fromkeys(one.path for one in found.values):
        readings[path] = read(display_path(found.root / path, found.chart.cwd), _data(found, path) or b"")
    return readings


def _data(found: RenderedChart, path: str) -> bytes | None:
    """Return the contents of a values file, by its path below the root; None if it cannot be read."""
    data = found.texts.get(path)
    if data is None:
        data = found.chart.files.get(posixpath.relpath(path, found.chart.folder or "."))
    if data is not None:
        return data
    try:
        with (found.root / path).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError:
        return None


def _given_values(found: RenderedChart) -> list[tuple[GivenValues, Reading, ValuesPart]]:
    """Return the given values, each with its file."""
    readings = _given_readings(found)
    return [
        (one, reading, values_of_file(reading) if one.form == "file" else values_of_object(reading, one))
        for one in found.values
        for reading in (readings[one.path],)
    ]


def _is_template(path: str) -> bool:
    return "templates" in path.split("/")[:-1]


def _templates(found: RenderedChart) -> list[Reading]:
    """Return the chart's templates that lie unpacked in the repository."""
    mine = [path for path in sorted(found.chart.files) if _is_template(path) and not found.chart.is_packed(path)]
    return [Reading((), (), source_text(found.chart.shown(path), _text(found, path))) for path in mine]


def _text(found: RenderedChart, path: str) -> str:
    return found.chart.files[path].decode(errors="replace")


def _top(found: RenderedChart) -> Spot:
    reading, document = found.top.reading, found.top.document
    if document is not None and reading.source is not None:
        return Spot(reading.source.path, document.locate(("name",)))
    source = reading.source or source_text(reading.path, "")
    return Spot(found.chart.shown("Chart.yaml"), source.span(0, 0))


_NAME = r"[^,=\[\]{}]+"
_JSON = pattern(rf"{_NAME}=.*", re.DOTALL)
_PAIRS = pattern(rf"{_NAME}=[^,={{}}\\]*(?:,{_NAME}=[^,={{}}\\]*)*")
_TYPED = pattern(r"true|false|null|0|-?[1-9]\d*")


def values_of_flags(release: Release) -> Iterator[ValuesPart]:
    """Yield the values of the flags of a release, in increasing precedence."""
    spots = release.json_spots or [None] * len(release.json_sets)
    for text, spot in zip(release.json_sets, spots, strict=True):
        if _JSON().fullmatch(text) is not None:
            yield _part("--set-json", text, spot)
    for text in release.sets:
        if _PAIRS().fullmatch(text) is not None:
            yield from (_part("--set", pair) for pair in text.split(","))


def without_values(release: Release) -> Release:
    """Return a release without the flags whose values `values_of_flags` yields."""
    sets = tuple(text for text in release.sets if _PAIRS().fullmatch(text) is None)
    json_sets = tuple(text for text in release.json_sets if _JSON().fullmatch(text) is None)
    return replace(release, sets=sets, json_sets=json_sets, json_spots=())


def _part(flag: str, pair: str, spot: Spot | None = None) -> ValuesPart:
    name, _, text = pair.partition("=")
    document = next((one for one in read("", text.encode(errors="replace")).documents), None)
    typed = flag != "--set" or _TYPED().fullmatch(text) is not None
    pointer = tuple(step.replace("\\.", ".") for step in STEPS().split(name))
    value = overlay({}, pointer, document.value if typed and document is not None else text)
    return ValuesPart("", value, flag=f"{flag} {name}", spot_of_flag=spot)
