"""From a command line to units and a world."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import click

from kubelint_gpu.checks.manifest import Manifest, manifests
from kubelint_gpu.checks.unit import Unit
from kubelint_gpu.checks.world import World
from kubelint_gpu.documents import MAX_BYTES, Reading, read
from kubelint_gpu.report.display import visible
from kubelint_gpu.sources import collect
from kubelint_gpu.values import dataclass

_SHARED = frozenset(("PriorityClass", "StorageClass", "RuntimeClass", "Namespace"))


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a run reads; `failed` says that some path gave nothing."""

    units: tuple[Unit, ...]
    world: World
    readings: tuple[Reading, ...]
    failed: bool

    def after(self, units: tuple[Unit, ...], *, failed: bool) -> Inputs:
        """The same inputs with units that were changed."""
        readings = tuple(reading for unit in units for reading in unit.readings)
        return Inputs(units, self.world, readings, self.failed or failed)


def complain(path: str, message: str) -> None:
    """One line to standard error."""
    click.echo(f"kubelint-gpu: {visible(path)}: {visible(message)}", err=True)


def read_world(paths: Sequence[str]) -> tuple[World, bool]:
    """The inventory that some files declare, and whether a file of it could not be read at all."""
    if not paths:
        return World(), False
    from kubelint_gpu.inventory import InventoryError, load

    collected = collect(paths, stdin=sys.stdin.buffer)
    readings = tuple(read(file.path, file.data) for file in collected.files)
    inventory, errors = load(readings)
    missing = [InventoryError(error.path, None, error.message) for error in collected.errors]
    return World(inventory, readings, (*missing, *(() if missing and not readings else errors))), bool(missing)


def read_inputs(
    paths: Sequence[str],
    inventories: Sequence[str],
    *,
    together: bool = False,
    stdin_filename: str = "<stdin>",
    unit_of: Callable[[str], str | None] = lambda _path: None,
    against: str | None = None,
    apart: bool = False,
) -> Inputs:
    """Manifests and inventory of a run.

    Each file is a unit of its own, unless all are applied together or `unit_of` names a unit for it.
    With `apart` a file of the inventory that is merely found in a directory is no manifest.
    `against` is a path or a git revision that holds the manifests as they were.

    Raises:
        click.ClickException: `against` is neither.
    """
    world, failed = read_world(inventories)
    collected = collect(paths, stdin=sys.stdin.buffer, stdin_filename=stdin_filename)
    for error in collected.errors:
        complain(error.path, error.message)
    for skipped in collected.skipped:
        complain(skipped.path, f"left out: {skipped.message}")
    files = [file for file in collected.files if not apart or not _is_inventory(file.path, paths, world)]
    readings = tuple(read(file.path, file.data) for file in files)
    before = _before(against, [file.path for file in files]) if against is not None else {}
    units = tuple(_units(readings, world, lambda path: "" if together else unit_of(path), before))
    return Inputs(units, world, readings, failed or bool(collected.errors))


def _units(
    readings: Sequence[Reading],
    world: World,
    unit_of: Callable[[str], str | None],
    before: dict[str, dict[str, Manifest]],
) -> Iterator[Unit]:
    shared = [(found.path, found) for found in manifests(readings) if found.kind in _SHARED]
    groups: dict[tuple[bool, str], list[Reading]] = {}
    for reading in readings:
        name = unit_of(_path(reading))
        groups.setdefault((False, _path(reading)) if name is None else (True, name), []).append(reading)
    for members in groups.values():
        mine = {_path(reading) for reading in members}
        old: dict[str, Manifest] = dict(before.get("", {}))
        for path in sorted(mine):
            old |= before.get(path, {})
        yield Unit(members, world, [found for path, found in shared if path not in mine], old)


def _before(against: str, paths: Sequence[str]) -> dict[str, dict[str, Manifest]]:
    """The objects as they were, by file; those of a path that was given stand under the empty name."""
    if Path(against).exists():
        collected = collect([against])
        for error in collected.errors:
            complain(error.path, error.message)
        return {"": _by_object([read(file.path, file.data) for file in collected.files])}
    from kubelint_gpu.sources.revision import RevisionError, read_revision

    try:
        found = read_revision(against, [Path(path) for path in paths], max_bytes=MAX_BYTES)
    except RevisionError as error:
        raise click.ClickException(f"--against: {error}") from None
    return {path.as_posix(): _by_object([read(path.as_posix(), data)]) for path, data in found.items()}


def _is_inventory(path: str, paths: Sequence[str], world: World) -> bool:
    mine = os.path.realpath(path)
    named = {os.path.realpath(one) for one in paths}
    return mine not in named and mine in {os.path.realpath(_path(reading)) for reading in world.readings}


def _by_object(readings: Sequence[Reading]) -> dict[str, Manifest]:
    return {found.object: found for found in manifests(readings)}


def _path(reading: Reading) -> str:
    return reading.source.path if reading.source is not None else ""
