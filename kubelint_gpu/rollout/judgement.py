"""Whether the rollouts of some workloads end: bounds first, the search where they do not decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kubelint_gpu.kube.cluster import Cluster
from kubelint_gpu.kube.pod import Pod
from kubelint_gpu.kube.rolling import DeploymentStrategy
from kubelint_gpu.kube.workload import Workload
from kubelint_gpu.rollout.deployment import resolve, slots_needed
from kubelint_gpu.rollout.explorer import Verdict, explore
from kubelint_gpu.rollout.participant import Cast, Participant, cast, own_pods
from kubelint_gpu.rollout.replay import Trace, replay
from kubelint_gpu.rollout.room import Demand, always_room, components, takes
from kubelint_gpu.rollout.scene import Scene, build_scene, eligible_nodes
from kubelint_gpu.rollout.starts import Starts, placements
from kubelint_gpu.rollout.state import State
from kubelint_gpu.scheduler import Snapshot, merged

DEFAULT_BUDGET = 20_000


@dataclass(frozen=True, slots=True)
class Judgement:
    """What becomes of one workload.

    Attributes:
        workload: the workload, as it shall be.
        verdict: whether its rollout ends; None where it has no rollout to end.
        by_bound: whether a closed form decided it; else the search did.
        states: how many states the search looked at.
        wanted: pods it wants.
        placed: how many of them can run at once before anything is rolled, beside everything else.
        alone: how many could if only the inventory's running pods were there.
        eligible: the nodes that take its pod when nothing else runs.
        trace: the shortest run that gets stuck; None where none does.
    """

    workload: Workload
    verdict: Verdict | None
    by_bound: bool = True
    states: int = 0
    wanted: int = 0
    placed: int = 0
    alone: int = 0
    eligible: frozenset[str] = frozenset()
    trace: Trace | None = None


@dataclass(frozen=True, slots=True)
class Transition:
    """A workload as it shall be and as it is; equal where only the template's hash changes."""

    new: Workload
    old: Workload


def judge(
    transitions: Sequence[Transition], cluster: Cluster, *, budget: int = DEFAULT_BUDGET
) -> tuple[Judgement, ...]:
    """Judge each workload's rollout while the others keep running.

    All workloads have their priority resolved; all start at full replicas of the old template.
    `budget` is in states, per workload.
    """
    participants, rest = _participants(transitions, cluster)
    empty = Snapshot.of(replace(cluster, pods=()))
    eligible = [eligible_nodes(merged(found.new.pod(found.new.meta.name, "new")), empty) for found in participants]
    demands = [_demand(found, nodes, cluster) for found, nodes in zip(participants, eligible, strict=True)]
    residual = _residual(cluster, rest)
    groups = components(demands, residual)
    found = []
    for number in range(len(participants)):
        mine = [other for other, group in enumerate(groups) if group == groups[number]]
        near = frozenset().union(*(eligible[other] for other in mine))
        jury = _Jury(cluster, participants, rest, mine, near, budget)
        found.append(jury.judge(number, eligible[number], roomy=always_room(number, demands, residual)))
    return tuple(found)


def _participants(transitions: Sequence[Transition], cluster: Cluster) -> tuple[list[Participant], list[Pod]]:
    """The workloads with their running pods, and the running pods of nobody here."""
    left = [pod for pod in cluster.pods if pod.spec.node_name and not pod.finished]
    found = []
    for transition in transitions:
        own = own_pods(transition.new, left)
        gone = {id(pod) for pod in own}
        left = [pod for pod in left if id(pod) not in gone]
        found.append(Participant(transition.new, transition.old, own))
    return found, left


def _demand(participant: Participant, nodes: frozenset[str], cluster: Cluster) -> Demand:
    workload = participant.new
    most = participant.old.replicas
    if isinstance(workload.strategy, DeploymentStrategy):
        most = participant.old.replicas * 2 + workload.replicas + resolve(workload.strategy, workload.replicas).surge
    old, new = takes(participant.old.pod("old")), takes(workload.pod("new"))
    each = {name: max(old.get(name, 0), new.get(name, 0)) for name in (*old, *new)}
    spec = workload.spec
    simple = not (
        spec.pod_affinity
        or spec.pod_anti_affinity
        or any(constraint.do_not_schedule for constraint in spec.spread)
        or any(volume.kind in ("persistentVolumeClaim", "ephemeral") for volume in spec.volumes)
        or any(container.host_ports for container in (*spec.containers, *spec.init_containers))
        or any(quota.covers(workload.pod("new")) for quota in cluster.quotas)
    )
    return Demand(nodes, type(new)(each), most, simple)


def _residual(cluster: Cluster, fixed: Sequence[Pod]) -> dict[str, dict[str, int]]:
    residual = {node.name: dict(node.allocatable) for node in cluster.nodes}
    for pod in fixed:
        free = residual.get(pod.spec.node_name)
        if free is not None:
            for name, amount in takes(pod).items():
                free[name] = free.get(name, 0) - amount
    return residual


class _Jury:
    """One group of workloads that can compete for something."""

    def __init__(
        self,
        cluster: Cluster,
        participants: Sequence[Participant],
        rest: Sequence[Pod],
        members: Sequence[int],
        near: frozenset[str],
        budget: int,
    ) -> None:
        self._cluster = cluster
        self._participants = [participants[number] for number in members]
        self._members = list(members)
        self._budget = budget
        highest = max((found.new.spec.priority or 0) for found in self._participants)
        self.outsiders = [
            pod for pod in rest if pod.spec.node_name in near and ((pod.spec.priority or 0) < highest or _ends(pod))
        ]
        gone = {id(pod) for pod in self.outsiders}
        self._fixed = [pod for pod in rest if id(pod) not in gone]

    def judge(self, number: int, eligible: frozenset[str], *, roomy: bool) -> Judgement:
        """The judgement of the participant with this number, who is one of the group."""
        position = self._members.index(number)
        participant = self._participants[position]
        workload, replicas = participant.new, participant.old.replicas
        blank = Judgement(workload, None, wanted=replicas, placed=replicas, alone=replicas, eligible=eligible)
        rolls = isinstance(workload.strategy, DeploymentStrategy)
        if not eligible or (not rolls and not replicas):
            return replace(blank, placed=0, alone=0) if not eligible else blank
        if roomy:
            return replace(blank, verdict=Verdict.COMPLETES if rolls else None)
        scene = self._scene(frozenset({position}) if rolls else frozenset())
        alone = self._alone(position, scene)
        isolated = len(self._participants) == 1 and scene.local and not self.outsiders and not self._cluster.quotas
        if isolated and alone < replicas:
            return replace(blank, placed=alone, alone=alone)
        if isolated and rolls and _interchangeable(participant):
            return self._by_slots(participant, scene, blank)
        return self._by_search(position, scene, replace(blank, alone=alone))

    def _by_slots(self, participant: Participant, scene: Scene, blank: Judgement) -> Judgement:
        workload = participant.new
        strategy = workload.strategy
        assert isinstance(strategy, DeploymentStrategy)  # noqa: S101 - asked by the caller
        if strategy.paused:
            return replace(blank, verdict=Verdict.COMPLETES)
        needed = slots_needed(strategy, workload.replicas)
        if scene.places.capacity(0, needed) >= needed:
            return replace(blank, verdict=Verdict.COMPLETES)
        start = self._some_start(scene)
        found = explore([start], scene.model.successors, scene.model.done, self._budget) if start else None
        if found is None or not found.path:
            return replace(blank, verdict=Verdict.STUCK)
        return replace(blank, verdict=Verdict.STUCK, states=found.states, trace=self._replayed(scene, found.path))

    def _by_search(self, position: int, scene: Scene, blank: Judgement) -> Judgement:
        starts = placements(scene.cast, scene.model, scene.places, local=scene.local, budget=self._budget)
        kind = _old_kind(scene.cast, position)
        blank = replace(blank, by_bound=False, states=starts.looked_at, placed=starts.placed[kind])
        rolls = isinstance(blank.workload.strategy, DeploymentStrategy)
        if not starts.full:
            return blank if starts.complete else replace(blank, verdict=Verdict.UNDECIDED if rolls else None)
        blank = replace(blank, placed=blank.wanted)
        if not rolls:
            return blank
        found = explore(starts.full, scene.model.successors, scene.model.done, self._budget)
        verdict = _cut(found.verdict, starts)
        trace = self._replayed(scene, found.path) if found.path else None
        return replace(blank, verdict=verdict, states=starts.looked_at + found.states, trace=trace)

    def _scene(self, rolling: frozenset[int]) -> Scene:
        return build_scene(self._cluster, cast(self._participants, rolling, self.outsiders), self._fixed)

    def _alone(self, position: int, scene: Scene) -> int:
        """How many pods of the workload fit beside the inventory's running pods only."""
        participant = self._participants[position]
        replicas = participant.old.replicas
        if scene.local and len(self._participants) == 1 and not self.outsiders:
            return scene.places.capacity(_old_kind(scene.cast, position), replicas)
        solo = build_scene(self._cluster, cast([participant], frozenset(), self.outsiders), self._fixed)
        starts = placements(solo.cast, solo.model, solo.places, local=solo.local, budget=self._budget)
        return replicas if starts.full else starts.placed[0]

    def _some_start(self, scene: Scene) -> State | None:
        starts = placements(scene.cast, scene.model, scene.places, local=scene.local, budget=self._budget)
        return starts.full[0] if starts.full else None

    def _replayed(self, scene: Scene, path: Sequence[State]) -> Trace:
        return replay(scene, path, replace(self._cluster, pods=tuple(self._fixed)))


def _cut(verdict: Verdict, starts: Starts) -> Verdict:
    """What a search from some of the placements proves of all of them."""
    if starts.complete:
        return verdict
    return {Verdict.STUCK: Verdict.MAY_STICK, Verdict.COMPLETES: Verdict.UNDECIDED}.get(verdict, verdict)


def _old_kind(found: Cast, position: int) -> int:
    """The kind of the old pods of the participant at a position: kinds of old pods come in their order."""
    old = [number for number, kind in enumerate(found.kinds) if not kind.new]
    return old[position]


def _interchangeable(participant: Participant) -> bool:
    """Whether old and new pods take the same and may go to the same nodes."""
    return participant.old.spec == participant.new.spec and not participant.running


def _ends(pod: Pod) -> bool:
    return pod.spec.restart_policy in ("OnFailure", "Never")
