"""Remarks on the judged files as a whole."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from kubelint_gpu.documents import items
from kubelint_gpu.groups import grouped
from kubelint_gpu.inventory.gpus.gpu_models import is_accelerator
from kubelint_gpu.kube.kinds.by_shape import gpu_requests
from kubelint_gpu.kube.kinds.custom_strategy import canary_targets
from kubelint_gpu.kube.kinds.custom_workload import row_of
from kubelint_gpu.messages.display import visible
from kubelint_gpu.messages.wording import FEW, foremost, owner_name, owner_names
from kubelint_gpu.sources.checkout import is_chart, is_library, is_subchart
from kubelint_gpu.workspace.apply_order import unknown_hooks
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.project.files_beside import missing_classes
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
        *_canaries_alone(units, gathered.mine),
        *_unknown_changes(units),
        *([lost] if gathered.unsearched else ()),
    )


def _without_helm(gathered: Gathered) -> Iterator[str]:
    folders = ((path, Path(os.path.realpath(path)).parent) for path in gathered.mine if is_chart(path))
    charts = [path for path, folder in folders if not is_subchart(folder) and not is_library(folder)]
    if gathered.built.charts.failure and charts:
        yield f"No workload of {foremost(charts)} is judged: {gathered.built.charts.failure}."


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
    """Yield a sentence for each class that the units name and that several files of one cluster declare differently."""
    classes = units[0].beside.shared.every if len({unit.world for unit in units}) == 1 else ()
    found = grouped((f"{one.kind} {one.name}", one) for one in classes if one.kind != "Namespace")
    wanted = set().union(*(missing_classes(reading.text for reading in unit.readings) for unit in units))
    for name, group in sorted(found.items()):
        if group[0].name not in wanted or units[0].world.declared(group[0].kind, group[0].name) is not None:
            continue
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
