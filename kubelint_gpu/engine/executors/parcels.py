"""Units as bytes that contain everything that decides about them, and the work on them as a function of these bytes.

What several units share, for example their cluster, is sent separately and once.
"""

from __future__ import annotations

import copyreg
import io
import pickle
from collections.abc import Callable, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any, cast

from kubelint_gpu.documents import Reading
from kubelint_gpu.findings.catalogue import rules_folder
from kubelint_gpu.kube.kinds.custom_workload import declare_rows, further_rows
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.project.kept.known_configurations import KnownCluster
from kubelint_gpu.workspace.shared_objects import Beside, Deferred, SharedObjects

Task = tuple[ApplySet, int]
"""A unit, and the steps that may be spent on it."""


def travels(unit: ApplySet) -> bool:
    """Whether a unit can be sent as bytes that contain everything that decides about it.

    The findings of a file with problems depend on the folders above it, and renders are repaired by the Kustomize of
    the machine that rendered them.
    """
    return not unit.rendered and all(one.source is not None and not one.problems for one in unit.readings)


class Parcels:
    """Packs units for sending; `common` is what several of them need."""

    def __init__(self, units: Sequence[ApplySet]) -> None:
        needed = dict.fromkeys(one for unit in units for one in _needs(unit))
        self._numbers = {one: number for number, one in enumerate(needed)}
        self.common = _packed((further_rows(), tuple(needed)))

    def piece(self, work: Callable[[Task], Any], tasks: Sequence[Task]) -> bytes:
        """Pack the work on some of the units."""
        return _packed((work, [(self._outline(unit), steps) for unit, steps in tasks]))

    def _outline(self, unit: ApplySet) -> tuple[Any, ...]:
        numbers = tuple(self._numbers[one] for one in _needs(unit))
        before, followed = dict(unit.before), dict(unit.followed)
        return numbers, unit.beside.mine, unit.readings, before, unit.budget, unit.made, unit.gone, followed


def answers(common: bytes, piece: bytes) -> bytes:
    """Return the results of the work as bytes; only the arguments and this program decide them."""
    known, (work, tasks) = _opened(common), pickle.loads(piece)  # noqa: S301 - workers do what the scheduler says
    return pickle.dumps([work((_unit(known, outline), steps)) for outline, steps in tasks])


def identity() -> str:
    """A text that identifies the program: equal on two machines only if the programs are equal."""
    from kubelint_gpu.cache.program_identity import program_contents

    return program_contents((str(rules_folder()),))


def _needs(unit: ApplySet) -> tuple[Any, Any, Any]:
    return unit.world, unit.beside.shared, unit.context


def _unit(known: Sequence[Any], outline: tuple[Any, ...]) -> ApplySet:
    numbers, mine, readings, before, budget, made, gone, followed = outline
    world, shared, context = (known[number] for number in numbers)
    return ApplySet(readings, world, Beside(shared, mine), before, budget, (), context, made, gone, followed)


@lru_cache(maxsize=1)
def _opened(common: bytes) -> Sequence[Any]:
    rows, found = pickle.loads(common)  # noqa: S301 - same
    declare_rows(rows)
    return cast("Sequence[Any]", found)


def _packed(value: Any) -> bytes:
    written = io.BytesIO()
    pickler = pickle.Pickler(written, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = {**copyreg.dispatch_table, **_TABLE}
    pickler.dump(value)
    return written.getvalue()


def _world(full: bool, *parts: Any) -> ClusterContext:
    return ClusterContext(*parts, full=full)


def _world_parts(one: ClusterContext) -> tuple[Any, ...]:
    return _world, (one.full, one.inventory, one.readings, one.errors, one.name, one.what_if)


_TABLE: dict[type, Callable[[Any], tuple[Any, ...]]] = {
    MappingProxyType: lambda one: (MappingProxyType, (dict(one),)),
    ClusterContext: _world_parts,
    KnownCluster: _world_parts,
    SharedObjects: lambda one: (SharedObjects, (one.every, one.held)),
    Deferred: lambda one: (
        Reading,
        (one.documents, one.problems, one.source, one.hashes, one.unread, one.size),
    ),
}
"""How values are written that keep more than what they are made of."""
