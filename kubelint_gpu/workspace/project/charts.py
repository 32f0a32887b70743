"""The Helm charts of a command line: collects them in its directories, and renders each with each choice of values."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from kubelint_gpu.findings.finding import Finding
from kubelint_gpu.kube.values.frozen import EMPTY
from kubelint_gpu.sources.checkout import is_chart, is_folder, is_inside, is_subchart, renders_nothing
from kubelint_gpu.sources.helm.given_values import GivenValues
from kubelint_gpu.sources.render import Spot
from kubelint_gpu.values import Value, replace

if TYPE_CHECKING:
    from kubelint_gpu.sources.helm.chart import Chart
    from kubelint_gpu.sources.helm.chart_render import ChartRenderer, RenderedChart
    from kubelint_gpu.sources.helm.helm_program import Release

    _Job: TypeAlias = tuple[Chart, "ChosenChart", tuple[GivenValues, ...], str]


CHART = "Chart.yaml"
_OWN = ("templates", "crds", "charts", CHART, "values.yaml", "values.schema.json")
_GIT_OPS = (b"argoproj.io", b"toolkit.fluxcd.io")


class ChosenChart(Value):
    """One way to render a chart: an entry of `charts:` of the configuration, or a GitOps object.

    Attributes:
        path: the folder of the chart, relative to the working directory.
        release: the name of the release; empty for the name of the chart.
        namespace: the namespace of the release.
        values: files of values, relative to the working directory.
        sets: single values, each with its path, its value as JSON, and the place where it is written.
        kube_version: the version of Kubernetes that templates see; empty for the usual one.
        api_versions: further versions of the API that templates see.
        given: values from a GitOps object, in place of `values`.
        title: the name of that object in messages.
        sent_to: its names for the target cluster: name and address.
        unit: the name of the unit that it belongs to; empty for a unit of its own.
        read_from: a file with parameters of that object, below the root of the repository; empty if there is none.
        path_of_object: the file of that object, below the root of the repository.
    """

    path: str
    release: str = ""
    namespace: str = ""
    values: tuple[str, ...] = ()
    sets: tuple[tuple[str, str, Spot], ...] = ()
    kube_version: str = ""
    api_versions: tuple[str, ...] = ()
    given: tuple[GivenValues, ...] = ()
    title: str = ""
    sent_to: tuple[str, ...] = ()
    unit: str = ""
    read_from: str = ""
    path_of_object: str = ""

    @property
    def shown(self) -> str:
        """Return the chart and the difference from its other renders, as printed."""
        return f"{self.path} with {self.title}" if self.title else self.path

    @property
    def folder(self) -> str:
        """The real path of the chart."""
        return os.path.realpath(self.path)

    @property
    def files(self) -> frozenset[str]:
        """The real paths of the files with its values."""
        given = filter(None, (*(values.path for values in self.given), self.read_from))
        return frozenset((*map(os.path.realpath, self.values), *map(self._real, given)))

    @property
    def home(self) -> str:
        """The real path of `path_of_object`."""
        return self._real(self.path_of_object)

    def _real(self, path: str) -> str:
        """Return the real path of a file below the root of the repository."""
        from kubelint_gpu.sources.checkout import repository_root

        return os.path.realpath(repository_root(Path(self.folder)) / path)


class HelmSettings(Value):
    """How a run renders charts.

    Attributes:
        program: the path of Helm; None for the first one on the PATH.
        seconds: how long rendering one chart may take.
        values: files of values, in place of those beside the charts.
        sets: single values, each in the form for `--set` of Helm.
        release: the name of the release.
        namespace: the namespace of the release.
    """

    program: str | None = None
    seconds: float = 60
    values: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    release: str = ""
    namespace: str = ""

    @property
    def flags(self) -> str:
        """The first flag that says how to render charts; empty if there is none."""
        given = {"--values": self.values, "--set": self.sets, "--release": self.release, "--namespace": self.namespace}
        return next((flag for flag, value in given.items() if value), "")


class RenderedCharts(Value):
    """The result of rendering charts.

    Attributes:
        rendered: the charts, once for each choice of values, by path.
        taken: real paths of files that belong to them and are not checked by themselves.
        failure: why no chart can be rendered; empty if charts can be rendered, or if there are none.
        defects: findings about charts that a defect of this program kept from being rendered.
        units: the names of the units that the configuration gives to renders, by path.
        written: printed paths of the files with single values of charts.
    """

    rendered: tuple[RenderedChart, ...] = ()
    taken: frozenset[str] = frozenset()
    failure: str = ""
    defects: tuple[Finding, ...] = ()
    units: Mapping[str, str] = EMPTY
    written: frozenset[str] = frozenset()

    @property
    def helm(self) -> str:
        """The version of the program that rendered the charts; empty if none were rendered."""
        made = next((one.renderer.helm for one in self.rendered if one.reading is not None), None)
        if made is None:
            return ""
        from kubelint_gpu.sources.helm.helm_program import version

        return version(made)


def may_have_git_ops(data: bytes) -> bool:
    """Whether a file might contain GitOps objects."""
    return any(group in data for group in _GIT_OPS)


def render_charts(
    paths: Sequence[str],
    files: Sequence[str],
    settings: HelmSettings,
    chosen: Sequence[ChosenChart] = (),
    *,
    users: Sequence[str] = (),
    wanted: frozenset[str] = frozenset(),
    done: Sequence[RenderedChart] = (),
) -> RenderedCharts:
    """Render the charts below the directories among `paths`; `files` are the collected files there.

    `users` are real paths of further charts. `chosen` says how to render charts. Other charts are rendered once with
    their own values, and once with each file beside them that has values for one environment. Those that are `done`
    are not rendered again. If all `wanted` files of charts are values of some renders, charts with such have no others.
    """
    from kubelint_gpu.sources.rendering_program import ProgramError

    cwd = Path.cwd()
    folders = sorted({*chart_folders(paths, files, cwd), *users})
    if not folders:
        return RenderedCharts()
    from kubelint_gpu.sources.helm.chart_render import ChartRenderer
    from kubelint_gpu.sources.helm.helm_program import FLAG, Helm, find_helm
    from kubelint_gpu.sources.rendering_program import RenderTime

    helm, failure = Helm(""), ""
    try:
        helm = find_helm(settings.program)
    except ProgramError as error:
        failure = str(error)
    renderer = ChartRenderer(helm, RenderTime(settings.seconds, FLAG))
    given = [path for path in paths if is_folder(cwd / path)]
    rendering = _ChartRendering(renderer, settings, chosen, cwd, given, done)
    return rendering.none(folders, failure) if failure else rendering.all(folders, wanted)


def released(chosen: ChosenChart, settings: HelmSettings) -> Release:
    """Return the release of a choice; the settings of the run count more."""
    from kubelint_gpu.sources.helm.helm_program import KUBE_VERSION, Release

    return Release(
        settings.release or chosen.release,
        settings.namespace or chosen.namespace or "default",
        settings.sets,
        tuple(f"{path}={text}" for path, text, _ in chosen.sets),
        chosen.kube_version or KUBE_VERSION,
        chosen.api_versions,
        tuple(spot for _, _, spot in chosen.sets),
    )


def chart_folders(paths: Sequence[str], files: Sequence[str], cwd: Path) -> Iterator[str]:
    """Yield the real paths of chart folders below the given directories."""
    named = {posixpath.normpath(path.replace(os.sep, "/")) for path in paths}
    for file in files:
        if is_chart(file) and posixpath.normpath(file) not in named:
            folder = Path(os.path.realpath(cwd / file)).parent
            if not is_subchart(folder):
                yield str(folder)


class _ChartRendering:
    """The charts of one run, by the real path of their folder."""

    def __init__(
        self,
        renderer: ChartRenderer,
        settings: HelmSettings,
        chosen: Sequence[ChosenChart],
        cwd: Path,
        given: Sequence[str],
        done: Sequence[RenderedChart],
    ) -> None:
        self._done = {(one.path, one.release, one.values): one for one in done}
        self._renderer = renderer
        self._settings = settings
        self._chosen = chosen
        self._cwd = cwd
        self._wholes = [Path(os.path.realpath(path)) for path in (cwd, *(cwd / path for path in given))]
        self._defects: list[Finding] = []
        self._libraries: list[Chart] = []

    def all(self, folders: Sequence[str], wanted: frozenset[str]) -> RenderedCharts:
        """Render each chart with each choice of values; `wanted` is that of `render_charts`."""
        from kubelint_gpu.workspace.project.progress import in_threads

        jobs = [job for folder in folders for job in self._jobs(folder)]
        others = {path for path in wanted if any(is_inside(path, folder) for folder in folders)}
        if not others.difference(*map(_values_of, jobs)):
            touched = {job[0].folder for job in jobs if wanted & _values_of(job)}
            jobs = [job for job in jobs if job[0].folder not in touched or wanted & _values_of(job)]
        results = in_threads("rendering", jobs, self._render, lambda job: job[0].shown("")) if jobs else []
        rendered = tuple(chart for chart in results if chart is not None)
        pairs = zip(jobs, results, strict=True)
        units = {chart.path: job[1].unit for job, chart in pairs if chart is not None and job[1].unit}
        made = (*((each.chart, each.values) for each in rendered), *((one, ()) for one in self._libraries))
        taken = frozenset(_taken(made))
        written = frozenset(spot.path for each in rendered for spot in each.release.json_spots)
        return RenderedCharts(rendered, taken, defects=tuple(self._defects), units=units, written=written)

    def none(self, folders: Sequence[str], failure: str) -> RenderedCharts:
        """Return why no chart is rendered, if one would be; their files are no manifests, but for `Chart.yaml`."""
        jobs = [job for folder in folders for job in self._jobs(folder)]
        made = (*((chart, values) for chart, _, values, _ in jobs), *((one, ()) for one in self._libraries))
        heads = {os.path.realpath(Path(folder, CHART)) for folder in folders if not renders_nothing(folder)}
        taken, why = frozenset(_taken(made)) - heads, failure if heads else ""
        return RenderedCharts(taken=taken, failure=why, defects=tuple(self._defects))

    def _jobs(self, folder: str) -> Iterator[_Job]:
        """Yield a chart with each way to render it: the values, and the title of the render."""
        from kubelint_gpu.sources.checkout import root_of
        from kubelint_gpu.sources.helm.chart import MOST_VARIANTS, chart_at
        from kubelint_gpu.sources.render import Obstacle

        root = root_of(Path(folder), self._wholes)
        below = Path(folder).relative_to(root).as_posix()
        below = "" if below == "." else below
        try:
            chart = chart_at(root, below, self._cwd)
        except Exception as error:  # noqa: BLE001 - an error in a chart must not hide the other charts
            self._tell(folder, error)
            return
        if chart.is_library:
            self._libraries.append(chart)
            return
        settings, plain = self._settings, ChosenChart("")
        if settings.values:
            yield chart, plain, *self._given(root, settings.values)
            return
        mine = [chosen for chosen in self._chosen if chosen.folder == folder]
        for chosen in mine:
            values, title = self._given(root, chosen.values)
            named = f"release {chosen.release}" if chosen.release and len(mine) > 1 else ""
            alike = sum(each.values == chosen.values for each in mine) > 1
            title = chosen.title or ", ".join(filter(None, (title, named if alike or not title else "")))
            yield chart, chosen, chosen.given or values, title
        if mine:
            return
        variants = chart.variants
        if len(variants) > MOST_VARIANTS:
            reason = f"of {len(variants)} files of values beside it only the first {MOST_VARIANTS} are rendered"
            chart = replace(chart, problems=(*chart.problems, Obstacle(chart.top.reading.path, None, reason, True)))
        yield chart, plain, (), ""
        for variant in variants[:MOST_VARIANTS]:
            yield chart, plain, (GivenValues(posixpath.join(below, variant)),), variant

    def _given(self, root: Path, paths: Sequence[str]) -> tuple[tuple[GivenValues, ...], str]:
        """Return files of values for printed paths, below the root or with real paths, and their names in messages."""
        reals = [Path(os.path.realpath(self._cwd / path)) for path in paths]
        below = (real.relative_to(root).as_posix() if real.is_relative_to(root) else str(real) for real in reals)
        return tuple(GivenValues(path) for path in below), ", ".join(paths)

    def _render(self, job: _Job) -> RenderedChart | None:
        from kubelint_gpu.sources.helm.chart_render import render

        chart, chosen, values, title = job
        release = released(chosen, self._settings)
        release = replace(release, name=release.name or chart.release)
        folder = chart.shown("")
        known = self._done.get((f"{folder} with {title}" if title else folder, release, values))
        try:
            made = known or render(chart, release, values, self._renderer, title=title)
            return replace(made, path_of_object=chosen.path_of_object)
        except Exception as error:  # noqa: BLE001 - same
            self._tell(str(chart.root / chart.folder), error)
            return None

    def _tell(self, folder: str, error: Exception) -> None:
        from kubelint_gpu.findings.finding import Place, defect
        from kubelint_gpu.sources.files import display_path

        place = Place(display_path(Path(folder), self._cwd), 1, 1, 1, 1)
        self._defects.append(defect(place, "this chart is not rendered", error))


def _values_of(job: _Job) -> set[str]:
    """Return the real paths of files that only this render of a chart reads; none if a GitOps object makes it."""
    chart, chosen, values, _ = job
    files = (os.path.realpath(chart.root / given.path) for given in values if not chosen.path_of_object)
    return {*files} - {os.path.realpath(chart.root / chart.folder / "values.yaml")}


def _taken(made: Iterable[tuple[Chart, Sequence[GivenValues]]]) -> Iterator[str]:
    """Yield the real paths of files that are judged as a part of charts with their values."""
    for chart, values in made:
        given = (one.path for one in values if one.form == "file")
        yield from (os.path.realpath(chart.root / path) for path in (*given, *_own(chart)))


def _own(chart: Chart) -> Iterator[str]:
    """Yield the files of a chart that are judged as a part of a render, by path below the root.

    Other files in its folder might not belong to it.
    """
    for inner, path in chart.places.items():
        if inner.split("/")[0] in _OWN or inner in chart.variants:
            yield path
