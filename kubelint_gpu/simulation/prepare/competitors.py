"""Which workloads compete: for something of a node, by the terms of their pods, or by preemption."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from kubelint_gpu.groups import Groups, grouped
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.relations import asks, meet, meet_on_a_node
from kubelint_gpu.simulation.prepare.demand import contended, join_contenders
from kubelint_gpu.simulation.prepare.displaced import concerns
from kubelint_gpu.simulation.prepare.prepared_run import PreparedRun


def competing(run: PreparedRun, numbers: Sequence[int], fixed: Sequence[Pod]) -> Groups:
    """Group workloads that can compete for something or whose pods have terms about each other."""
    groups = Groups(len(run.participants))
    residual = run.residual(fixed)
    demands = [run.demands[number] for number in numbers]
    scarce = contended(demands, residual)
    among = Groups(len(numbers))
    join_contenders(among, scarce)
    for place, number in enumerate(numbers):
        groups.join(number, numbers[among.root(place)])
    for quota in run.cluster.quotas:
        counted = [number for number in numbers if any(map(quota.covers, run.pods[number]))]
        for number in counted:
            groups.join(counted[0], number)
    kinds = grouped(((run.alike[number], run.volumes[number]), number) for number in numbers).values()
    marked = [mine for mine in kinds if _is_marked(run, mine[0])]
    for mine, theirs in product(marked, kinds):
        one, other = mine[0], theirs[-1]
        if len({groups.root(number) for number in (*mine, *theirs)}) == 1:
            continue
        if _meet(run, one, other):
            for number in (*mine, *theirs):
                groups.join(one, number)
        elif _meet_on_a_node(run, one, other):
            for one, other in product(mine, theirs):
                if not run.demands[one].nodes.isdisjoint(run.demands[other].nodes):
                    groups.join(one, other)
    for one in numbers:
        gone = run.driven[one]
        for place, other in enumerate(numbers if gone else ()):
            apart = groups.root(one) != groups.root(other)
            if apart and concerns(gone, run.participants[other], place, demands, residual):
                groups.join(one, other)
    return groups


def _is_marked(run: PreparedRun, number: int) -> bool:
    """Whether something other than quotas and the resources of a node can make the workload compete with another."""
    return bool(run.volumes[number]) or any(map(asks, run.pods[number]))


def _meet(run: PreparedRun, one: int, other: int) -> bool:
    if run.volumes[one] & run.volumes[other]:
        return True
    key = "meet", run.alike[one], run.alike[other]
    if key not in run.met:
        run.met[key] = any(meet(*pair) for pair in product(_unlike(run, one), _unlike(run, other)))
    if run.met[key]:
        return True
    ordinals = [run.participants[place].ordinals for place in (one, other)]
    if not any(ordinals):
        return False
    return any(
        meet(*pair) for pair in product(*((*run.pods[place], *ordinals[place != one]) for place in (one, other)))
    )


def _meet_on_a_node(run: PreparedRun, one: int, other: int) -> bool:
    key = "on a node", run.alike[one], run.alike[other]
    if key not in run.met:
        run.met[key] = any(meet_on_a_node(*pair) for pair in product(_unlike(run, one), _unlike(run, other)))
    return run.met[key]


def _unlike(run: PreparedRun, number: int) -> tuple[Pod, ...]:
    """The old and the new pod of a workload; only one of them if they are equal."""
    old, new = run.alike[number]
    return run.pods[number][: 1 if old == new else 2]
