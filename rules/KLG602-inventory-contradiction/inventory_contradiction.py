"""Contradictions in the inventory."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.engine.api import ClusterContext, Diagnostic, Related, world_rule
from kubelint_gpu.inventory import contradictions
from kubelint_gpu.workspace.manifest import place_of


@world_rule("KLG602")
def inventory_contradiction(world: ClusterContext) -> Iterator[Diagnostic]:
    """Yield declarations that are well-formed but contradict each other; once for a run."""
    if world.inventory is None or not world.usable:
        return
    for found in contradictions(world.inventory):
        yield Diagnostic(
            "KLG602",
            place_of(found.path, found.span),
            found.message,
            cause=found.message,
            related=tuple(Related(place_of(path, span), message) for path, span, message in found.related),
            help=(found.hint,) if found.hint else (),
        )
