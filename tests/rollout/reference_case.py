"""Small cases for the brute force: nodes, workloads, and the moments of a rollout."""

from __future__ import annotations

from kubelint_gpu.values import Value

W, N, S, R, L, E, B = "waiting", "nominated", "starting", "ready", "leaving", "evicted", "broken"
ACTIVE = (W, N, S, R, B)
GONE_SOON = (L, E)


class Node(Value):
    name: str
    zone: str
    gpu: int
    cpu: int
    pods: int


class Template(Value):
    """`near` and `away` are topologies of terms about the pods of the work `near_to`, `away_to`; `claim` is shared."""

    gpu: int = 1
    cpu: int = 0
    pool: str = ""
    port: int = 0
    anti: str = ""
    spread: str = ""
    by_revision: bool = False
    priority: int = 0
    never: bool = False
    skew: int = 1
    domains: int = 0
    near: str = ""
    near_to: int = -1
    away: str = ""
    away_to: int = -1
    claim: str = ""


class Work(Value):
    """`batch`: so many new pods, and as many batches of all other works that have them, count only together.

    `shares`: surge and unavailable are percentages; `other`: the old object has another strategy.

    Of a Job that is `whole` no pod ends before all run. `changes` with everything else that does: it `rolls`, is scaled, or is new where it has `before` no pods.
    """

    kind: str
    name: str
    replicas: int
    old: Template
    new: Template
    surge: int = 1
    unavailable: int = 0
    recreate: bool = False
    parallel: bool = False
    before: int = -1
    partition: int = 0
    shares: bool = False
    other: bool = False
    rolls: bool = True
    changes: bool = False
    whole: bool = False
    batch: int = 0

    @property
    def started(self) -> int:
        return self.replicas if self.before < 0 else self.before


class Case(Value):
    """`pool` is a node that may join `most` times; `budgets` are (work, `min` or `max`, how many).

    `unready` are those of `known` that are not ready, and may never be.
    `at_once`: all that rolls begins at the same moment; with `ends` it is asked of one of them whether it ends.
    """

    nodes: tuple[Node, ...]
    works: tuple[Work, ...]
    judged: tuple[int, ...] = (0,)
    quota: int = -1
    gate: bool = False
    known: tuple[tuple[int, str], ...] = ()  # where pods of which work are known to run
    unready: tuple[int, ...] = ()
    quota_pods: int = -1
    pool: Node | None = None
    most: int = 0
    budgets: tuple[tuple[int, str, int], ...] = ()
    at_once: bool = False
    ends: int = -1


class Pod(Value, order=True):
    owner: int
    number: int
    new: bool
    phase: str
    node: str = ""


class World(Value):
    pods: frozenset[Pod]
    specs: tuple[tuple[int, int], ...]  # per work: replicas of the old and of the new ReplicaSet (-1: absent)
    joined: int = 0  # how many nodes of the pool are there


class TooLarge(Exception):  # noqa: N818 - it says what the case is
    pass
