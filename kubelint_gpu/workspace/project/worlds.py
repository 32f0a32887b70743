"""The clusters of a run: each is read once, when a unit goes to it, and changed by what-if options."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from kubelint_gpu.budget import NORMAL
from kubelint_gpu.messages.display import say, visible
from kubelint_gpu.options import option
from kubelint_gpu.sources.files import collect
from kubelint_gpu.values import Value
from kubelint_gpu.work import UsedUp, limited

if TYPE_CHECKING:
    from kubelint_gpu.cache.store import Store
    from kubelint_gpu.documents import Reading
    from kubelint_gpu.workspace.cluster_context import ClusterContext

Inventories = tuple[str, ...]


def complain(path: str, message: str) -> None:
    """Print one line to standard error."""
    say(f"kubelint-gpu: {visible(path)}: {visible(message)}", err=True)


class WhatIf(Value):
    """The differences from the declared cluster: patterns of removed nodes, and files with added nodes.

    With `full`, every node counts as full.
    """

    without: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    full: bool = False


def what_if_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options `--without-node` and `--add-node` to a command."""
    for decorate in (
        option("--add-node", "added", multiple=True, metavar="FILE", help="What if the nodes of FILE joined?"),
        option(
            "--without-node",
            "without",
            multiple=True,
            metavar="NAME",
            help="What if this node were gone? May be a pattern such as gpu-*; may be repeated. "
            "kubelint-gpu capacity tries each.",
        ),
    ):
        command = decorate(command)
    return command


class Worlds:
    """The clusters that were requested, by the files that declare them.

    `several` says that findings must name their cluster. `failed` says that some file was unreadable.
    """

    def __init__(self, what_if: WhatIf | None = None, *, several: bool = False, store: Store | None = None) -> None:
        self.failed = False
        self._store = store
        self._what_if = what_if or WhatIf()
        self._several = several
        self._read: dict[Inventories, ClusterContext] = {}

    def world(self, inventories: Inventories) -> ClusterContext:
        """Return the cluster that some files declare."""
        if inventories not in self._read:
            world, failed = read_world(inventories, self._what_if, named=self._several, store=self._store)
            self._read[inventories] = world
            self.failed = self.failed or failed
        return self._read[inventories]

    @property
    def all(self) -> tuple[ClusterContext, ...]:
        """The clusters that were read."""
        return tuple(self._read.values())


def read_world(
    paths: Sequence[str], what_if: WhatIf | None = None, *, named: bool = False, store: Store | None = None
) -> tuple[ClusterContext, bool]:
    """Return the inventory that some files declare, and whether a file was unreadable.

    An unchanged cluster is taken from `store` and not read again.

    Raises:
        click.UsageError: a node to remove does not exist.
    """
    from kubelint_gpu.workspace.cluster_context import ClusterContext
    from kubelint_gpu.workspace.project.known_configurations import KnownFiles

    what_if = what_if or WhatIf()
    if not paths and not what_if.added:
        if what_if.without:
            raise click.UsageError("--without-node takes nodes from an inventory, and none is declared")
        return ClusterContext(full=what_if.full), False
    from kubelint_gpu.inventory import Inventory, InventoryError, load

    collected = collect([*sorted(paths), *sorted(what_if.added)], stdin=sys.stdin.buffer)
    readings: tuple[Reading, ...] = ()
    plain = store if not (named or collected.errors or what_if.without) else None
    try:
        known = KnownFiles(plain)
        readings = tuple(known.read(file.path, file.data) for file in collected.files)
        stored = _known(plain, readings)
        if stored is not None:
            stored.what_if, stored.full = repr(what_if), what_if.full
            return stored, False
        inventory, errors = load(readings)
    except Exception as error:  # noqa: BLE001 - rules that need no cluster still run
        message = f"internal error: {type(error).__name__}: {str(error)[:200]}; please report it, with this inventory"
        inventory, errors = Inventory(), (InventoryError(collected.files[0].path, None, message),)
    missing = [InventoryError(error.path, None, error.message) for error in collected.errors]
    wrong = (*missing, *(() if missing and not readings else errors))
    if what_if.without:
        from kubelint_gpu.workspace.project.moved_pods import without_nodes

        names = [each.name for each in inventory.of_kind("Node")]
        changed = without_nodes(inventory, what_if.without)
        for pattern in changed.unmatched if not wrong else ():
            raise click.BadParameter(
                f'no node is called "{pattern}"{_near(pattern, names)}', param_hint="--without-node"
            )
        if len(changed.nodes) == len(names) and not wrong:
            raise click.UsageError("--without-node leaves no node of the inventory")
        from kubelint_gpu.workspace.project.moved_pods import with_moved_pods

        try:
            with limited(NORMAL.run, NORMAL.run):
                moved = with_moved_pods(inventory, changed.inventory, changed.nodes)
        except UsedUp:
            raise click.UsageError("--without-node: moving the pods takes too much work; name fewer nodes") from None
        inventory = moved.inventory
        complain("what if", f"without {len(changed.nodes)} of {len(names)} nodes{moved}")
    name = (inventory.name or (paths[0] if paths else "")) if named else ""
    world = ClusterContext(inventory, readings, wrong, name, repr(what_if), full=what_if.full)
    if plain is not None:
        from kubelint_gpu.workspace.project.known_configurations import keep_cluster

        keep_cluster(plain, world)
    return world, bool(missing)


def _known(store: Store | None, readings: Sequence[Reading]) -> ClusterContext | None:
    if store is None:
        return None
    from kubelint_gpu.inventory import load
    from kubelint_gpu.workspace.project.known_configurations import known_cluster

    return known_cluster(store, readings, lambda: load(readings, follows_schema=True)[0])


def tell_errors(world: ClusterContext) -> None:
    """Print the problems of the inventory to standard error, one line each."""
    for error in world.errors:
        where = f"{error.path}:{error.span.line}:{error.span.column}" if error.span else error.path
        complain(where, f"{error.severity}: {error.message}{'; ' + error.hint if error.hint else ''}")


def _near(pattern: str, names: Sequence[str]) -> str:
    import difflib

    near = difflib.get_close_matches(pattern, names, 1, 0.6)
    return f"; did you mean {near[0]}?" if near else ""
