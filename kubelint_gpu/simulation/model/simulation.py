"""The nodes of an exploration, in classes of nodes that are equal for all pods in play, and how many pods they take."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence

from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod, PodIdentifier
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.scheduler.relations import first_alike, local_kinds
from kubelint_gpu.simulation.controllers.rollout_state import READY, State, canonical, more, on_node
from kubelint_gpu.simulation.growth import Grown
from kubelint_gpu.simulation.model.node_symmetry import NodeSignature, equal_domains
from kubelint_gpu.simulation.model.oracle import ClusterOracle
from kubelint_gpu.simulation.model.pod_types import PodTypes
from kubelint_gpu.simulation.model.quota_use import admission_of
from kubelint_gpu.simulation.model.transition_system import Model
from kubelint_gpu.simulation.prepare.coupling import eligible_nodes
from kubelint_gpu.values import Value, replace


class Simulation(Value):
    """Everything that one exploration needs.

    Attributes:
        pod_types: the pods that may change, and their controllers.
        model: the possible events.
        places: the nodes.
        local: whether what happens on a node never depends on other nodes, nor on the order of pods.
        eligible: for each kind, the nodes that take it when nothing else runs.
        absent: the names of nodes that an autoscaler may add.
        added: these nodes, with their devices.
        in_play: the identifiers of running pods that may change.
        cut: for each class with fewer nodes here than there can be pods, their positions.
    """

    pod_types: PodTypes
    model: Model
    places: ClusterOracle
    local: bool
    eligible: tuple[frozenset[str], ...] = ()
    absent: frozenset[str] = frozenset()
    added: Grown = Grown()
    in_play: frozenset[PodIdentifier] = frozenset()
    cut: tuple[range, ...] = ()

    def has_spare(self, state: State) -> bool:
        """Whether each class in `cut` has an empty node left. If so, the omitted nodes change nothing."""
        return all(any(not content for content in state.nodes[part.start : part.stop]) for part in self.cut)


def build_simulation(
    pod_types: PodTypes,
    cluster: Cluster,
    fixed: Sequence[Pod],
    *,
    empty: Snapshot | None = None,
    grown: Grown | None = None,
    few: int | None = None,
    kept: frozenset[str] = frozenset(),
) -> Simulation:
    """The simulation of the pods in play beside `fixed`, the running pods that always stay where they are.

    With `few`, each class has at most so many nodes, or its `kept` nodes and one more. What happens there can happen
    among all nodes as long as the simulation `has_spare` nodes. `empty` is the cluster without pods, `grown` the nodes
    that may join it.
    """
    absent: frozenset[str] = frozenset()
    if grown is not None:
        cluster = grown.added_to(cluster)
        absent = frozenset(node.name for node in grown.nodes)
    if empty is None or grown is not None:
        empty = Snapshot.of(replace(cluster, pods=()))
    pods = [kind.pod for kind in pod_types.kinds]
    eligible = _eligible(pods, empty, fixed)
    homes = {name for _, name in pod_types.homes}
    wanted = frozenset().union(*eligible) | homes
    local = local_kinds(pods, fixed, cluster)
    on_near = [pod for pod in fixed if pod.spec.node_name in wanted]
    made = [frozenset(names) for reconciler in pod_types.reconcilers for names in reconciler.node_sets]
    signature = NodeSignature(cluster, pods, eligible, on_near if all(local) else fixed, not all(local))

    def mark(node: Node) -> tuple[Hashable, ...]:
        return tuple([node.name in names for names in made]), node.name in absent

    near = [node for node in sorted(cluster.nodes, key=lambda found: found.name) if node.name in wanted]
    groups = grouped(((signature.of(node), *mark(node)), node.name) for node in near)
    most = _most_pods(pod_types) + 1
    names, classes = _kept(groups.values(), homes | kept, most if few is None else min(few, most))
    whole = zip(groups.values(), classes, strict=True)
    cut = tuple(part for members, part in whole if len(part) < min(most, len(members)))
    if all(local):
        standing = _limited(cluster, near, fixed, frozenset(names).__contains__)
    else:
        # a node that is dropped and pods on it that nobody in play pays attention to change nothing for the others
        seen = {pod.spec.node_name for pod in fixed if signature.is_seen(pod)}
        dropped = {node.name for node in near}.difference(names, seen)
        standing = _limited(cluster, cluster.nodes, fixed, lambda name: name not in dropped)
    admission = admission_of(cluster.quotas, [*fixed, *(pod for pod in cluster.pods if pod.finished)])
    domains = equal_domains(standing.nodes, signature, mark, pod_types, names, classes)
    devices = pod_types.devices(standing, (names, classes))
    places = ClusterOracle(standing, pod_types.kinds, names, classes, local, admission, domains, devices)
    positions = {name: index for index, name in enumerate(names)}
    reconcilers = tuple(reconciler.located(positions) for reconciler in pod_types.reconcilers)
    return Simulation(
        replace(pod_types, reconcilers=reconcilers),
        Model(pod_types.kinds, reconcilers, places),
        places,
        all(local) and places.devices is None,
        tuple(eligible),
        absent & frozenset(names),
        grown.among(positions) if grown is not None else Grown(),
        cut=cut,
    )


def _eligible(pods: Sequence[Pod], empty: Snapshot, fixed: Sequence[Pod]) -> list[frozenset[str]]:
    """For each pod, the nodes that take it when nothing else runs; pods that are alike are asked once."""
    first = first_alike(pods, ())
    known = {number: eligible_nodes(pods[number], empty, (*pods, *fixed)) for number in dict.fromkeys(first)}
    return [known[number] for number in first]


def _limited(cluster: Cluster, nodes: Iterable[Node], fixed: Sequence[Pod], stays: Callable[[str], bool]) -> Cluster:
    """The cluster with those of some nodes and of the fixed pods whose node stays, by its name."""
    return replace(
        cluster,
        nodes=tuple(node for node in nodes if stays(node.name)),
        pods=tuple(pod for pod in fixed if stays(pod.spec.node_name)),
    )


def _kept(groups: Iterable[list[str]], homes: set[str], most: int) -> tuple[tuple[str, ...], tuple[range, ...]]:
    """The names of the nodes class by class, and the positions of each class.

    A class with more nodes than there can be pods always has an empty one. More nodes of it change nothing.
    """
    names: list[str] = []
    classes: list[range] = []
    for members in groups:
        members.sort(key=lambda name: (name not in homes, name))
        keep = max(most, sum(name in homes for name in members) + 1)
        classes.append(range(len(names), len(names) + len(members[:keep])))
        names += members[:keep]
    return tuple(names), tuple(classes)


def _most_pods(pod_types: PodTypes) -> int:
    """An upper bound of the pods that exist at once: all wanted, terminating and surging ones."""
    return sum(3 * count for count in (*pod_types.wanted, *pod_types.pending)) + sum(
        3 * reconciler.replicas + 1 for reconciler in pod_types.reconcilers
    )


def placed_on(simulation: Simulation, kind: int, node: int, state: State, phase: int = READY) -> Iterator[State]:
    """Yield the states with a waiting pod of a kind on a node, one for each choice of its devices."""
    nodes = on_node(state.nodes, node, (kind, phase, 1))
    bindings = simulation.places.state_pods.bound(kind, node, state)
    for held in simulation.places.reserved(kind, node, state):
        yield State(state.controls, more(state.waiting, kind, -1), nodes, held, bindings)


def placed(simulation: Simulation, kind: int, state: State, among: Iterable[int] | None = None) -> Iterator[State]:
    """Yield the states with a waiting pod of a kind on a node that takes it, or on one in `among`; no two are equal."""
    fitting = simulation.places.fitting(kind, state) if among is None else sorted(among)
    for node in simulation.model.distinct(state, fitting):
        yield from placed_on(simulation, kind, node, state)


class MostPlaced(Value):
    """How many pods can be placed at best, whether that is exact, and how many states were looked at."""

    pods: int
    decided: bool
    states: int


def most_placed(
    simulation: Simulation,
    start: State,
    kinds: Collection[int],
    budget: int,
    *,
    closed: int = -1,
    any_order: bool = True,
) -> MostPlaced:
    """The most waiting pods of some kinds that can be placed beside all other waiting pods, in any order.

    The node `closed` takes none. Without `any_order`, one kind is placed after the other; that is enough for one kind
    if no node looks at another.
    """
    classes = [part for members in simulation.places.classes for part in _apart(members, closed)]
    wanted = sum(start.waiting[kind] for kind in kinds)
    seen, stack = {start}, [start]
    most = states = 0
    while stack and states < budget and most < wanted:
        state = stack.pop()
        states += 1
        most = max(most, wanted - sum(state.waiting[kind] for kind in kinds))
        for kind, count in enumerate(state.waiting):
            fitting = [node for node in simulation.places.fitting(kind, state) if node != closed] if count else []
            for after in placed(simulation, kind, state, fitting):
                found = simulation.places.canonical(after) if closed < 0 else canonical(after, classes)
                if found not in seen:
                    seen.add(found)
                    stack.append(found)
            if count and not any_order:
                break
    return MostPlaced(most, not stack or most == wanted, states)


def _apart(members: range, node: int) -> list[range]:
    """Split a class so that one of its nodes is by itself."""
    if node not in members:
        return [members]
    parts = (range(members.start, node), range(node, node + 1), range(node + 1, members.stop))
    return [part for part in parts if part]
