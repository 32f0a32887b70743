"""Scenarios in which rollouts are judged: each is derived from another one by a named change."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from kubelint_gpu.analysis.transitions import transitions_in, unplaced_in
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.simulation.controllers.controller_of import controller_of
from kubelint_gpu.simulation.growth import Growth
from kubelint_gpu.simulation.prepare.budgets_and_quotas import with_use_after
from kubelint_gpu.simulation.prepare.workload_change import own_pods, own_waiting, pods_of_others
from kubelint_gpu.simulation.questions.rollouts import judge, judge_together
from kubelint_gpu.simulation.search.verdict import Judgement, Together
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadKey


class Scenario(Value, eq=False):
    """The changes, the cluster, the pools that may grow meanwhile, and the budget of states."""

    transitions: Mapping[WorkloadKey, Transition]
    cluster: Cluster
    growth: Sequence[Growth]
    budget: int

    def judgements(self, only: Collection[WorkloadKey] | None = None) -> dict[WorkloadKey, Judgement]:
        """Judge each rollout while the others keep running; with `only`, just these."""
        keys = self.transitions if only is None else only
        places = None if only is None else [place for place, key in enumerate(self.transitions) if key in keys]
        if not self.transitions:
            return {}
        rolled = list(self.transitions.values())
        found = judge(rolled, self.cluster, budget=self.budget, growth=self.growth, only=places)
        return {key: one for key, one in zip(self.transitions, found, strict=True) if key in keys}

    def together(self, ends: str = "") -> tuple[Together, ...]:
        """Judge all rollouts that begin at the same moment; with `ends`, only that workload's."""
        rolled = list(self.transitions.values())
        return judge_together(rolled, self.cluster, budget=self.budget, growth=self.growth, ends=ends)


def now(unit: ApplySet) -> Scenario:
    """The applied workloads in the declared cluster."""
    return Scenario({**transitions_in(unit), **unplaced_in(unit)}, unit.cluster, unit.growth, unit.budget)


def with_part_of_budget(scenario: Scenario, part: int) -> Scenario:
    """The scenario with a part of the budget."""
    return replace(scenario, budget=scenario.budget // part)


def only_rolled(scenario: Scenario, keys: Collection[WorkloadKey]) -> Scenario:
    """The scenario in which only these workloads roll out."""
    found = {
        key: one if key in keys or not one.rolls else replace(one, rolls=False)
        for key, one in scenario.transitions.items()
    }
    return replace(scenario, transitions=found)


def scaled(scenario: Scenario, key: WorkloadKey, replicas: int) -> Scenario:
    """The scenario in which a workload has another number of replicas, before and after."""
    one = scenario.transitions[key]
    new = replace(one.new, replicas=replicas)
    old = new if one.old is one.new else replace(one.old, replicas=replicas)
    return replace(scenario, transitions={**scenario.transitions, key: replace(one, new=new, old=old)})


def besides(scenario: Scenario, first: Mapping[WorkloadKey, Transition]) -> Scenario:
    """The scenario in which further workloads roll out, too."""
    return replace(scenario, transitions={**first, **scenario.transitions})


def beside_removed(scenario: Scenario, removed: Mapping[WorkloadKey, Workload]) -> Scenario:
    """The scenario in which workloads that the manifests no longer contain still run."""
    stay = {key: Transition(one, one, rolls=False) for key, one in removed.items()}
    return replace(scenario, transitions={**scenario.transitions, **stay})


def next_time(scenario: Scenario, coming: Mapping[WorkloadKey, Transition]) -> Scenario:
    """The scenario after all changes of now, with the next changes; no pod waits any more.

    For a workload that was scaled down, the nodes of its remaining pods are open.
    """
    changed = [one for one in scenario.transitions.values() if one.known and not controller_of(one.new).node_bound]
    shrunk = [one.new for one in changed if _is_shrunk(one, scenario)]
    scenario = replace(scenario, cluster=with_use_after(scenario.cluster, changed))
    scenario = without_pods_of(scenario, shrunk)
    found = {
        key: coming.get(key, replace(one, old=one.new, known=False, existing=True))
        for key, one in scenario.transitions.items()
    }
    cluster = scenario.cluster
    waiting = [pod for one in coming.values() for pod in own_waiting(one.new, cluster.pods)]
    if waiting:
        cluster = replace(cluster, pods=tuple(pod for pod in cluster.pods if pod not in waiting))
    return replace(scenario, transitions=found, cluster=cluster)


def _is_shrunk(one: Transition, scenario: Scenario) -> bool:
    if controller_of(one.new).runs_to_completion:
        return False
    return one.new.replicas < one.old.replicas and len(own_pods(one.new, scenario.cluster.pods)) > one.new.replicas


def without_pods_of(scenario: Scenario, workloads: Sequence[Workload]) -> Scenario:
    """The scenario without the running pods of some workloads."""
    left = pods_of_others(workloads, scenario.cluster.pods)
    if len(left) == len(scenario.cluster.pods):
        return scenario
    return replace(scenario, cluster=replace(scenario.cluster, pods=left))


def beside_pods(scenario: Scenario, pods: Sequence[Pod]) -> Scenario:
    """The scenario with additional pods, for example those of finished Jobs."""
    return replace(scenario, cluster=replace(scenario.cluster, pods=(*scenario.cluster.pods, *pods)))


def on_nodes_of(scenario: Scenario, cluster: Cluster) -> Scenario:
    """The scenario with only the nodes of another cluster; no pool grows."""
    same = scenario.cluster.pods is cluster.pods
    return replace(scenario, cluster=cluster if same else replace(cluster, pods=scenario.cluster.pods), growth=())
