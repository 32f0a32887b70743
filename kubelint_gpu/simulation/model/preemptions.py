"""What preemption chooses during a rollout, for every possible age of the pods in its way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, permutations, product

from kubelint_gpu.budget import SIMULATION
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler import Candidate, Preemption, fit, preempt
from kubelint_gpu.simulation.controllers.reconciler import PodType
from kubelint_gpu.simulation.controllers.rollout_state import UNBOUND, Content, State
from kubelint_gpu.simulation.model.placed_pods import StatePods
from kubelint_gpu.values import Value

_EARLY, _LATE = "2000-01-01T00:", "2999-01-01T00:"


class Eviction(Value):
    """A node that preemption may choose for a pod, and the victims there, as (kind, phase)."""

    node: int
    victims: tuple[tuple[int, int], ...]


class UnmodelledVictim(Exception):  # noqa: N818 - it says what happened
    """Preemption chooses pods that were assumed to stay where they are."""

    def __init__(self, pods: Sequence[Pod]) -> None:
        self.pods = tuple(pods)
        super().__init__(", ".join(pod.key for pod in pods))


class Preemptions:
    """Asks the scheduler core which pods a pod preempts."""

    def __init__(
        self, state_pods: StatePods, kinds: Sequence[PodType], names: Sequence[str], fixed: Sequence[Pod]
    ) -> None:
        """`fixed` are pods that are assumed to stay where they are."""
        self._fixed = frozenset(one.spec.priority or 0 for one in fixed)
        self._state_pods = state_pods
        self._kinds = kinds
        self._names = names
        self._positions = {name: position for position, name in enumerate(names)}

    def chosen(
        self, kind: int, contents: tuple[Content, ...], state: State, home: int | None, only: int | None
    ) -> tuple[Eviction, ...] | None:
        """The possible nodes and victims for a waiting pod of a kind; None if the pod must not preempt.

        Raises:
            UnmodelledVictim: it would preempt pods that are not in play.
        """
        pod = self._state_pods.incoming(kind, home, only)
        found: dict[Eviction, None] = {}
        for result in self._preemptions(pod, contents, state):
            if not result.eligible:
                return None
            for choice in result.best if result.succeeds else ():
                found.setdefault(self._eviction(choice))
        return tuple(found)

    def _eviction(self, choice: Candidate) -> Eviction:
        known = [self._state_pods.known(victim) for victim in choice.victims]
        foreign = [victim for victim, one in zip(choice.victims, known, strict=True) if one is None]
        if foreign or choice.node not in self._positions:
            raise UnmodelledVictim(foreign or choice.victims)
        victims = tuple(sorted(one for one in known if one is not None))
        return Eviction(self._positions[choice.node], victims)

    def _preemptions(self, pod: Pod, contents: tuple[Content, ...], state: State) -> Iterator[Preemption]:
        """Yield the results of preemption, for every order of age that pods of equal priority can have."""
        rivals = self._rivals(pod, contents)
        orders = list(permutations(rivals)) if 1 < len(rivals) <= 4 else [tuple(rivals)]
        lower = self._lower(pod, contents)
        # nobody knows whether pods in play are older or younger than others of their priority
        times = (_EARLY, _LATE) if any(self._kinds[kind].priority in self._fixed for kind in lower) else (_EARLY,)
        for time, order in islice(product(times, orders), SIMULATION.preemption_orders):
            age = dict.fromkeys(lower, f"{time}00:00Z") if len(times) > 1 else {}
            age |= {other: f"{time}00:0{place}Z" for place, other in enumerate(order)} if len(order) > 1 else {}
            snapshot = self._state_pods.snapshot(contents, state.held, age, state.bindings)
            yield preempt(pod, snapshot, fit(pod, snapshot))

    def _lower(self, pod: Pod, contents: tuple[Content, ...]) -> list[int]:
        """The kinds of lower priority that have pods on some node."""
        kinds = {kind for content in contents for kind, phase, _ in content if kind >= 0 and phase not in UNBOUND}
        return sorted(kind for kind in kinds if self._kinds[kind].priority < (pod.spec.priority or 0))

    def _rivals(self, pod: Pod, contents: tuple[Content, ...]) -> list[int]:
        """Kinds whose pods can be victims in an order that only their age decides."""
        priority = pod.spec.priority or 0
        found: dict[int, None] = {}
        for content in contents:
            kinds = sorted({kind for kind, phase, _ in content if kind >= 0 and phase not in UNBOUND})
            for kind in kinds:
                if self._kinds[kind].priority < priority and any(
                    other != kind and self._kinds[other].priority == self._kinds[kind].priority for other in kinds
                ):
                    found.setdefault(kind)
        return list(found)
