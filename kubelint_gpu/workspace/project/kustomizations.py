"""The kustomizations of a command line: finds and renders them, and separates them from plain files."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kubelint_gpu.documents import Reading
from kubelint_gpu.findings.finding import Finding, Place
from kubelint_gpu.kube.values.frozen import EMPTY
from kubelint_gpu.sources.checkout import is_file, is_folder, root_of
from kubelint_gpu.sources.files import display_path
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace.project.charts import HelmSettings, RenderedCharts, may_have_git_ops
from kubelint_gpu.workspace.project.fallback import Fallback, first_of_circle, unused_by_others

if TYPE_CHECKING:
    from kubelint_gpu.cache.store import Store
    from kubelint_gpu.sources.kustomize.files.survey import Survey
    from kubelint_gpu.sources.kustomize.rendering import Rendered, Renderer
    from kubelint_gpu.sources.kustomize.variables import Variables
    from kubelint_gpu.sources.render import ObjectOrigin, Rendition


NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")


class RenderSettings(Value):
    """How a run renders kustomizations: the program, its further flags, the time limit, and the stored renders.

    `helm` says how to render charts.
    """

    program: str | None = None
    flags: tuple[str, ...] = ()
    seconds: float = 60
    store: Store | None = None
    helm: HelmSettings = HelmSettings()

    def renderer(self) -> Renderer:
        """Return the renderer. Raises ProgramError if there is no program."""
        from kubelint_gpu.sources.kustomize.program import find_program
        from kubelint_gpu.sources.kustomize.rendering import Renderer
        from kubelint_gpu.sources.rendering_program import RenderTime

        program = find_program(self.program)
        if self.store is None:
            return Renderer(program, self.flags, RenderTime(self.seconds))
        from kubelint_gpu.cache.known_renders import StoredRenders

        return Renderer(program, self.flags, RenderTime(self.seconds), StoredRenders(self.store))


class Renders(Value):
    """The result of rendering.

    Attributes:
        rendered: the kustomizations that no other one uses, by path; then the charts, once for each choice of values.
        taken: real paths of files that belong to a render and are not checked alone.
        failure: why no kustomization can be rendered; empty if they can.
        unfilled: why no folder is built with the variables of Flux; empty if folders are.
        charts: the result of rendering charts.
        left_out: printed paths of kustomizations of `rendered` that were not tried, because all would take too long.
        defects: findings about kustomizations that a defect of this program kept from being read or rendered.
        followed: by file and document of a GitOps object, why its sources are not judged; empty if all are judged.
        sent: by folder, or by `path` of a render: the names of its target clusters in GitOps objects.
        context: renders that are not judged, with GitOps objects that give charts of the run their values.
    """

    rendered: tuple[Rendition, ...] = ()
    taken: frozenset[str] = frozenset()
    failure: str = ""
    unfilled: str = ""
    charts: RenderedCharts = RenderedCharts()
    left_out: frozenset[str] = frozenset()
    defects: tuple[Finding, ...] = ()
    followed: Mapping[tuple[str, int], str] = EMPTY
    sent: Mapping[str, tuple[tuple[str, ...], ...]] = EMPTY
    context: Renders | None = None

    @property
    def origins(self) -> dict[str, tuple[ObjectOrigin | None, ...]]:
        """By the path of a render, for each of its documents where its fields were written."""
        return {one.path: one.origins for one in self.rendered}

    def takes(self, path: str) -> bool:
        """Whether a file is judged as a part of a render."""
        return bool(self.taken) and os.path.realpath(path) in self.taken

    def takes_below(self, path: str) -> bool:
        """Whether a file, or any file below a folder, is judged as a part of a render."""
        real = os.path.realpath(path)
        return any(taken == real or taken.startswith(f"{real}{os.sep}") for taken in self.taken)

    def with_charts(self, charts: RenderedCharts) -> Renders:
        """Return the same renders with charts."""
        rendered, defects = (*self.rendered, *charts.rendered), (*self.defects, *charts.defects)
        return replace(self, rendered=rendered, taken=self.taken | charts.taken, defects=defects, charts=charts)

    @property
    def may_have_git_ops(self) -> bool:
        """Whether a rendered text might contain GitOps objects."""
        return any(may_have_git_ops(reading.text.encode(errors="replace")) for reading in self.readings)

    @property
    def readings(self) -> tuple[Reading, ...]:
        """The rendered texts."""
        return tuple(each.reading for each in self.rendered if each.reading is not None)


def render_all(
    paths: Sequence[str],
    files: Sequence[str],
    settings: RenderSettings,
    cwd: Path | None = None,
    *,
    users: Sequence[str] = (),
    wanted: frozenset[str] = frozenset(),
    filled: Mapping[str, Sequence[Variables]] = EMPTY,
    applied: Collection[str] = (),
    done: Sequence[Rendition] = (),
) -> Renders:
    """Render the kustomizations below the directories among `paths`; `files` are the collected files there.

    A kustomization that another one uses is rendered only as a part of that one, unless that one fails. `users` are
    real paths of further folders: they are rendered if they use a file of `wanted`, also real paths. A folder of
    `filled` is rendered once for each Kustomization of Flux, and in no other way. Folders of `applied` are rendered in
    any case. Those that are `done` are not rendered again.
    """
    cwd = cwd or Path.cwd()
    folders = sorted({*_folders(paths, files, cwd), *applied})
    if not folders and not users:
        return Renders()
    from kubelint_gpu.sources.rendering_program import ProgramError

    try:
        renderer = settings.renderer()
    except ProgramError as error:
        # a folder without a kustomization is judged as plain manifests
        needed = users or any(is_file(Path(folder, name)) for folder in folders for name in NAMES)
        return Renders(failure=str(error) if needed else "", unfilled=str(error))
    given = tuple(path for path in paths if is_folder(cwd / path))
    from kubelint_gpu.sources.kustomize.rendering import Rendered

    earlier = [one for one in done if isinstance(one, Rendered)]
    rendering = _Rendering(renderer, cwd, given, filled, earlier)
    more = [folder for folder in users if folder not in folders and rendering.takes_in(folder, wanted)]
    return rendering.build(sorted((*folders, *more)))


def _folders(paths: Sequence[str], files: Sequence[str], cwd: Path) -> Iterator[str]:
    """Yield the real paths of folders with a kustomization below the given directories."""
    named = {posixpath.normpath(path.replace(os.sep, "/")) for path in paths}
    parents = {posixpath.dirname(file) for file in files if posixpath.normpath(file) not in named}
    parents |= {path for path in named if is_folder(cwd / path)}
    for parent in parents:
        if any(is_file(cwd / parent / name) for name in NAMES):
            yield os.path.realpath(cwd / parent)


class _Rendering:
    """The kustomizations of one run, by the real path of their folder."""

    def __init__(
        self,
        renderer: Renderer,
        cwd: Path,
        given: Sequence[str] = (),
        filled: Mapping[str, Sequence[Variables]] = EMPTY,
        done: Sequence[Rendered] = (),
    ) -> None:
        self._filled = filled
        self._earlier = {
            (os.path.realpath(one.root / one.below), one.known.variables if one.known else None): one for one in done
        }
        self._renderer = renderer
        self._cwd = cwd
        self._wholes = [
            Path(os.path.realpath(path))
            for path in (cwd, *sorted((cwd / folder for folder in given), key=lambda path: len(path.parts)))
        ]
        self._done: dict[str, Rendered] = {}
        self._surveys: dict[str, tuple[Path, Survey]] = {}
        self._defects: list[Finding] = []

    def build(self, folders: Sequence[str]) -> Renders:
        """Render the kustomizations that no other one uses; if one of them fails, also those that it uses."""
        components: set[str] = set()
        uses: dict[str, set[str]] = {}
        for folder in folders:
            if not self._survey(folder)[1].kustomizations:
                # its file cannot be read, or is a link that leads out of the repository
                continue
            uses[folder], is_component = self._uses(folder)
            if is_component:
                components.add(folder)
        done: set[str] = set()
        fallback = Fallback(self._renderer.time.seconds)
        todo = unused_by_others(uses, components) or first_of_circle(uses, components, done)
        todo = sorted({*todo, *(folder for folder in self._filled if folder in uses)})
        while todo:
            for batch in fallback.batches(todo, self._cost) if done else (todo,):
                self._done.update(self._render(batch))
            done |= set(todo)
            failed = {folder for folder, result in self._done.items() if result.reading is None}
            left = {folder: used for folder, used in uses.items() if folder not in failed}
            todo = [folder for folder in unused_by_others(left, components) if folder not in done]
            todo = todo or first_of_circle(uses, components, done)
        self._leave_out(fallback, uses)
        rendered_all = tuple(self._done[folder] for folder in sorted(self._done))
        left_out = frozenset(self._done[folder].path for folder in fallback.left_out)
        taken = frozenset(self._taken(rendered_all))
        return Renders(rendered_all, taken, left_out=left_out, defects=tuple(self._defects))

    def takes_in(self, folder: str, wanted: frozenset[str]) -> bool:
        """Whether a kustomization uses one of these files, directly or through others."""
        root, survey = self._survey(folder)
        return any(os.path.realpath(root / path) in wanted for path in survey.files)

    def _survey(self, folder: str) -> tuple[Path, Survey]:
        from kubelint_gpu.sources.kustomize.files.survey import Survey
        from kubelint_gpu.sources.kustomize.files.surveyor import surveyed

        if folder not in self._surveys:
            root = root_of(Path(folder), self._wholes)
            below = Path(folder).relative_to(root).as_posix()
            below = "" if below == "." else below
            try:
                allowed, contents = self._renderer.allowed, self._renderer.contents
                deep = any(one.deep for one in self._filled.get(folder, ()))
                made = folder in self._filled
                _, survey = surveyed(root, below, str, allowed, contents=contents, for_flux=made, deep=deep)
            except Exception as error:  # noqa: BLE001 - an error in a kustomization must not hide the others
                self._tell(folder, "this kustomization is not looked at", error)
                survey = Survey(below, {}, {}, {}, frozenset(), ())
            self._surveys[folder] = root, survey
        return self._surveys[folder]

    def _tell(self, folder: str, what: str, error: Exception) -> None:
        from kubelint_gpu.findings.finding import defect

        self._defects.append(defect(Place(display_path(Path(folder), self._cwd), 1, 1, 1, 1), what, error))

    def _cost(self, folder: str) -> int:
        """Return the number of objects that Kustomize would render; 0 if it would not start."""
        survey = self._survey(folder)[1]
        return 0 if survey.obstacles else max(survey.objects, 1)

    def _leave_out(self, fallback: Fallback, uses: dict[str, set[str]]) -> None:
        """Report everything left out in one finding, at the place where the first failing user names it."""
        from kubelint_gpu.sources.kustomize.rendering import looked_at

        left_out = sorted(fallback.left_out)
        seen = {
            folder: looked_at(Path(folder), self._renderer, root=root_of(Path(folder), self._wholes), cwd=self._cwd)
            for folder in left_out
        }
        if not seen:
            return
        users = (self._done[key] for key in sorted(self._done) if left_out[0] in uses[key] and self._done[key].problems)
        user = next(users, None)
        # a component without a user is not tried, and cannot fail
        own = seen[left_out[0]]
        path, span = (user.problems[0].path, user.problems[0].span) if user else (own.shown(own.top.path), None)
        reason = fallback.obstacle(path, span, [each.path for each in seen.values()])
        self._done |= {folder: replace(each, problems=(reason,)) for folder, each in seen.items()}

    def _uses(self, folder: str) -> tuple[set[str], bool]:
        """Return the folders of the kustomizations that a kustomization uses, without its own folder."""
        root, survey = self._survey(folder)
        used = {os.path.realpath(root / path) for path in survey.kustomizations} - {folder}
        mine = survey.kustomizations.get(survey.root)
        return used, mine is not None and mine.is_component

    def _render(self, folders: Sequence[str]) -> dict[str, Rendered]:
        """Render the kustomizations of some folders. Several renders of one folder have keys with their difference."""
        from kubelint_gpu.sources.kustomize.rendering import looked_at, render
        from kubelint_gpu.sources.render import Obstacle
        from kubelint_gpu.workspace.project.progress import in_threads

        def rendered_job(job: tuple[str, str, Variables | None]) -> Rendered:
            _, folder, variables = job
            if (folder, variables) in self._earlier:
                return self._earlier[folder, variables]
            root = root_of(Path(folder), self._wholes)
            try:
                return render(Path(folder), self._renderer, root=root, cwd=self._cwd, variables=variables)
            except Exception as error:  # noqa: BLE001 - same
                self._tell(folder, "this kustomization is not rendered", error)
                seen = looked_at(Path(folder), self._renderer, root=root, cwd=self._cwd, variables=variables)
                return replace(seen, problems=(Obstacle(seen.shown(seen.top.path), None, "a defect, told above"),))

        jobs = [
            (f"{folder} with {variables.title}" if number and variables is not None else folder, folder, variables)
            for folder in folders
            for number, variables in enumerate(self._filled.get(folder, (None,)))
        ]
        rendered = in_threads("rendering", jobs, rendered_job, lambda job: display_path(Path(job[0]), self._cwd))
        return {job[0]: result for job, result in zip(jobs, rendered, strict=True)}

    def _taken(self, rendered: Sequence[Rendered]) -> Iterator[str]:
        """Yield the files that are judged as a part of a render; for a failed render, all but its resources."""
        for result in rendered:
            for path in result.survey.files:
                if result.reading is not None or path not in result.survey.resources:
                    yield os.path.realpath(result.root / path)
