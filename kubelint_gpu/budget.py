"""Every budget of a run: how much is built, and how much is looked at."""

from __future__ import annotations

from kubelint_gpu.values import dataclass


@dataclass(frozen=True, slots=True)
class Budget:
    """What a run may cost in steps as `work` counts them, and what single questions may cost.

    Attributes:
        run: the steps of a run without documents and nodes, `document` and `node` those that each adds, `most` those
            of any run.
        least: the steps that each unit may take in any case.
        replicas: so many pods of a workload are built whatever the nodes hold.
        states: the states that the search of one workload's rollout looks at; on many nodes fewer.
        searches: how many times as many states all rollouts of one question look at, and `least_states` how many one
            of them looks at in any case.
        starts: the first placements from which a search goes on that has not seen all of them.
        retries: how often a search begins anew with pods that it took to stay where they are.
        placements: the partial placements that counting pods looks at.
        waiting: those that are looked at for what the next pod waits for.
        gangs: the states of Jobs that may hold one another up.
        starving: the partial placements beside which a Job waits.
        company: the states of rollouts that others may let end.
        drain: the partial placements for each node that is drained.
        rollback: the states of a StatefulSet that is rolled back.
        evidence: the states that are looked at for what shows a verdict, where that is asked for.
        walks: the single runs that could contradict it, and `following` the states after one that gets stuck.
        devices: the devices that are tried for one pod: what the allocator of Kubernetes does in some hundredths of a
            second.
        orders: the orders of pools and slices in which devices are looked for where the release has no fixed one.
        expression: the steps of an expression about one device.
    """

    run: int = 200_000
    document: int = 10_000
    node: int = 500
    most: int = 2_000_000
    least: int = 1_000
    replicas: int = 64
    states: int = 20_000
    searches: int = 2
    least_states: int = 200
    starts: int = 50
    retries: int = 20
    placements: int = 5_000
    waiting: int = 500
    gangs: int = 20_000
    starving: int = 2_000
    company: int = 2_000
    drain: int = 1_000
    rollback: int = 1_000
    evidence: int = 4_000
    walks: int = 12
    following: int = 400
    devices: int = 100_000
    orders: int = 24
    expression: int = 20_000

    def run_of(self, documents: int, nodes: int) -> int:
        """The steps of a run that reads so many documents, against so many nodes."""
        return min(self.most, self.run + self.document * documents + self.node * nodes)


BUDGET = Budget()
