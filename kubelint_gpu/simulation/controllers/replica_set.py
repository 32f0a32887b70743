"""ReplicaSets: their controller creates missing pods and deletes surplus pods, all at once.

Behaviour: pkg/controller/replicaset, 1.34.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.simulation.controllers.controller import Controller
from kubelint_gpu.simulation.controllers.pod_type_builder import PodTypeBuilder
from kubelint_gpu.simulation.controllers.reconciler import Action, Control, EqualNodes

if TYPE_CHECKING:
    from kubelint_gpu.simulation.controllers.rollout_state import Census


def keep(
    kind: int, wanted: int, control: Control, seen: Census, family: tuple[int, ...], name: str, by: str = "ReplicaSet"
) -> Iterator[Action]:
    """The action of a controller (`by`) that keeps `wanted` pods of one kind."""
    active, name = seen.active(kind), name.replace("/", " ", 1)
    if active < wanted:
        missing = wanted - active
        told = f"creates {missing} pod{'s' if missing > 1 else ''} of {name}"
        yield Action(control, told, create=(kind, missing), by=by)
    elif active > wanted:
        surplus = active - wanted
        told = f"deletes {surplus if surplus > 1 else 'a'} pod{'s' if surplus > 1 else ''} of {name}"
        yield Action(control, told, delete=(kind, surplus), family=family, by=by)


class KeepsReplicas(EqualNodes):
    """The reconciler of pods that are not rolled out: it only replaces lost pods.

    Used for ReplicaSets and ReplicationControllers, and for every workload while another one is rolled out. It creates
    pods of one kind; `others` are kinds that it no longer creates.
    """

    name: str
    kind: int
    replicas: int
    others: tuple[int, ...] = ()

    @property
    def kinds(self) -> tuple[int, ...]:
        """The kind of the pods that it creates, then the others."""
        return (self.kind, *self.others)

    @property
    def rolls(self) -> bool:
        """Always False."""
        return False

    def actions(self, control: Control, seen: Census) -> Iterator[Action]:
        """Create lost pods again; delete surplus pods of the current kind first."""
        others = [kind for kind in self.others if seen.active(kind)]
        there = sum(seen.active(kind) for kind in others)
        if there > self.replicas and not seen.active(self.kind):
            wanted = max(0, seen.active(others[0]) - there + self.replicas)
            return keep(others[0], wanted, control, seen, self.kinds, self.name)
        return keep(self.kind, max(0, self.replicas - there), control, seen, self.kinds, self.name)

    def done(self, _control: Control, seen: Census) -> bool:
        """Whether all replicas are available."""
        return sum(seen.ready(kind) for kind in self.kinds) >= self.replicas


class MakesPods(KeepsReplicas):
    """The reconciler of pods that are created once, `at_once` together: those of a new Job, or a new bare pod.

    Its control is the number of pods that are left to create.
    """

    at_once: int = 1
    ends: bool = False

    def begin(self) -> Control:
        """The control at the start: no pod is created yet."""
        return (self.replicas,)

    def actions(self, control: Control, _seen: Census) -> Iterator[Action]:
        """Create the pods that are not created yet."""
        number = min(control[0], self.at_once)
        if number:
            told = f"creates {number} pod{'s' if number > 1 else ''} of {self.name.replace('/', ' ', 1)}"
            yield Action((control[0] - number,), told, create=(self.kind, number))

    def done(self, control: Control, seen: Census) -> bool:
        """Whether all its pods have ended or, if they do not end, run."""
        return not control[0] and (not seen.active(self.kind) if self.ends else KeepsReplicas.done(self, control, seen))


class ReplicaSetController(Controller):
    """A controller that only replaces lost pods, as of a ReplicaSet or a ReplicationController."""

    @property
    def on_delete(self) -> bool:
        """Whether its strategy says so. Without rollouts, only pods created later have the new template."""
        return not (self.rolls or self.runs_to_completion) or getattr(self.workload.strategy, "on_delete", False)

    def add_pods(self, builder: PodTypeBuilder, *, rolling: bool, scaling: bool) -> None:
        """Add its pods; a new workload whose lost pods are not replaced creates them when the others change."""
        change, ends = builder.change, self.terminates
        if change.existing or not scaling or (self.replaces_lost and not ends):
            Controller.add_pods(self, builder, rolling=rolling, scaling=scaling)
            return
        pod, wanted = builder.new_pod(), change.replicas
        kind = (
            builder.ending_type(pod, 0, (), whole=wanted if change.whole else 0, made=True)
            if ends
            else builder.pod_type(pod, 0)
        )
        charged = any(quota.covers(pod) for quota in builder.cluster.quotas)
        builder.add(MakesPods(change.new.key, kind, wanted, at_once=1 if charged else wanted, ends=ends))

    def makes_other_pods(self, builder: PodTypeBuilder) -> bool:
        """Whether new pods differ from running ones: by a template that is not rolled out, or by admission."""
        change = builder.change
        return change.old is not change.new and (self.on_delete or change.old.spec != change.new.spec)

    def add_steady(self, builder: PodTypeBuilder, *, scaling: bool) -> None:
        """Add all its replicas or, with `scaling`, the pods before it is scaled."""
        change = builder.change
        comes = change.known or not change.existing
        first = change.sure if scaling else max(change.before, change.replicas if comes else 0)
        sure, more = change.sure, change.replicas - first
        found = builder.revisions(first)
        makes_others = change.existing and not change.settled and self.makes_other_pods(builder)
        for place, revision in enumerate(found):
            mine = min(sure, revision.number)
            sure -= mine
            if not self.replaces_lost:
                builder.lone_type(revision.pod, revision.number, revision.running, mine)
                continue
            number = builder.pod_type(revision.pod, revision.number, revision.running, mine)
            last = scaling and place == len(found) - 1
            wanted = max(0, revision.number + more) if last else revision.number
            made = builder.pod_type(builder.new_pod(), 0) if makes_others else number
            builder.add(KeepsReplicas(change.new.key, made, wanted, (number,) if makes_others else ()))


class CustomController(ReplicaSetController):
    """The controller of a custom resource that replaces its pods unlike any kind of Kubernetes.

    Unknown properties are assumed at their worst: all new pods can be created beside the old ones, and no pod is kept.
    """

    rolls = True
    counted = False

    def surge(self, replicas: int) -> int:
        """All replicas."""
        return replicas

    def surplus(self, replicas: int) -> int:
        """All replicas."""
        return replicas

    def places_needed(self, replicas: int) -> int:
        """At most twice the replicas."""
        return 2 * replicas


class PodController(ReplicaSetController):
    """A bare pod, which no controller creates again."""

    replaces_lost = False

    def owns(self, pod: Pod) -> bool:
        """Whether the pod has the name of this one and no owner."""
        return self.is_owner(pod.meta.owner) if pod.meta.owner is not None else pod.meta.name == self.workload.meta.name
