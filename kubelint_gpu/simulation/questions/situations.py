"""The situations of one run: workloads that compete, with their share of the budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.simulation.prepare.demand import Residual
from kubelint_gpu.simulation.prepare.prepared_run import PreparedRun
from kubelint_gpu.simulation.search.situation import Situation

_Parts = tuple[object, ...]


class Situations:
    """Creates each situation once; for the same workloads and pods it returns the same one.

    `budget` is that of one search. Without `joins`, no node joins during a rollout.
    """

    def __init__(self, prepared: PreparedRun, budget: int, *, joins: bool) -> None:
        self._prepared, self._budget, self._joins = prepared, budget, joins
        self._known: dict[tuple[int, ...], dict[_Parts, Situation]] = {}
        self._residuals: dict[_Parts, Residual] = {}

    def of(self, members: Sequence[int], fixed: Sequence[Pod], daemons: Mapping[int, Sequence[Pod]]) -> Situation:
        """The situation of some workloads beside `fixed` running pods; `daemons` are other workloads' pods."""
        parts = tuple([(pod.identifier, pod.spec.node_name) for pod in fixed])
        known = self._known.setdefault(tuple(members), {})
        if parts not in known:
            residual = self._residuals.get(parts)
            if residual is None:
                residual = self._residuals[parts] = self._prepared.residual(fixed)
            known[parts] = self._made(members, fixed, daemons, residual)
        return known[parts]

    def _made(
        self, members: Sequence[int], fixed: Sequence[Pod], daemons: Mapping[int, Sequence[Pod]], residual: Residual
    ) -> Situation:
        return Situation(
            self._prepared.cluster,
            self._prepared.empty,
            tuple(self._prepared.participants[number] for number in members),
            tuple(members),
            tuple(self._prepared.eligible[number] for number in members),
            tuple(self._prepared.demands[number] for number in members),
            tuple(fixed),
            residual,
            frozenset(pod.identifier for pods in daemons.values() for pod in pods),
            self._budget,
            self._prepared.grown,
            self._joins,
            driven=tuple(self._prepared.driven[number] for number in members),
        )
