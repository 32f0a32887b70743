"""Rounds of rendering: what kustomizations and charts render may contain GitOps objects, which apply further ones."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from kubelint_gpu.groups import grouped
from kubelint_gpu.sources.checkout import repository_root
from kubelint_gpu.sources.files import SourceFile, display_path
from kubelint_gpu.sources.kustomize.variables import Variables
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.project.charts import ChosenChart
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
