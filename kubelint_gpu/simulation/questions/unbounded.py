"""Judgements of workloads of which fewer pods were built than they want, with the numbers of all of them."""

from __future__ import annotations

from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.simulation.search.trace import Waiting
from kubelint_gpu.simulation.search.verdict import Judgement
from kubelint_gpu.values import replace


def unbounded(found: Judgement, told: Workload, built: int) -> Judgement:
    """The judgement of a workload of which only so many pods were `built`, with the numbers of all of them."""
    more = told.replicas - built
    if more <= 0:
        return replace(found, workload=told)
    trace = found.trace

    def counted(one: Waiting) -> Waiting:
        return replace(one, count=one.count + more) if one.owner == told.key and not one.pod else one

    return replace(
        found,
        workload=told,
        wanted=_all(found.wanted, built, told),
        placed=_all(found.placed, built, told),
        alone=_all(found.alone, built, told),
        at_best=None if found.at_best is None else _all(found.at_best, built, told),
        waiting=None if found.waiting is None else counted(found.waiting),
        trace=None if trace is None else replace(trace, waiting=tuple(map(counted, trace.waiting))),
    )


def _all(number: int, built: int, told: Workload) -> int:
    """A number of pods; all that were built stand for all."""
    return number if number < built else told.replicas
