"""Renders as they were in earlier files: GitOps objects give them the values and variables that they gave then."""

from __future__ import annotations

import os
from pathlib import Path

from kubelint_gpu.sources.files import collect
from kubelint_gpu.sources.helm.chart_render import RenderedChart
from kubelint_gpu.sources.kustomize.rendering import Rendered, render
from kubelint_gpu.sources.kustomize.variables import Variables
from kubelint_gpu.sources.render import Rendition
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.project.charts import ChosenChart, HelmSettings, released
from kubelint_gpu.workspace.project.git_ops.followed import GitOps, followed
from kubelint_gpu.workspace.project.git_ops.rounds import DEEPEST, told_apart
from kubelint_gpu.workspace.project.kustomizations import Renders


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
