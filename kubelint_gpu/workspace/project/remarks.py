"""Remarks on the judged files as a whole."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from kubelint_gpu.documents import items
from kubelint_gpu.groups import grouped
from kubelint_gpu.messages.display import visible
from kubelint_gpu.messages.wording import FEW, foremost, owner_name, owner_names
from kubelint_gpu.sources.checkout import is_chart, is_subchart
from kubelint_gpu.workspace.apply_order import unknown_hooks
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.project.gathering import Gathered


def remarks_on(gathered: Gathered, units: Sequence[ApplySet]) -> tuple[str, ...]:
    """Return sentences about the gathered files and about their units."""
    lost = f"Objects of other directories that affect these manifests may be missed: {gathered.unsearched}."
    return (
        *_without_helm(gathered),
        *_unrendered(gathered.unrendered),
        *_contradictory(units),
        *islice(_differing_classes(units), FEW),
        *_unknown_hooks(units),
        *([lost] if gathered.unsearched else ()),
    )


def _without_helm(gathered: Gathered) -> Iterator[str]:
    charts = [path for path in gathered.mine if is_chart(path) and not is_subchart(Path(os.path.realpath(path)).parent)]
    if gathered.built.charts_failure and charts:
        yield f"No workload of {foremost(charts)} is judged: {gathered.built.charts_failure}."


def _unrendered(paths: Sequence[str]) -> Iterator[str]:
    if paths:
        be, them, stands = ("is", "it", "it stands") if len(paths) == 1 else ("are", "them", "they stand")
        why = f"no kustomization around {them} or in git takes {them} in"
        yield f"{foremost(paths)} {be} judged as {stands}: {why}."


def _contradictory(units: Sequence[ApplySet]) -> Iterator[str]:
    """Yield a sentence for each of a few objects that do not count, or a single sentence for many."""
    objects = sorted({pair for unit in units for pair in unit.contradictory})
    if len(objects) > FEW:
        names = [name for name, _ in objects]
        yield f"{owner_names(names)} are declared differently in several files: none counts for other directories."
        return
    for name, paths in objects:
        none = "neither" if len(paths) == 2 else "none"
        yield f"{owner_name(name)} is declared differently in {foremost(paths)}: {none} counts for other directories."


def _differing_classes(units: Sequence[ApplySet]) -> Iterator[str]:
    """Yield a sentence for each class of one cluster that files of several units declare differently."""
    classes = units[0].beside.shared.every if len({unit.world for unit in units}) == 1 else ()
    found = grouped((f"{one.kind} {one.name}", one) for one in classes if one.kind != "Namespace")
    for name, group in sorted(found.items()):
        first, *others = ({**one.item.value, "metadata": None} for one in group)
        paths = sorted({one.path for one in group})
        if any(one != first for one in others) and not any(unit.beside.mine.issuperset(paths) for unit in units):
            yield f"{name} is declared differently in {foremost(paths)}: the last one counts for other directories."


def _unknown_hooks(units: Sequence[ApplySet]) -> Iterator[str]:
    """Yield a sentence for each event of hooks that nobody runs, with the objects that wait for it."""
    waiting: dict[str, list[str]] = {}
    readings = {reading.path or reading: reading for unit in units for reading in unit.readings}.values()
    for document in (document for reading in readings if "/hook" in reading.text for document in reading.documents):
        for item in items(document):
            for event in unknown_hooks(item.value):
                name = f"{item.value.get('kind')} {item.value['metadata'].get('name')}"
                waiting.setdefault(event, []).append(name)
    for event, names in sorted(waiting.items()):
        be = "is" if len(names) == 1 else "are"
        yield visible(f"{foremost(sorted(names))} {be} not judged: neither Helm nor Argo CD knows the hook {event}.")
