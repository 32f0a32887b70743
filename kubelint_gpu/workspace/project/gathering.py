"""Gathers the files of a run as bytes before anything is parsed, so that a known run needs no more work."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from kubelint_gpu.messages.display import say, visible
from kubelint_gpu.sources.checkout import is_file, is_inside, way_out
from kubelint_gpu.sources.files import (
    SUFFIXES,
    TEMPLATE,
    Collected,
    Skipped,
    SourceError,
    SourceFile,
    collect,
    display_path,
)
from kubelint_gpu.sources.programs import keep_out
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace.project.charts import CHART, chart_folders, may_have_git_ops, render_charts
from kubelint_gpu.workspace.project.configuration import Configuration
from kubelint_gpu.workspace.project.files_beside import (
    Around,
    charts_above,
    class_files,
    decided_files,
    deciding_files,
    git_ops_files,
)
from kubelint_gpu.workspace.project.kustomizations import Renders, RenderSettings, render_all
from kubelint_gpu.workspace.project.targets import (
    Repository,
    decisive_files,
    in_kustomized_folder,
    kustomized_folders,
    named_files,
    rest_of,
)
from kubelint_gpu.workspace.project.worlds import complain

if TYPE_CHECKING:
    from kubelint_gpu.sources.commit import Commit
    from kubelint_gpu.workspace.project.git_ops.followed import GitOps

_INVENTORY = b"kind: ClusterInventory"


class Gathered(Value):
    """The files of a run.

    Attributes:
        settings: the configuration.
        repository: the files beside them.
        paths: the arguments of the call; the whole repository if an argument decides about all of it.
        decisive: the arguments that decide about the whole repository, which is therefore checked.
        named: the files among the arguments; None if an argument is a directory.
        mine: the requested files, as printed.
        files: the requested files and the others of their units, without rendered files and without the files that
            declare the cluster. They are in reverse order, so that each can be dropped when it is read.
        beside: files of other directories that declare classes which the manifests name.
        elsewhere: files of other directories with objects that affect the manifests.
        built: the kustomizations, rendered as `kustomize` says.
        pipe: the name of standard input if it is judged as it came; empty otherwise.
        commit: with `--hook`, the commit that is being made.
        errors: paths without any file.
        skipped: paths that were left out.
        unused: a file that declares a cluster although no cluster is given; empty if there is none.
        unrendered: the named files in the folder of a kustomization that no kustomization uses.
        unsearched: why not all other files were searched for objects that affect the manifests; empty if all were.
        decided: with `--hook`, and if files are named, further files with pods that these files decide about.
    """

    settings: Configuration
    repository: Repository
    paths: tuple[str, ...]
    decisive: tuple[str, ...]
    named: tuple[str, ...] | None
    mine: tuple[str, ...]
    files: list[SourceFile]
    beside: list[SourceFile]
    elsewhere: list[SourceFile]
    built: Renders
    kustomize: RenderSettings
    pipe: str
    commit: Commit | None
    errors: tuple[SourceError, ...]
    skipped: tuple[Skipped, ...]
    unused: str
    unrendered: tuple[str, ...] = ()
    unsearched: str = ""
    decided: tuple[str, ...] = ()

    def tell(self) -> None:
        """Print to standard error which files were not read, and why."""
        for error in self.errors:
            complain(error.path, error.message)
        if self.decisive and self.commit is not None:
            from kubelint_gpu.messages.wording import foremost, verb

            name = self.settings.baseline or ".kubelint-gpu-baseline.json"
            add = "" if self.settings.baseline else f" and add `baseline: {name}` to .kubelint-gpu.yaml"
            decide = (
                f"{foremost(self.decisive)} {verb('decide', len(self.decisive))} about all manifests: all are checked"
            )
            accept = f"To accept what is there, run `kubelint-gpu check --write-baseline {name}`{add}"
            say(visible(f"kubelint-gpu: {decide}. {accept}."), err=True)
        for skipped in self.skipped:
            if not (self.built.charts.failure and skipped.message == TEMPLATE):
                complain(skipped.path, f"left out: {skipped.message}")
        if self.unused:
            complain(self.unused, "declares a cluster that this run does not use: give it with --inventory")
        charts = any(rendition.what == "chart" for rendition in self.built.rendered) or self.built.charts.failure
        if self.kustomize.helm.flags and not charts:
            say(f"kubelint-gpu: no chart is rendered: {self.kustomize.helm.flags} has no effect", err=True)
        for what, failure in (("kustomizations", self.built.failure), ("charts", self.built.charts.failure)):
            if failure:
                say(f"kubelint-gpu: {what} are not rendered: {visible(failure)}", err=True)


def _neighbours(commit: Commit | None, offered: Sequence[SourceFile]) -> Iterator[str]:
    """Yield the tracked manifests in the directories of some files of a commit, without these files."""
    if commit is None:
        return
    root, read = Path(os.path.realpath(commit.root)), {os.path.realpath(file.path) for file in offered}
    folders = {Path(path).parent for path in read}
    for name in sorted(commit.tracked):
        path = root / name
        is_manifest = name.endswith(SUFFIXES) and not path.name.startswith(".")
        if is_manifest and path.parent in folders and str(path) not in read and is_file(path):
            yield display_path(path, Path.cwd())


def _rendered(
    paths: Sequence[str],
    offered: Sequence[SourceFile],
    beside: Sequence[SourceFile],
    settings: Configuration,
    renderer: RenderSettings,
    *,
    hook: bool,
) -> Renders:
    """Return the kustomizations and charts of a run, as GitOps objects in and beside its files apply them.

    Objects beside its files count for charts that the run names itself, and if it names a file with their values.
    """
    named, mine = named_files(paths) or (), [file.path for file in offered]
    around, wanted = kustomized_folders(named, tracked_only=hook), frozenset(map(os.path.realpath, named))
    given = {chart.folder for chart in settings.charts}
    chosen_users = {*charts_above(named, settings.charts)}
    asked = {*chosen_users, *chart_folders(paths, mine, Path.cwd())}
    chart_renders = partial(render_charts, paths, mine, renderer.helm, wanted=wanted)

    def render(said: GitOps | None, done: Renders) -> Renders:
        if said is None:
            charts = chart_renders(settings.charts, users=sorted(chosen_users))
            return render_all(paths, mine, renderer, users=around, wanted=wanted).with_charts(charts)
        others = [one for one in said.others if one.folder in asked or one.files & wanted]
        more = [chart for chart in (*said.charts, *others) if chart.folder not in given]
        users = sorted(chosen_users.union(chart.folder for chart in (*said.charts, *more)))
        chosen = (*settings.charts, *more)
        charts = chart_renders(chosen, users=users, done=done.charts.rendered)
        build = partial(render_all, settings=renderer, filled=said.by_folder)
        built = build(paths, mine, users=around, wanted=wanted, applied=said.built, done=done.rendered)
        context, homes = done.context, frozenset(one.home for one in others)
        if homes:
            folders = kustomized_folders(sorted(homes), tracked_only=hook)
            applied = [folder for folder in said.by_folder if any(is_inside(home, folder) for home in homes)]
            context = build([], [], users=folders, wanted=homes, applied=applied, done=(context or done).rendered)
        built = replace(built.with_charts(charts), sent=said.sent, context=context)
        return replace(built, followed=said.judged(charts.failure, built.unfilled))

    built = Renders()
    if not any(may_have_git_ops(file.data) for file in (*offered, *beside)):
        built = render(None, built)
        if not built.may_have_git_ops:
            return built
    from kubelint_gpu.workspace.project.git_ops.rounds import rendered_with_git_ops

    return rendered_with_git_ops(offered, beside, render, built)


def _with_stream(
    built: Renders, offered: Sequence[SourceFile], renderer: RenderSettings, settings: Configuration
) -> tuple[Renders, str, Sequence[SourceFile]]:
    """Return the renders with the chart that made standard input, if it is found, and then the files without that text.

    Between them comes the name of standard input if it is judged as it came; else an empty text.
    """
    stream = next((file.path for file in offered if not file.real), "")
    if not stream:
        return built, "", offered
    from kubelint_gpu.workspace.project.pipe.piped_objects import led_to_charts

    piped = led_to_charts(offered, renderer.helm, settings.charts)
    if piped is None:
        return built, stream, offered
    # the stream might contain objects that are already rendered
    others = (rendition for rendition in built.rendered if rendition.path != piped.path)
    kept = stream if piped.reading is None or piped.path == stream else ""
    left = offered if piped.reading is None else [file for file in offered if file.real]
    return replace(built, rendered=(*others, piped)), kept, left


def _offered(
    paths: Sequence[str], collected: Collected, *, hook: bool
) -> tuple[Sequence[str], Sequence[SourceFile], Commit | None]:
    """Return the paths without those that lead out of the checkout, their files, and with `hook` the commit."""
    if collected.errors:
        # what a link takes out of the checkout is not rendered either
        paths = [path for path in paths if path == "-" or way_out(path, Path.cwd()) is None]
    offered = tuple(sorted(collected.files, key=attrgetter("path")))
    if not hook:
        return paths, offered, None
    from kubelint_gpu.workspace.project.before import commit_in_the_making

    commit = commit_in_the_making(offered)
    return paths, tuple(file for file in offered if commit.holds(file.path)), commit


def gather(
    paths: Sequence[str],
    inventories: Sequence[str],
    *,
    configuration: Configuration | None = None,
    stdin_filename: str = "<stdin>",
    kustomize: RenderSettings | None = None,
    hook: bool = False,
) -> Gathered:
    """The files of a command line, the kustomizations below its directories rendered; in whatever order they are given.

    Where files are named, the kustomizations that take them in are rendered too.
    With `hook` the run sees what git is about to commit and nothing else.

    Raises:
        click.ClickException: there is no git repository for `hook`.
    """
    settings, renderer = configuration or Configuration(), kustomize or RenderSettings()
    keep_out(inventories)
    paths = sorted(paths)
    repository = Repository(settings, paths)
    decisive = decisive_files(paths, settings, inventories)
    if decisive:
        paths = [*paths, *rest_of(repository, paths)]
    collected = collect(paths, stdin=sys.stdin.buffer, stdin_filename=stdin_filename)
    paths, offered, commit = _offered(paths, collected, hook=hook)
    named, mine = named_files(paths), tuple(file.path for file in offered)
    decided, lost = decided_files(commit, offered, repository.root if named else None)
    members = collect((*repository.companions(mine), *_neighbours(commit, offered), *decided)).files
    given = inventories or settings.inventories
    declared = frozenset(map(os.path.realpath, given))
    if not decisive:
        # a named file is a manifest even if it also declares the cluster
        declared -= frozenset(map(os.path.realpath, paths))
    whole = os.path.realpath(repository.root) in map(os.path.realpath, paths)
    read = (*paths, *mine, *(file.path for file in members))
    around = Around(repository.root, read, declared, tracked_only=hook or whole)
    around.unsearched = lost
    beside = (*members, *git_ops_files((*offered, *members), around))
    built = _rendered(paths, offered, beside, settings, renderer, hook=hook)
    built, stream, offered = _with_stream(built, offered, renderer, settings)
    if built.charts.failure and named:
        # a chart that is not rendered is named by its own file
        heads = [display_path(Path(folder) / CHART, Path.cwd()) for folder in charts_above(named, settings.charts)]
        found = collect(sorted({*heads}.difference(mine))).files
        offered, mine = (*offered, *found), (*mine, *(file.path for file in found))
    files = [
        file
        for file in (*offered, *members)
        if not built.takes(file.path) and (file.real or os.path.realpath(file.path)) not in declared
    ]
    contents = [file.data for file in files] + [one.text.encode("utf-8", "replace") for one in built.readings]
    return Gathered(
        settings,
        repository,
        tuple(paths),
        decisive,
        named,
        mine,
        files[::-1],
        sorted(class_files(contents, around), key=attrgetter("path"), reverse=True),
        deciding_files(contents, around),
        built,
        renderer,
        stream,
        commit,
        collected.errors,
        tuple(skipped for skipped in collected.skipped if not built.takes_below(skipped.path)),
        next((file.path for file in offered if _INVENTORY in file.data and not given), ""),
        tuple(file.path for file in offered if _is_plain(file, built)) if named and not built.failure else (),
        "" if whole else around.unsearched,
        tuple(decided),
    )


def _is_plain(file: SourceFile, built: Renders) -> bool:
    """Whether a manifest is judged as it is although a kustomization seems to own its folder."""
    return b"kind:" in file.data and not built.takes(file.path) and in_kustomized_folder(file.path)
