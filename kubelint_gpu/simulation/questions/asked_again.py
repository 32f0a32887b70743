"""Answers about equal workloads in equal clusters: many files of a repository hold the same under other names.

An answer is the same for as many steps; it takes them off what is left, so that a run comes to the same in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.simulation.search.verdict import Judgement
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.work import Spent, own_steps, spend, spent_since

Answer = tuple[Judgement, ...]


class _Asked:
    """What is asked: equal where all that decides the answer is."""

    __slots__ = ("_cluster", "_further", "_hash", "_transitions", "compute")

    def __init__(
        self,
        transitions: Sequence[Transition],
        cluster: Cluster,
        further: tuple[object, ...],
        compute: Callable[[], Answer],
    ) -> None:
        self._transitions = tuple(transitions)
        self._cluster = cluster
        self._further = further
        self._hash = hash((*(one.new.key for one in transitions), len(cluster.nodes)))
        self.compute = compute

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, _Asked)
            and self._further == other._further
            and self._transitions == other._transitions
            and self._cluster == other._cluster
        )


def asked_once(
    transitions: Sequence[Transition], cluster: Cluster, further: tuple[object, ...], compute: Callable[[], Answer]
) -> Answer:
    """`compute()`, or what it gave for equal values with as many steps left; `further` is what decides it besides."""
    left = own_steps()
    if left is None:
        return compute()
    asked = _Asked(transitions, cluster, (*further, left), compute)
    first, answer, cost = _answer(asked)
    if first is not asked:
        spend(cost)
    return answer


@lru_cache(maxsize=256)
def _answer(asked: _Asked) -> tuple[_Asked, Answer, Spent]:
    """Who asked first, what the answer is, and what it took."""
    before = own_steps()
    answer = asked.compute()
    asked.compute = _forgotten
    return asked, answer, spent_since(before)


def _forgotten() -> Answer:
    raise AssertionError("an answer is worked out once")
