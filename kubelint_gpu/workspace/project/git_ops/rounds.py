"""Rounds of rendering, now and in earlier files: renders may contain GitOps objects, which apply further ones."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from kubelint_gpu.groups import grouped
from kubelint_gpu.sources.checkout import repository_root
from kubelint_gpu.sources.files import SourceFile, collect, display_path
from kubelint_gpu.sources.helm.chart_render import RenderedChart
from kubelint_gpu.sources.kustomize.rendering import Rendered, render
from kubelint_gpu.sources.kustomize.variables import Variables
from kubelint_gpu.sources.render import Rendition
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.project.charts import ChosenChart, HelmSettings, released
from kubelint_gpu.workspace.project.git_ops.followed import GitOps, followed
from kubelint_gpu.workspace.project.kustomizations import Renders

Chosen = TypeVar("Chosen", bound=ChosenChart | Variables)

DEEPEST = 5
_TOO_DEEP = f"it is the result of more than {DEEPEST} GitOps objects that apply each other"


def rendered_with_git_ops(
    offered: Sequence[SourceFile],
    beside: Sequence[SourceFile],
    render: Callable[[GitOps, Renders], Renders],
    built: Renders,
) -> Renders:
    """Return the renders of a run with the GitOps objects in and beside its files, and with those in renders.

    `render` is given the objects and the renders of the last round, at first `built`; it returns the next renders.
    """
    said = _followed_in(offered, beside, Renders())
    built = render(said, built)
    further = said
    for number in range(DEEPEST + 1):
        further = _followed_in(offered, beside, built) if built.may_have_git_ops or built.context else said
        if further == said or number == DEEPEST:
            break
        said, built = further, render(further, built)
    deeper = {key: why or _TOO_DEEP for key, why in further.followed.items() if key not in said.followed}
    return replace(built, followed={**built.followed, **deeper})


def _followed_in(offered: Sequence[SourceFile], beside: Sequence[SourceFile], built: Renders) -> GitOps:
    """Return the charts and folders that GitOps objects in and beside the offered files apply, and those in renders."""
    left, around = [file for file in beside if not built.takes(file.path)], built.context or Renders()
    own = {one.path for one in built.rendered}
    around = replace(around, rendered=tuple(one for one in around.rendered if one.path not in own))
    applied, elsewhere = followed(offered, beside, None, built), followed(left, offered, offered, around)
    own, held = {one.folder for one in applied.filled}, _folders_of(elsewhere.filled, offered)
    others = (one for one in elsewhere.filled if one.folder in held or one.folder not in own)
    every = (*applied.filled, *others)
    changed = {one.folder for one in every if one.fills}
    filled = tuple(told_apart(one for one in every if one.folder in changed))
    charts = tuple(told_apart((*applied.charts, *elsewhere.charts)))
    mine = {(one.folder, one.path_of_object) for one in applied.charts}
    shown = [(f"{display_path(Path(one.folder), Path.cwd())} with {one.title}", one.sent_to) for one in filled]
    shown += [(one.shown, one.sent_to) for one in charts]
    return replace(
        applied,
        charts=tuple(one for one in charts if (one.folder, one.path_of_object) in mine),
        others=tuple(one for one in charts if (one.folder, one.path_of_object) not in mine),
        filled=filled,
        followed={**elsewhere.followed, **applied.followed},
        with_charts=applied.with_charts | elsewhere.with_charts,
        with_variables=applied.with_variables | elsewhere.with_variables,
        sent={**elsewhere.sent, **applied.sent, **{path: (names,) for path, names in shown if names}},
        built=frozenset(one.folder for one in filled if one.folder in own | held),
    )


def told_apart(every: Iterable[Chosen]) -> Iterator[Chosen]:
    """Yield charts or folders, each with a unique title: equal names get the file, and a number in it."""
    for alike in grouped(((each.folder, each.title), each) for each in every).values():
        files = grouped((each.path_of_object, each) for each in alike)
        for path, mine in files.items():
            for number, each in enumerate(mine, 1):
                of = f" of {path}" if len(alike) > 1 else ""
                yield replace(each, title=f"{each.title}{of}{f', no. {number}' if len(mine) > 1 else ''}")


def _folders_of(variables: Sequence[Variables], files: Iterable[SourceFile]) -> set[str]:
    """Return the folders that are built with variables and contain one of some files, or take values from one."""
    paths = {os.path.realpath(file.path) for file in files} if variables else set()
    folders = set()
    for each in variables:
        root = repository_root(Path(each.folder))
        named = (each.path, each.read_from, *(source.path for source in each.sources))
        given = {str(root / path) for path in named if path}
        if given & paths or any(path.startswith(f"{each.folder}{os.sep}") for path in paths):
            folders.add(each.folder)
    return folders


def rendered_before(copy: Path, root: Path, built: Renders) -> dict[str, Rendition | None]:
    """Return the renders of a run in a `copy` of its repository with earlier files, by path; None if there was none.

    Each has the values that the GitOps objects of the copy give. A render that cannot be made there is left out.
    """
    (copy / ".git").mkdir(exist_ok=True)
    every = (*built.rendered, *(built.context.rendered if built.context else ()))
    with_objects = any(_object_of(one)[0] for one in every)
    files = collect([str(copy)]).files if with_objects else ()
    said, asked = GitOps(), dict[str, tuple[ChosenChart | Variables | None, Rendition | None]]()
    for _ in range(DEEPEST + 1):
        before = dict(asked)
        for rendition in every:
            path = rendition.path
            choice = _choice_of(rendition, said, copy / os.path.relpath(os.path.realpath(rendition.folder), root))
            if path not in built.left_out and (path not in before or before[path][0] != choice):
                try:
                    asked[path] = choice, _as_it_was(rendition, choice, copy, root)
                except (LookupError, ValueError, OSError):
                    asked.pop(path, None)
        olds = tuple(old for _, old in asked.values() if old is not None and old.reading is not None)
        surveyed = ((old, path) for old in olds if isinstance(old, Rendered) for path in old.survey.files)
        taken = frozenset(os.path.realpath(old.root / path) for old, path in surveyed)
        further = followed(files, (), None, Renders(olds, taken), copy) if files else said
        if further == said:
            break
        said = further
    return {path: old for path, (_, old) in asked.items()}


def _object_of(rendition: Rendition) -> tuple[str, str]:
    """Return the file and the title of the GitOps object of a render; empty if it has none."""
    if isinstance(rendition, RenderedChart):
        return rendition.path_of_object, rendition.title
    known = rendition.known if isinstance(rendition, Rendered) else None
    return (known.variables.path_of_object, known.variables.title) if known is not None else ("", "")


def _choice_of(rendition: Rendition, said: GitOps, folder: Path) -> ChosenChart | Variables | None:
    """Return how the object of a render applied its folder; None if no object did."""
    path, title = _object_of(rendition)
    applied: list[ChosenChart | Variables] = [*said.charts, *said.filled]
    every = [one for one in applied if path and one.folder == os.path.realpath(folder)]
    named = [one for one in every if title == one.title or title.startswith(f"{one.title} of ")]
    mine = [one for one in named if one.path_of_object == path] or named
    return mine[0] if len(mine) == 1 else next((one for one in told_apart(mine) if one.title == title), None)


def _as_it_was(
    rendition: Rendition, choice: ChosenChart | Variables | None, copy: Path, root: Path
) -> Rendition | None:
    """Return a render in a copy of its repository; None if its folder or its object was not there.

    Raises:
        LookupError: it cannot be made there, or it is not known how.
    """
    folder, path = copy / os.path.relpath(os.path.realpath(rendition.folder), root), _object_of(rendition)[0]
    if not os.path.lexists(folder) or (path and not os.path.lexists(copy / path)):
        return None
    if isinstance(rendition, RenderedChart) and isinstance(choice, ChosenChart):
        release = released(choice, HelmSettings(sets=rendition.release.sets))
        rendition = replace(rendition, values=choice.given, release=release)
    elif isinstance(rendition, Rendered) and isinstance(choice, Variables) and rendition.renderer is not None:
        return render(folder, rendition.renderer, root=copy, cwd=copy, variables=choice)
    elif path:
        raise LookupError(f"{path} did not apply {folder}")
    return rendition.as_in(copy, folder)
