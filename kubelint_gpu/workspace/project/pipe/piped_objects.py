"""What `helm template` wrote to standard input, led back to the chart of the repository that it was rendered from.

The chart is rendered once more. If that gives the same objects, the render takes the place of the stream.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.values.plain import mapping
from kubelint_gpu.messages.wording import counted
from kubelint_gpu.sources.checkout import is_subchart, repository_root, root_of
from kubelint_gpu.sources.helm.given_values import is_release
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.project.charts import CHART, render_charts
from kubelint_gpu.workspace.project.targets import files_called

if TYPE_CHECKING:
    from typing import TypeAlias

    from kubelint_gpu.documents import Document, Reading, Span
    from kubelint_gpu.sources.files import SourceFile
    from kubelint_gpu.sources.helm.chart_origin import ChartOrigin
    from kubelint_gpu.sources.helm.chart_render import RenderedChart
    from kubelint_gpu.sources.render import ObjectOrigin, Rendition, Spot
    from kubelint_gpu.workspace.project.charts import ChosenChart, HelmSettings
    from kubelint_gpu.workspace.project.pipe.piped_chart import PipedChart

    _Key: TypeAlias = tuple[str, str, str]

_COMMENT = b"# Source: "
_INSTANCE = ("app.kubernetes.io/instance", "release")
_DATA = ("ConfigMap", "Secret")
_MOST_RELEASES = 3
_UNNAMED = "release-name"
"""What Helm calls a release without a name."""


def led_to_charts(
    files: Sequence[SourceFile], settings: HelmSettings, chosen: Sequence[ChosenChart]
) -> Rendition | None:
    """Standard input as renders of the charts that its comments name; None if the repository has none of them.

    `chosen` says how the configuration renders charts.
    """
    stream = next((file for file in files if not file.real and _COMMENT in file.data), None)
    if stream is None:
        return None
    from kubelint_gpu.documents import read
    from kubelint_gpu.sources.files import SKIMMED
    from kubelint_gpu.sources.helm.sections import source_comment

    reading = read(stream.path, stream.data, skimmed=SKIMMED)
    comments = [source_comment(document) for document in reading.documents]
    names = [comment[0] if comment is not None else "" for comment in comments]
    folders = _folders({name.partition("/")[0] for name in names})
    if not folders or not any(names):
        return None
    rendered: list[RenderedChart] = []
    for chart, release in _ways(reading, names, settings, chosen, rendered):
        found = render_charts((), (), release, chart, users=folders)
        if found.failure:
            span = next(comment[1] for comment in comments if comment is not None)
            return _unled(stream.path, span, found.failure, Path(folders[0]))
        whole = next((one for one in found.rendered if _same(reading, one.reading)), None)
        if whole is not None:
            return whole
        rendered += found.rendered
    if not rendered:
        return None
    return _piped(reading, names, rendered, flagged=bool(settings.values or settings.sets))


def _folders(names: set[str]) -> list[str]:
    """Real paths of the charts with some names in the repository of the working directory."""
    from kubelint_gpu.documents import read
    from kubelint_gpu.sources.files import collect, display_path

    paths = {os.path.realpath(path) for path in files_called((CHART,), repository_root(Path.cwd()))}
    heads = [display_path(Path(path), Path.cwd()) for path in sorted(paths) if not is_subchart(Path(path).parent)]
    found = []
    for file in collect(heads).files if heads else ():
        values = [mapping(document.value) for document in read(file.path, file.data).documents[:1]]
        found += [str(Path(file.real).parent) for value in values if value.get("name") in names]
    return found


def _ways(
    reading: Reading,
    names: Sequence[str],
    settings: HelmSettings,
    chosen: Sequence[ChosenChart],
    rendered: Sequence[RenderedChart],
) -> Iterator[tuple[Sequence[ChosenChart], HelmSettings]]:
    """How the charts may have been rendered, the likeliest first; `rendered` grows by the renders of each way.

    The name of the release and its namespace are those of the flags, else those that the objects say. What the objects
    have where those of the renders have the name of their release might be the name, too.
    """
    if chosen:
        yield chosen, settings
    values = [mapping(document.value) for document in reading.documents]
    metas = [mapping(value.get("metadata")) for value in values]
    labels = [mapping(meta.get("labels")).get(key) for key in _INSTANCE for meta in metas]
    instances = [label for label in labels if isinstance(label, str) and is_release(label)]
    named = replace(settings, release=settings.release or (instances[0] if instances else _UNNAMED))
    yield (), named
    written = (meta.get("namespace") for meta in metas)
    spaces = Counter(space for space in written if isinstance(space, str) and is_release(space))
    if spaces and not settings.namespace:
        named = replace(named, namespace=spaces.most_common(1)[0][0])
        yield (), named
    if not settings.release:
        stream = list(zip(names, reading.documents, strict=True))
        found = Counter(name for chart in list(rendered) for name in _releases(stream, chart))
        for release, _ in found.most_common(_MOST_RELEASES):
            yield (), replace(named, release=release)


def _releases(stream: Sequence[tuple[str, Document]], chart: RenderedChart) -> Iterator[str]:
    """Yield names of releases with which a render would have the names and labels of the objects of a stream."""
    given = grouped((key[:2], document) for key, (document, _) in _given(chart))
    objects = grouped(((name, _name(document)[0]), document) for name, document in stream)
    for key, others in given.items():
        for other, document in zip(others, objects.get(key, ()), strict=False):
            mine, theirs = _names(document), _names(other)
            for label, text in theirs.items():
                head, release, tail = str(text).partition(chart.release.name)
                known = str(mine.get(label))
                inner = known.removeprefix(head).removesuffix(tail)
                # a chart may call an object like the release alone
                likely = (inner, known) if known == f"{head}{inner}{tail}" else (known,)
                yield from (name for name in likely if release and name != release and is_release(name))


def _names(document: Document) -> dict[str, Any]:
    """Return the name of an object, and its labels."""
    meta = mapping(mapping(document.value).get("metadata"))
    return {"": meta.get("name"), **mapping(meta.get("labels"))}


def _objects(reading: Reading | None) -> Counter[str]:
    """The objects of a text without the tests of a chart, which are not rendered."""
    values = [document.value for document in reading.documents] if reading is not None else []
    return Counter(_text(value) for value in values if value is not None and not _is_test(value))


def _lines(reading: Reading | None) -> Counter[str]:
    """What the objects hold, line by line: how much of it two texts share says how alike they are."""
    values = [document.value for document in reading.documents] if reading is not None else []
    return Counter(line for value in values for line in _text(value, 0).splitlines())


def _same(reading: Reading, other: Reading | None) -> bool:
    return not reading.problems and other is not None and _objects(reading) == _objects(other)


def _text(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, sort_keys=True, default=str, indent=indent)


def _is_test(value: Any) -> bool:
    notes = mapping(mapping(mapping(value).get("metadata")).get("annotations"))
    return str(notes.get("helm.sh/hook")).partition(",")[0].startswith("test")


def _unled(stream: str, span: Span, why: str, folder: Path) -> PipedChart:
    """The chart that the objects of a stream would lead to."""
    from kubelint_gpu.sources.files import display_path
    from kubelint_gpu.sources.helm.chart import chart_at
    from kubelint_gpu.sources.render import Obstacle
    from kubelint_gpu.workspace.project.pipe.piped_chart import PipedChart

    root = root_of(folder, [Path(os.path.realpath(Path.cwd()))])
    top = chart_at(root, folder.relative_to(root).as_posix(), Path.cwd()).top
    problem = Obstacle(stream, span, why, withheld=True)
    return PipedChart(stream, root, display_path(folder, Path.cwd()), top, (problem,))


def _piped(reading: Reading, names: Sequence[str], rendered: Sequence[RenderedChart], *, flagged: bool) -> PipedChart:
    """The stream with the renders that are most like it, one of each chart; if `flagged`, flags give them values."""
    from kubelint_gpu.sources.render import Obstacle
    from kubelint_gpu.workspace.project.pipe.piped_chart import PipedChart, PipedOrigin

    lines = _lines(reading)
    best: dict[str, RenderedChart] = {}
    for one in sorted(rendered, key=lambda chart: -(_lines(chart.reading) & lines).total()):
        best.setdefault(str(one.chart.value.get("name")), one)
    charts = tuple(best.values())
    given = {name: grouped((key[:2], pair) for key, pair in _given(chart)) for name, chart in best.items()}
    origins = tuple(
        _origin(document, name, best[chart], given[chart].get((name, _name(document)[0]), ()))
        if chart in best
        else None
        for document, name in zip(reading.documents, names, strict=True)
        for chart in (name.partition("/")[0],)
    )
    other = [
        document
        for document, origin in zip(reading.documents, origins, strict=True)
        if isinstance(origin, PipedOrigin) and _name(document)[0] not in _DATA
    ]
    problems = [one for chart in charts if flagged and chart.reading is None for one in chart.problems]
    if other and not problems:
        kind, name = _name(other[0])
        more = f" and {counted(len(other) - 1, 'other')}" if len(other) > 1 else ""
        who = f"{kind} {name}{more}"
        flags = "--values, --set, --release and --namespace"
        why = f"{who} came of other values or of another release, which {flags} of this command can name"
        problems.append(Obstacle(reading.path, other[0].locate(("kind",), "key"), why, withheld=True))
    first = charts[0]
    return PipedChart(reading.path, first.root, first.folder, first.top, tuple(problems), reading, charts, origins)


def _given(chart: RenderedChart) -> Iterator[tuple[_Key, tuple[Document, ChartOrigin]]]:
    """The objects of a render with their origins, by template, kind and name."""
    from kubelint_gpu.sources.helm.sections import source_comment

    for document, origin in zip(chart.reading.documents, chart.origins, strict=True) if chart.reading else ():
        comment = source_comment(document)
        if origin is not None and comment is not None:
            yield (comment[0], *_name(document)), (document, origin)


def _origin(
    document: Document, name: str, chart: RenderedChart, given: Sequence[tuple[Document, ChartOrigin]]
) -> ObjectOrigin | None:
    """Where an object of a template was written: as the chart says if it is among those `given` of its kind."""
    from kubelint_gpu.workspace.project.pipe.piped_chart import PipedOrigin

    same = next((origin for other, origin in given if other.value == document.value), None)
    template = _template(chart, name)
    if same is not None or template is None or not isinstance(document.value, dict):
        return same
    top = chart.top.document
    head = template if top is None else replace(template, path=top.source.path, span=top.locate(("name",)))
    alike = sorted(given, key=lambda pair: _name(pair[0]) != _name(document))
    return PipedOrigin(document, template, head, chart.path, next(iter(alike), None))


def _name(document: Document) -> tuple[str, str]:
    value = mapping(document.value)
    return str(value.get("kind")), str(mapping(value.get("metadata")).get("name"))


def _template(chart: RenderedChart, name: str) -> Spot | None:
    """The beginning of a template; None if the chart has no such file."""
    from kubelint_gpu.sources.render import Spot

    shown = chart.chart.shown(name.partition("/")[2])
    found = (one.source for one in chart.sources if one.source is not None and one.source.path == shown)
    return next((Spot(shown, source.span(0, 0)) for source in found), None)
