"""The cluster and the moments of a rollout as plain values, for formats that draw them."""

from __future__ import annotations

from collections.abc import Iterable

from kubelint_gpu.values import Value


class Row(Value):
    """A countable resource of a node.

    `name` is the common name of one of it: `GPU`, `GPU share`, `memory`.
    `devices` says that it consists of single devices; `whole` is `total` in words, for example `16Gi`.
    `units` names the devices that claims may ask for, each with its parts.
    """

    resource: str
    name: str
    total: int
    devices: bool
    whole: str
    units: tuple[tuple[str, ...], ...] = ()

    def positions(self, names: Iterable[str]) -> list[int]:
        """The indices of the units that some devices are, or are parts of."""
        wanted = frozenset(names)
        return [at for at, unit in enumerate(self.units) if not wanted.isdisjoint(unit)]

    def held(self, place: int, holdings: Iterable[Holding]) -> int:
        """How much of this row, at index `place`, is held; a device that several pods share counts once."""
        if self.units:
            return len(self.positions(name for one in holdings for name in one.things[place]))
        return sum(one.amounts[place] for one in holdings)


class Holding(Value):
    """Pods of one owner in one phase, and what they hold together of each row of their node.

    `owner` is `namespace/name`; `age` is `old` or `new` in a rollout, else empty.
    `phase` is `running`, `starting`, `terminating`, `evicted`, `nominated`, `pending`, `waiting` or `refused`.
    `takes` is the request of one pod in words; `things` names the allocated devices of each row.
    """

    owner: str
    age: str
    phase: str
    count: int
    amounts: tuple[int, ...] = ()
    takes: str = ""
    things: tuple[tuple[str, ...], ...] = ()


class NodeGroup(Value):
    """Nodes of a class with equal resources and pods; `names` are folded, as in `gpu-[1-3]`."""

    names: str
    count: int
    rows: tuple[Row, ...]
    holdings: tuple[Holding, ...] = ()
    others: int = 0


class ClassPicture(Value):
    """Equal nodes: what each has, what keeps pods off, and which pods hold what.

    `left_out` counts nodes of groups that are not shown.
    """

    names: str
    count: int
    devices: str
    cpu: str
    memory: str
    taints: tuple[str, ...]
    unhealthy: str
    cordoned: bool
    groups: tuple[NodeGroup, ...]
    left_out: int = 0


class PoolPicture(Value):
    """The GPUs of a model and pool: how many there are, who holds them at rest, and what rollouts take temporarily."""

    name: str
    gpus: int
    others: int
    declared: int
    pending: int
    free: int
    one_by_one: int
    at_once: int


class ClusterPicture(Value):
    """The declared cluster, equal nodes folded; `left_out` counts nodes of further classes.

    `pools` and `told`, titles with sentences about all declared pods, are only there if some workload is declared, and
    if placing all pods is not too much work.
    """

    name: str
    version: str
    nodes: int
    complete: bool
    classes: tuple[ClassPicture, ...] = ()
    left_out: int = 0
    pools: tuple[PoolPicture, ...] = ()
    told: tuple[tuple[str, tuple[str, ...]], ...] = ()


class StageNode(Value):
    """A node on which something happens in a rollout, or several equal ones; `names` are folded."""

    names: str
    count: int
    rows: tuple[Row, ...]


class NodeMoment(Value):
    """The pods on a node at a moment; `used` says in words how much of each row is taken.

    `joined` is False until an autoscaler has added the node.
    """

    joined: bool
    holdings: tuple[Holding, ...]
    used: tuple[str, ...]


class RolloutFrame(Value):
    """The nodes of a picture at one moment, in their order, and the pods without a node."""

    nodes: tuple[NodeMoment, ...]
    waiting: tuple[Holding, ...]


class RolloutPicture(Value):
    """A simulated rollout: `steps` has the index of the moment for each step of the finding's trace.

    `left_out` counts nodes that take part but are not shown.
    """

    nodes: tuple[StageNode, ...]
    moments: tuple[RolloutFrame, ...]
    steps: tuple[int, ...]
    left_out: int = 0
