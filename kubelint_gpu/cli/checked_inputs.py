"""What `check` reads: the units that it judges, and what they are compared with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kubelint_gpu.workspace.project.comparison import Comparison, comparison
from kubelint_gpu.workspace.project.gathering import Gathered
from kubelint_gpu.workspace.project.inputs import Inputs, inputs_of
from kubelint_gpu.workspace.project.shards import share
from kubelint_gpu.workspace.project.worlds import WhatIf

if TYPE_CHECKING:
    from kubelint_gpu.cache.store import Store


def inputs_for(
    gathered: Gathered, paths: Sequence[str], inventories: Sequence[str], options: dict[str, Any], store: Store | None
) -> tuple[Inputs, Comparison | None]:
    """The inputs of a run with the options of `check`, and what `--against` names."""
    past = comparison(options["against"], paths) if options["against"] is not None else None
    gathered.tell()
    inputs = inputs_of(
        gathered,
        inventories,
        what_if=WhatIf(options["without"], options["added"], full=options["assume"] == "full"),
        unit="all" if options["together"] else options["unit"],
        against=past,
        store=store,
    )
    if options["shard"] is not None:
        inputs = inputs.after(share(inputs.units, options["shard"]), failed=False)
    return inputs, past
