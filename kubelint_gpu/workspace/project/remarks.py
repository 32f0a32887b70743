"""Remarks on the judged files as a whole."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from operator import itemgetter
from pathlib import Path

from kubelint_gpu.documents import items
from kubelint_gpu.groups import grouped
from kubelint_gpu.inventory.gpus.gpu_models import is_accelerator
from kubelint_gpu.kube.kinds.by_shape import gpu_requests
from kubelint_gpu.kube.kinds.custom_strategy import canary_targets
from kubelint_gpu.kube.kinds.custom_workload import row_of
from kubelint_gpu.messages.display import visible
from kubelint_gpu.messages.wording import FEW, foremost, owner_name, owner_names
from kubelint_gpu.sources.checkout import is_chart, is_subchart, renders_nothing
from kubelint_gpu.workspace.apply_order import unknown_hooks
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.project.files_beside import missing_classes
from kubelint_gpu.workspace.project.gathering import Gathered
from kubelint_gpu.workspace.project.grouping import UnitChoice
from kubelint_gpu.workspace.shared_objects import outline


def remarks_on(gathered: Gathered, units: Sequence[ApplySet], unit: UnitChoice) -> tuple[str, ...]:
    """Return sentences about the gathered files and about their units; `unit` says how plain files make units."""
    lost = f"Objects of other directories that affect these manifests may be missed: {gathered.unsearched}."
    return (
        *_without_helm(gathered),
        *_unrendered(gathered.unrendered),
        *_uncounted(units),
        *islice(_differing_classes(units), FEW),
        *_divided(gathered, units, unit),
        *_unknown_hooks(units),
        *_canaries_alone(units, gathered.mine),
        *_unknown_changes(units),
        *([lost] if gathered.unsearched else ()),
    )


def _without_helm(gathered: Gathered) -> Iterator[str]:
    folders = ((path, Path(os.path.realpath(path)).parent) for path in gathered.mine if is_chart(path))
    charts = [path for path, folder in folders if not is_subchart(folder) and not renders_nothing(folder)]
    if gathered.built.charts.failure and charts:
        yield f"No workload of {foremost(charts)} is judged: {gathered.built.charts.failure}."


def _unrendered(paths: Sequence[str]) -> Iterator[str]:
    if paths:
        be, them, stands = ("is", "it", "it stands") if len(paths) == 1 else ("are", "them", "they stand")
        why = f"no kustomization around {them} or in git takes {them} in"
        yield f"{foremost(paths)} {be} judged as {stands}: {why}."


def _uncounted(units: Sequence[ApplySet]) -> Iterator[str]:
    """Yield a sentence for each of a few objects that do not count, or a single sentence for many of a kind."""
    contradictory = sorted({pair for unit in units for pair in unit.uncounted})
    if len(contradictory) > FEW:
        names = [name for name, _ in contradictory]
        yield f"{owner_names(names)} are declared differently in several files: none counts for other directories."
        contradictory = []
    for name, paths in contradictory:
        none = "neither" if len(paths) == 2 else "none"
        yield f"{owner_name(name)} is declared differently in {foremost(paths)}: {none} counts for other directories."


def _differing_classes(units: Sequence[ApplySet]) -> Iterator[str]:
    """Yield a sentence for each class that the units name and that several files of one cluster declare differently."""
    classes = units[0].beside.shared.every if len({unit.world for unit in units}) == 1 else ()
    found = grouped((f"{one.kind} {one.name}", one) for one in classes if one.kind != "Namespace")
    wanted = set().union(*(missing_classes(reading.text for reading in unit.readings) for unit in units))
    for name, group in sorted(found.items()):
        if group[0].name not in wanted or units[0].world.declared(group[0].kind, group[0].name) is not None:
            continue
        first, *others = ({**one.item.value, "metadata": None} for one in group)
        paths = {one.path for one in group}
        if any(one != first for one in others) and not any(unit.beside.mine.issuperset(paths) for unit in units):
            places = [f"{one.path}:{one.place(('metadata', 'name')).line}" for one in group]
            yield f"{name} is declared differently in {foremost(places)}: the last one counts for other files."


def _divided(gathered: Gathered, units: Sequence[ApplySet], unit: UnitChoice) -> Iterator[str]:
    """Yield a sentence about the objects that several files of a directory declare, so that these are no unit."""
    single = [each for each in units if len(each.readings) == 1 and not each.rendered and unit == "directory"]
    files = ((each.world, one) for each in single for one in each.readings if not gathered.settings.unit_of(one.path))
    declaring = grouped(
        ((world, Path(one.path).parent, name), one.path) for world, one in files for name in outline(one).objects
    )
    several = {
        name.replace("//", "/"): paths
        for (_, _, name), paths in sorted(declaring.items(), key=itemgetter(1))
        if len(paths) > 1
    }
    if several:
        be = "is" if len(several) == 1 else "are"
        where = foremost(sorted(set(chain.from_iterable(several.values()))))
        why = "each file of their directory is judged by itself"
        yield visible(f"{owner_names([*several])} {be} declared in {where}: {why}.")


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


def _canaries_alone(units: Sequence[ApplySet], mine: Sequence[str]) -> Iterator[str]:
    """Yield a sentence about the targets of Canaries in requested files and renders that no unit has."""
    if not any("flagger.app" in reading.text for unit in units for reading in unit.readings):
        return
    every = [manifest for unit in units for manifest in unit.manifests]
    read = {*mine, *(rendition.path for unit in units for rendition in unit.rendered)}
    targets = canary_targets(one.item.value for one in every if one.path in read)
    lone = sorted(targets.difference(f"{one.kind}/{one.namespace or 'default'}/{one.name}" for one in every))
    if lone:
        be = "is" if len(lone) == 1 else "are"
        yield visible(f"{owner_names(lone)} {be} not judged: a Canary rolls out what the checked files do not declare.")


def _unknown_changes(units: Sequence[ApplySet]) -> Iterator[str]:
    """Yield a sentence about custom resources whose pods are replaced in an unknown way, and have GPUs or a quota."""
    names = set[str]()
    for unit in units:
        for manifest in unit.manifests:
            row = row_of(manifest.item.value) or {"ends": True}
            if row["ends"] or row.get("update") or row.get("rollout", "none") == "none":
                continue
            has_quota = any(quota.meta.namespace == manifest.namespace for quota in unit.cluster.quotas)
            if has_quota or any(gpu_requests(manifest.item.value, is_accelerator)):
                names.add(manifest.object)
    if names:
        yield visible(f"How a change replaces the pods of {owner_names(sorted(names))} is not judged.")
