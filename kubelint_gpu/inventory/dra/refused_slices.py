"""ResourceSlices that the API server of the declared release refuses: their devices are none of the cluster's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubelint_gpu.inventory.declarations.unread import unread
from kubelint_gpu.inventory.kubernetes_version import devices_minor
from kubelint_gpu.inventory.reading import refusal
from kubelint_gpu.kube.validation.slice_validation import slice_problems
from kubelint_gpu.values import replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubelint_gpu.inventory.declarations.declared import Declared
    from kubelint_gpu.inventory.gathered import GatheredDeclarations


def without_refused(
    objects: Sequence[Declared], found: GatheredDeclarations, version: str | None
) -> tuple[Declared, ...]:
    """The objects, and the pools of what was found, without the slices that are refused, which are told and unread."""
    minor = devices_minor(version)
    told: set[object] = set()

    def stands(one: Declared) -> bool:
        if one.kind != "ResourceSlice":
            return True
        problems = list(slice_problems(one.value, minor))
        for problem in problems:
            error = replace(refusal(one, problem), of_object=True)
            # the nodes of a pool all have what its template says, and so have the devices of an entry
            key = (error.path, error.span, problem.detail)
            if key not in told:
                told.add(key)
                found.problems.append(error)
        if problems:
            found.unread.append(unread(one.kind, one.value))
        return not problems

    found.pools = [
        replace(pool, slices=tuple(filter(stands, pool.slices))) if pool.slices else pool for pool in found.pools
    ]
    return tuple(filter(stands, objects))
