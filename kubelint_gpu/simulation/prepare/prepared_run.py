"""What is made of transitions and a cluster before anything is judged: made once, and asked by all questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kubelint_gpu.budget import SIMULATION
from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.scheduler import Snapshot
from kubelint_gpu.scheduler.framework.facts import Unique
from kubelint_gpu.scheduler.relations import asks, first_alike, refusers
from kubelint_gpu.simulation.growth import Growth, possible_nodes
from kubelint_gpu.simulation.prepare.bounded import bounded
from kubelint_gpu.simulation.prepare.budgets_and_quotas import with_counted_budgets, with_unknown_use
from kubelint_gpu.simulation.prepare.demand import Demand, Residual, takes
from kubelint_gpu.simulation.prepare.displaced import displaced
from kubelint_gpu.simulation.prepare.locality import eligible_nodes
from kubelint_gpu.simulation.prepare.participants import participants_of
from kubelint_gpu.simulation.prepare.volumes import with_bound_claims
from kubelint_gpu.simulation.prepare.workload_change import anonymous, created_pod, is_temporary
from kubelint_gpu.simulation.prepare.workload_claims import wanted_storage, with_template_claims, without_shared_claims
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace

if TYPE_CHECKING:
    from kubelint_gpu.scheduler.plugins.dynamic_resources.device_room import DeviceRoom


class PreparedRun:
    """All workloads of one run, the cluster as rollouts find it, and what each of them may take where.

    Attributes:
        workloads: as they shall be; of `participants` some have fewer pods than they want.
        participants: the workloads with what runs of them.
        rest: the running pods of nobody among them.
        waiting: the pods of nobody among them that have no node, without those that end by themselves some day.
        cluster: without the claims that decide nothing, with those of templates.
        empty: the cluster without pods.
        grown: nodes that pools may add; None without any.
        pods: for each participant an old and a new pod.
        alike: for each participant which of the pods, counted on, are the first that its old and its new pod are like.
        eligible: for each participant the nodes that take a new pod when nothing else runs.
        volumes: for each participant what of the storage it wants that others may take: classes, and drivers.
        allocatable: what each node has, those that may join included.
        demands: for each participant what its pods may take.
        driven: for each participant the pods that it may preempt and that come again elsewhere.
    """

    def __init__(self, transitions: Sequence[Transition], cluster: Cluster, growth: Sequence[Growth] = ()) -> None:
        users = [one for transition in transitions for one in (transition.old, transition.new)]
        cluster = with_bound_claims(with_template_claims(cluster, transitions), users)
        self.workloads = tuple(one.new for one in transitions)
        transitions, cluster = without_shared_claims(transitions, cluster)
        enough = sum(2 * one.new.replicas + one.old.replicas + 1 for one in transitions)
        grown = possible_nodes(growth, enough)
        nodes = (*cluster.nodes, *(grown.nodes if grown is not None else ()))
        transitions = [bounded(one, cluster, nodes) for one in transitions]
        self.participants, self.rest, waiting = participants_of(transitions, cluster)
        self.waiting = [pod for pod in waiting if not is_temporary(pod)]
        cluster = with_counted_budgets(cluster, self.participants, self.rest)
        cluster = with_unknown_use(cluster, self.participants, self.waiting)
        self.cluster = cluster
        self.empty = Snapshot.of(replace(cluster, pods=()))
        self._everywhere = self.empty
        if grown is not None:
            self._everywhere = Snapshot.of(replace(grown.added_to(cluster), pods=()))
        self.pods = [(created_pod(found.old, "old"), created_pod(found.new, "new")) for found in self.participants]
        self._others = [*self.rest, *(pod for pods in self.pods for pod in pods)]
        self._others += [pod for found in self.participants for pod in found.running]
        first = first_alike([pod for both in self.pods for pod in both], self._others) if len(self.pods) > 1 else (0, 1)
        self.alike = tuple(zip(first[::2], first[1::2], strict=True))
        known: dict[int, frozenset[str]] = {}
        self.eligible: list[frozenset[str]] = []
        for found, (_, new), (_, kind) in zip(self.participants, self.pods, self.alike, strict=True):
            if kind not in known:
                known[kind] = self.eligible_for(new)
            self.eligible.append(known[kind] & frozenset(found.nodes) if found.daemons else known[kind])
        self.volumes = [
            wanted_storage(one.new, pods, cluster, self.empty)
            for one, pods in zip(self.participants, self.pods, strict=True)
        ]
        self.grown = grown
        every = (*cluster.nodes, *(grown.nodes if grown is not None else ()))
        self.allocatable = {node.name: node.allocatable for node in every}
        self._rooms = self._device_rooms()
        every_pod = (*self.rest, *(pod for both in self.pods for pod in both))
        self._refused = refusers(every_pod, Unique(self.cluster, asked=False))
        self.demands = [self._demand(number) for number in range(len(self.participants))]
        self.driven = displaced(self.participants, self.demands, self.rest, self.residual(self.rest), self.eligible_for)

    def eligible_for(self, pod: Pod) -> frozenset[str]:
        """The nodes that take a pod when nothing else runs, those that may join included."""
        return eligible_nodes(pod, self._everywhere, self._others)

    def residual(self, fixed: Sequence[Pod]) -> Residual:
        """What some pods leave of each node; nodes that may or may not come give room to nobody for certain."""
        residual = Residual({node.name: node.allocatable for node in self.cluster.nodes})
        for pod in fixed:
            free = residual.get(pod.spec.node_name)
            if free is not None:
                for name, amount in takes(pod).items():
                    free[name] = free.get(name, 0) - amount
        for node in self.grown.nodes if self.grown is not None else ():
            residual[node.name] = dict.fromkeys(node.allocatable, 0)
        return residual

    def _demand(self, number: int) -> Demand:
        participant = self.participants[number]
        controller, (old, new) = participant.controller, self.pods[number]
        before, after = participant.before, participant.replicas
        # the two pods of a node are no surplus: when nothing moves any more, it has one
        surge = 0 if participant.daemons else controller.surge(after)
        surplus = controller.surplus(after)
        waits_first = participant.daemons or surplus or not controller.keeps_until_ready(after)
        lacking = int(waits_first and (participant.rolling or controller.has_replica_sets))
        unequal = before != after
        amounts = [takes(old), takes(new), *(takes(pod) for pod in (*participant.running, *participant.waiting))]
        each: dict[str, int] = {}
        for one in amounts:
            for name, amount in one.items():
                each[name] = max(amount, each.get(name, 0))
        least = {name: min(one.get(name, 0) for one in amounts) for name in each}
        mine = self.eligible[number]
        before_at = mine
        if participant.old is not participant.new:
            before_at = self.eligible_for(old)
        nodes = mine | before_at | {pod.spec.node_name for pod in participant.running}
        for pod in participant.waiting:
            nodes |= self.eligible_for(anonymous(pod))
        waits = len(participant.waiting)
        whole = max(before, after) + (surge if unequal else surplus) + waits
        rooms = self._rooms.get(number, [])
        room = rooms[-1] if rooms and new.spec.resource_claims else None
        simple = nodes == mine == before_at and not participant.daemons and self._is_simple(number)
        return Demand(
            nodes=nodes,
            each=FrozenMap(each),
            most=2 * before + after + surge + waits,
            rest=whole if unequal else max(0, after + surplus - lacking) + waits,
            whole=whole,
            simple=simple and room is None,
            least=FrozenMap(least),
            on_each=SIMULATION.daemons_on_a_node if participant.daemons else None,
            devices=max(
                [
                    *(one.most for one in rooms),
                    *(sum(len(one.devices) for _, one in pod.allocations) for pod in participant.running),
                ],
                default=0,
            ),
            prices=room.prices if simple and room is not None else None,
            alike_devices=room is not None and room.alike,
        )

    def _device_rooms(self) -> dict[int, list[DeviceRoom]]:
        """What bounds know of the devices of an old and a new pod of each workload."""
        asking = [one for one in self.participants if one.old.spec.resource_claims or one.new.spec.resource_claims]
        if not asking or not self.cluster.devices_known or any(one.daemons for one in asking):
            return {}
        from kubelint_gpu.scheduler.plugins.dynamic_resources.device_room import device_rooms

        every, most = [pod for both in self.pods for pod in both], sum(one.before + one.replicas for one in asking)
        found = device_rooms(every, self.rest, self.cluster, most)
        return grouped((place // 2, room) for place, room in found.items())

    def _is_simple(self, number: int) -> bool:
        """Whether nothing but resources can keep its pods off a node, or keep them from being made."""
        if self.participants[number].controller.has_own_claims(self.cluster):
            return False
        mine = self.pods[number]
        if number in self._rooms:
            mine = without_claims(mine[0]), without_claims(mine[1])
        if any(asks(pod) or any(quota.covers(pod) for quota in self.cluster.quotas) for pod in mine):
            return False
        if not any(map(self._refused, mine)):
            return True
        others = [one for place, pods in enumerate(self.pods) if place != number for one in pods]
        return not any(map(refusers((*others, *self.rest), Unique(self.cluster, asked=False)), mine))


def without_claims(pod: Pod) -> Pod:
    """The pod as if it had no claims to devices."""
    return replace(pod, spec=replace(pod.spec, resource_claims=()))
