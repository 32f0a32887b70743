"""Where the pods of a node go when it is drained."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.budget import SIMULATION
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.simulation.controllers.state import READY, State, canonical, count_on, more, on_node
from kubelint_gpu.simulation.model.simulation import Simulation
from kubelint_gpu.simulation.prepare.coupling import Bonds, labels_of


class DrainPlaces:
    """The pods of a state, and where they can go from a node that takes none any more.

    Those on whose places others depend leave the node with them, and find a new place before or after them.
    """

    def __init__(self, scene: Simulation, state: State, cluster: Cluster, budget: int) -> None:
        self._scene = scene
        self._state = state
        self._budget = budget
        self._left = SIMULATION.drains * budget
        pods = [kind.pod for kind in scene.cast.kinds]
        bonds = Bonds([] if scene.local else pods, labels_of(cluster))
        self._bound = [() if scene.local else bonds.of(kind) for kind in range(len(pods))]

    def homes(self, kinds: Sequence[int]) -> dict[int, tuple[str, int]]:
        """The nodes with pods of some kinds: the name, and how many of them are there."""
        counts = [sum(count_on(content, kind, READY) for kind in kinds) for content in self._state.nodes]
        return {index: (self._scene.places.names[index], count) for index, count in enumerate(counts) if count}

    def elsewhere(self, kinds: Sequence[int], home: int) -> tuple[int, bool]:
        """How many of a node's pods of some kinds find room on other nodes, and whether no more can.

        All others stay where they are, but for those on that node on whose places these depend.
        """
        actors = self._scene.cast.kinds
        mine = set(kinds)
        going = mine | {other for kind in kinds for other in self._bound[kind] if not actors[other].pinned}
        content = self._state.nodes[home]
        waiting = [count_on(content, kind, READY) if kind in going else 0 for kind in range(len(actors))]
        left = tuple(one for one in content if one[0] not in going or one[1] != READY)
        nodes = (*self._state.nodes[:home], left, *self._state.nodes[home + 1 :])
        wanted = sum(waiting[kind] for kind in mine)
        held = self._scene.places.released_all(going, self._state, home)
        if any(one.do_not_schedule and one.honor_taints for kind in mine for one in actors[kind].pod.spec.spread):
            # a node that is cordoned is no domain of theirs any more
            return 0, False
        return self._most(self._state._replace(waiting=tuple(waiting), nodes=nodes, held=held), mine, wanted, home)

    def _most(self, first: State, mine: set[int], wanted: int, home: int) -> tuple[int, bool]:
        classes = [part for members in self._scene.places.classes for part in _without(members, home)]
        any_order = not self._scene.local or len(mine) > 1
        budget = max(SIMULATION.least_drain, min(self._budget, self._left))
        seen, stack = {first}, [first]
        most = looked_at = 0
        while stack and looked_at < budget:
            state = stack.pop()
            looked_at += 1
            self._left -= 1
            most = max(most, wanted - sum(state.waiting[kind] for kind in mine))
            if most == wanted:
                return most, True
            for after in self._placed_one_more(state, classes, home, any_order=any_order):
                if after not in seen:
                    seen.add(after)
                    stack.append(after)
        return most, not stack

    def _placed_one_more(self, state: State, classes: Sequence[range], home: int, *, any_order: bool) -> list[State]:
        found: list[State] = []
        for kind, count in enumerate(state.waiting):
            if not count:
                continue
            fitting = [index for index in self._scene.places.fitting(kind, state) if index != home]
            for index in self._scene.model.distinct(state.nodes, fitting):
                nodes = on_node(state.nodes, index, (kind, READY, 1))
                waiting = more(state.waiting, kind, -1)
                ways = self._scene.places.reserved(kind, index, state)
                after = state._replace(
                    waiting=waiting, nodes=nodes, bindings=self._scene.places.bound(kind, index, state)
                )
                found += [canonical(after._replace(held=held), classes) for held in ways]
                if not any_order:
                    return found
        return found


def _without(members: range, home: int) -> list[range]:
    """The nodes of a class, with the one that is drained apart."""
    if home not in members:
        return [members]
    parts = (range(members.start, home), range(home, home + 1), range(home + 1, members.stop))
    return [part for part in parts if part]
