"""Small cases of which one workload wants more pods than there can be."""

from rollout_reference import program_input, random_case

from kubelint_gpu.budget import Budget
from kubelint_gpu.simulation.prepare.participants import bounded
from kubelint_gpu.values import replace

SEEDS = range(30_000, 30_100)


def crowded(seed):
    """What is rolled of a small case of which one workload wants more pods than there can be, and the cluster."""
    case = random_case(seed)
    works = [one for one in case.works if one.kind != "DaemonSet"]
    chosen = works[seed % len(works)] if works else None
    works = tuple(replace(one, replicas=14) if one is chosen else one for one in case.works)
    transitions, cluster, *_ = program_input(replace(case, works=works))
    return transitions, cluster


def built(transitions, cluster):
    return [bounded(one, cluster, cluster.nodes, Budget(replicas=0)) for one in transitions]
