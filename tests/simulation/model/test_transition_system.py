"""What holds in every state of every run."""

from __future__ import annotations

import pytest
from rollout_reference import program_input, random_case

from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.simulation.controllers.deployment import DeploymentRollout
from kubelint_gpu.simulation.controllers.deployment_sync import resolve
from kubelint_gpu.simulation.controllers.rollout_state import (
    EVICTED,
    LEAVING,
    NOMINATED,
    READY,
    STARTING,
    census,
)
from kubelint_gpu.simulation.model.pod_types import build_pod_types
from kubelint_gpu.simulation.model.simulation import build_simulation
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange
from kubelint_gpu.simulation.search.placements import placements


def explored(case, most=400):
    transitions, cluster = program_input(case)
    participants = [
        WorkloadChange(one.new, one.old, nodes=tuple(node.name for node in cluster.nodes)) for one in transitions
    ]
    rolling = frozenset(case.judged)
    empty = Snapshot.of(cluster)
    simulation = build_simulation(build_pod_types(participants, rolling, (), cluster), cluster, (), empty=empty)
    states = list(placements(simulation, 500).full)[:20]
    seen = set(states)
    for state in states:
        for following in simulation.model.successors(state):
            if following not in seen and len(seen) < most:
                seen.add(following)
                states.append(following)
    return simulation, cluster, states


@pytest.mark.parametrize("seed", range(30_000, 30_040))
def test_no_state_holds_more_than_there_is_or_breaks_the_bounds_of_its_controller(seed):
    simulation, cluster, states = explored(random_case(seed))
    nodes = {node.name: node for node in cluster.nodes}
    for state in states:
        assert all(count >= 0 for count in state.waiting)
        for name, content in zip(simulation.places.names, state.nodes, strict=True):
            assert all(count > 0 for _, _, count in content)
            used = {"pods": 0}
            for kind, phase, count in content:
                if phase in (STARTING, READY, LEAVING, EVICTED):
                    used["pods"] += count
                    for resource, amount in pod_requests(simulation.pod_types.kinds[kind].pod.spec).items():
                        used[resource] = used.get(resource, 0) + amount * count
            assert all(amount <= nodes[name].allocatable.get(resource, 0) for resource, amount in used.items())
        seen = census(state)
        for reconciler, control in zip(simulation.model.reconcilers, state.controls, strict=True):
            if isinstance(reconciler, DeploymentRollout) and not reconciler.rescaled:
                bounds = resolve(reconciler.strategy, reconciler.replicas)
                assert sum(control[:-2]) + max(0, control[-2]) <= reconciler.replicas + bounds.surge
                evicted = any(phase in (EVICTED, NOMINATED) for content in state.nodes for _, phase, _ in content)
                may_evict = len({kind.priority for kind in simulation.pod_types.kinds}) > 1
                if not evicted and not may_evict:
                    ready = sum(seen.ready(kind) for kind in reconciler.kinds)
                    assert ready >= reconciler.replicas - bounds.unavailable


@pytest.mark.parametrize("seed", range(30_040, 30_070))
def test_states_are_canonical_and_steps_change_something(seed):
    simulation, _, states = explored(random_case(seed), 100)
    for state in states:
        following = simulation.model.successors(state)
        assert state not in following
        assert len(set(following)) == len(following)
        for members in simulation.places.classes:
            for one in following:
                part = one.nodes[members.start : members.stop]
                assert list(part) == sorted(part)
