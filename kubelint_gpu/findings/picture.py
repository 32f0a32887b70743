"""The cluster and the moments of a rollout as plain values, for formats that draw them."""

from __future__ import annotations

from collections.abc import Iterable

from kubelint_gpu.values import Value


class Row(Value):
    """Something that a node has a number of.

    `name` is how people call one of it: `GPU`, `GPU share`, `memory`.
    `devices` says that it is counted piece by piece, as GPUs are; `whole` is `total` in words, `16Gi` for instance.
    `units` names the devices that claims may ask for, each with its parts.
    """

    resource: str
    name: str
    total: int
    devices: bool
    whole: str
    units: tuple[tuple[str, ...], ...] = ()

    def positions(self, names: Iterable[str]) -> list[int]:
        """Which of the units some devices are, or are parts of."""
        wanted = frozenset(names)
        return [at for at, unit in enumerate(self.units) if not wanted.isdisjoint(unit)]

    def held(self, place: int, holdings: Iterable[Holding]) -> int:
        """How much of it is held, where it is the row at a place: of a device that several have parts of, one."""
        if self.units:
            return len(self.positions(name for one in holdings for name in one.things[place]))
        return sum(one.amounts[place] for one in holdings)


class Holding(Value):
    """Pods of one owner in one phase, and what they hold of each row of their node, all together.

    `owner` is `namespace/name`; `age` is `old` or `new` in a rollout, else empty.
    `phase` is `running`, `starting`, `terminating`, `evicted`, `nominated`, `pending`, `waiting` or `refused`.
    `takes` says in words what one pod asks for; `things` names the devices of each row that their claims have.
    """

    owner: str
    age: str
    phase: str
    count: int
    amounts: tuple[int, ...] = ()
    takes: str = ""
    things: tuple[tuple[str, ...], ...] = ()


class NodeGroup(Value):
    """Nodes of a class that have and hold the same; `names` are folded, as `gpu-[1-3]`."""

    names: str
    count: int
    rows: tuple[Row, ...]
    holdings: tuple[Holding, ...] = ()
    others: int = 0


class ClassPicture(Value):
    """Equal nodes: what each has, what keeps pods off, and who holds what.

    `left_out` counts nodes of further groups that are not told one by one.
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
    """The GPUs of a model and pool: how many there are, who holds them at rest, and what rollouts take for a time."""

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

    `pools` are there if some workload is declared, and if it takes not too much work to place all pods.
    """

    name: str
    version: str
    nodes: int
    complete: bool
    classes: tuple[ClassPicture, ...] = ()
    left_out: int = 0
    pools: tuple[PoolPicture, ...] = ()


class StageNode(Value):
    """A node on which something happens in a rollout, or several in which the same does; `names` are folded."""

    names: str
    count: int
    rows: tuple[Row, ...]


class NodeMoment(Value):
    """What is on a node at a moment; `used` says in words how much of each row is taken.

    `joined` is false as long as an autoscaler has not added it.
    """

    joined: bool
    holdings: tuple[Holding, ...]
    used: tuple[str, ...]


class RolloutFrame(Value):
    """The nodes of a picture at one moment, in their order, and the pods that have no node."""

    nodes: tuple[NodeMoment, ...]
    waiting: tuple[Holding, ...]


class RolloutPicture(Value):
    """A rollout as it was simulated: `steps` names for each step of the finding's trace its moment.

    `left_out` counts nodes that take part and are not shown.
    """

    nodes: tuple[StageNode, ...]
    moments: tuple[RolloutFrame, ...]
    steps: tuple[int, ...]
    left_out: int = 0
