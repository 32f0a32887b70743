"""Errors of the inventory."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.engine.api import ClusterContext, Diagnostic, Related, world_rule
from kubelint_gpu.workspace.manifest import place_of

_REST = "mend it; until then the rest is judged, and what this object may decide is possible instead of certain"


@world_rule("KLG601")
def inventory_invalid(world: ClusterContext) -> Iterator[Diagnostic]:
    """Yield the errors of the inventory; they are reported once for a run, not once for each unit.

    An error makes the run fail, and the inventory unusable unless it concerns one object; a warning does not.
    """
    for error in world.errors:
        fatal = error.severity == "error"
        yield Diagnostic(
            "KLG601",
            place_of(error.path, error.span),
            error.message,
            cause=error.message,
            severity=error.severity,
            certainty="certain",
            related=tuple(Related(place_of(path, span), message) for path, span, message in error.related),
            help=tuple(filter(None, (error.hint, _REST if error.of_object else ""))),
            fatal=fatal,
        )
