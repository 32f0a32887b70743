"""A ReplicaSet: it creates what is missing and deletes what is too much, all of it at once.

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
    """What a controller (`by`) that keeps `wanted` pods of one kind does about them."""
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
    """The reconciler of pods that are not rolled: it only replaces what is lost.

    That of ReplicaSets and ReplicationControllers, and of everything else while another workload is rolled. It makes
    pods of one kind, and has `others` that are no longer made as they were.
    """

    name: str
    kind: int
    replicas: int
    others: tuple[int, ...] = ()

    @property
    def kinds(self) -> tuple[int, ...]:
        """That of the pods that it makes, and the others."""
        return (self.kind, *self.others)

    @property
    def rolls(self) -> bool:
        """It rolls nothing out."""
        return False

    def actions(self, control: Control, seen: Census) -> Iterator[Action]:
        """Pods that were evicted are created again; of too many those go first that are made now."""
        others = [kind for kind in self.others if seen.active(kind)]
        there = sum(seen.active(kind) for kind in others)
        if there > self.replicas and not seen.active(self.kind):
            wanted = max(0, seen.active(others[0]) - there + self.replicas)
            return keep(others[0], wanted, control, seen, self.kinds, self.name)
        return keep(self.kind, max(0, self.replicas - there), control, seen, self.kinds, self.name)

    def done(self, _control: Control, seen: Census) -> bool:
        """All replicas are available."""
        return sum(seen.ready(kind) for kind in self.kinds) >= self.replicas


class MakesPods(KeepsReplicas):
    """The reconciler of pods that are made once, `at_once` so many: of a new Job, whose pods end, or a new bare pod.

    How many are left, it writes.
    """

    at_once: int = 1
    ends: bool = False

    def begin(self) -> Control:
        """It has made none."""
        return (self.replicas,)

    def actions(self, control: Control, _seen: Census) -> Iterator[Action]:
        """The pods that it has not made yet are made."""
        number = min(control[0], self.at_once)
        if number:
            told = f"creates {number} pod{'s' if number > 1 else ''} of {self.name.replace('/', ' ', 1)}"
            yield Action((control[0] - number,), told, create=(self.kind, number))

    def done(self, control: Control, seen: Census) -> bool:
        """All its pods have ended, or run where they do not end."""
        return not control[0] and (not seen.active(self.kind) if self.ends else KeepsReplicas.done(self, control, seen))


class ReplicaSetController(Controller):
    """A controller that replaces the pods it loses and nothing else, as of a ReplicaSet or a ReplicationController."""

    @property
    def on_delete(self) -> bool:
        """Whether its strategy says so; without a rollout a new template is for the pods that are made from then on."""
        return not (self.rolls or self.runs_to_completion) or getattr(self.workload.strategy, "on_delete", False)

    def add_pods(self, builder: PodTypeBuilder, *, rolling: bool, scaling: bool) -> None:
        """A new one that makes no lost pod again makes its pods at the same moment as others change."""
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
        """Whether what it makes now differs from what runs: by a template that is not rolled out, or by admission."""
        change = builder.change
        return change.old is not change.new and (self.on_delete or change.old.spec != change.new.spec)

    def add_steady(self, builder: PodTypeBuilder, *, scaling: bool) -> None:
        """With all its replicas, or with what runs before it is scaled."""
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
    """A controller of a custom resource that replaces its pods unlike any kind of Kubernetes.

    What is left out is taken to be at its worst: all new pods may be made beside the old ones, and none is kept.
    """

    rolls = True
    counted = False

    def surge(self, replicas: int) -> int:
        """All of them."""
        return replicas

    def surplus(self, replicas: int) -> int:
        """All of them."""
        return replicas

    def places_needed(self, replicas: int) -> int:
        """At most twice as many."""
        return 2 * replicas


class PodController(ReplicaSetController):
    """A bare pod: nobody makes it again."""

    replaces_lost = False

    def owns(self, pod: Pod) -> bool:
        """The pod of its name, where that has no owner."""
        return self.is_owner(pod.meta.owner) if pod.meta.owner is not None else pod.meta.name == self.workload.meta.name
