"""ResourceSlices and DeviceTaintRules that the API server of the declared release refuses: the cluster has none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubelint_gpu.inventory.declarations.unread import unread
from kubelint_gpu.inventory.kubernetes_version import devices_minor
from kubelint_gpu.inventory.reading import refusal
from kubelint_gpu.kube.validation.slice_validation import rule_problems, slice_problems
from kubelint_gpu.values import replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubelint_gpu.inventory.declarations.declared import Declared
    from kubelint_gpu.inventory.gathered import GatheredDeclarations

_PROBLEMS = {"ResourceSlice": slice_problems, "DeviceTaintRule": rule_problems}


def without_refused(
    objects: Sequence[Declared], found: GatheredDeclarations, version: str | None
) -> tuple[Declared, ...]:
    """The objects, and the pools of what was found, without what is refused, which is told and unread."""
    minor = devices_minor(version)
    told: set[object] = set()

    def stands(one: Declared) -> bool:
        problems = list(_PROBLEMS[one.kind](one.value, minor)) if one.kind in _PROBLEMS else []
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
