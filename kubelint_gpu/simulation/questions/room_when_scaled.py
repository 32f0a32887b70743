"""Room for more replicas of one workload, whatever all others do: an exact bound that needs no search."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.budget import BUDGET
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.simulation.prepare.demand import always_room
from kubelint_gpu.simulation.prepare.prepared_run import PreparedRun
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace


class RoomWhenScaled:
    """All workloads of one run, prepared once for all numbers of replicas that are asked about."""

    def __init__(self, transitions: Sequence[Transition], cluster: Cluster) -> None:
        self._run = PreparedRun(transitions, cluster)
        self._residual = self._run.residual(self._run.rest)

    def is_always(self, number: int, replicas: int) -> bool:
        """Return whether the rollout of a workload ends with so many replicas: its pods find a node at any moment.

        It holds for fewer replicas, too. False if it is not known.
        """
        run = self._run
        one = run.participants[number]
        if one.daemons or one.hindered or any(run.driven) or replicas > BUDGET.replicas:
            return False
        new = replace(one.new, replicas=replicas)
        old = new if one.old is one.new else replace(one.old, replicas=replicas)
        demands = list(run.demands)
        demands[number] = run.demand_of(number, replace(one, new=new, old=old))
        return not new.spec.resource_claims and always_room(number, demands, self._residual)
