"""Filters and preemption by brute force: pod by pod, node by node, without any memory."""

from __future__ import annotations

import itertools

from reference_case import GONE_SOON, B, E, L, N, R, S, W, World

from kubelint_gpu.values import replace


class Scheduler:
    def __init__(self, case, most=20_000):
        self.case = case
        self.most = most
        joining = [replace(case.pool, name=f"pool+{number + 1}") for number in range(case.most)] if case.pool else []
        self.joining = tuple(joining)
        self.node = {node.name: node for node in (*case.nodes, *joining)}

    def nodes(self, world):
        return (*self.case.nodes, *self.joining[: world.joined])

    def template(self, pod):
        work = self.case.works[pod.owner]
        return work.new if pod.new else work.old

    def eligible(self, template, node):
        return not template.pool or node.zone == template.pool

    def selects(self, mine, mine_pod, other):
        if mine_pod.owner != other.owner:
            return False
        return not mine.by_revision or mine_pod.new == other.new

    def same(self, key, one, other):
        return one.name == other.name if key == "host" else one.zone == other.zone

    def fits(self, pod, node, there, nodes):
        """`there`: (pod, node name) of everything that holds a place."""
        mine = self.template(pod)
        if not self.eligible(mine, node):
            return False
        if self.case.works[pod.owner].kind == "DaemonSet" and f"n{pod.number}" != node.name:
            return False
        here = [other for other, name in there if name == node.name]
        if len(here) + 1 > node.pods:
            return False
        if mine.gpu and sum(self.template(other).gpu for other in here) + mine.gpu > node.gpu:
            return False
        if mine.cpu and sum(self.template(other).cpu for other in here) + mine.cpu > node.cpu:
            return False
        if mine.port and any(self.template(other).port == mine.port for other in here):
            return False
        if mine.claim == "rwop" and any(
            other.owner == pod.owner and self.template(other).claim == "rwop" for other, _ in there
        ):
            return False
        return (
            self.far_enough(pod, mine, node, there)
            and self.near_enough(pod, mine, node, there)
            and (not mine.spread or self.even_enough(pod, mine, node, there, nodes))
        )

    def far_enough(self, pod, mine, node, there):
        for other, name in there:
            theirs, its = self.template(other), self.node[name]
            if mine.anti and self.same(mine.anti, node, its) and self.selects(mine, pod, other):
                return False
            if theirs.anti and self.same(theirs.anti, node, its) and self.selects(theirs, other, pod):
                return False
            if mine.away and other.owner == mine.away_to and self.same(mine.away, node, its):
                return False
            if theirs.away and pod.owner == theirs.away_to and self.same(theirs.away, node, its):
                return False
        return True

    def near_enough(self, pod, mine, node, there):
        if not mine.near:
            return True
        wanted = pod.owner if mine.near_to < 0 else mine.near_to
        them = [name for other, name in there if other.owner == wanted]
        if not them and wanted == pod.owner:
            return True
        return any(self.same(mine.near, node, self.node[name]) for name in them)

    def even_enough(self, pod, mine, node, there, nodes):
        def domain(one):
            return one.name if mine.spread == "host" else one.zone

        counts = {domain(one): 0 for one in nodes if self.eligible(mine, one)}
        for other, name in there:
            there_counts = self.eligible(mine, self.node[name]) and domain(self.node[name]) in counts
            if there_counts and self.selects(mine, pod, other) and other.phase not in GONE_SOON:
                counts[domain(self.node[name])] += 1
        fewest = min(counts.values()) if len(counts) >= max(1, mine.domains) else 0
        return counts[domain(node)] + 1 - fewest <= mine.skew

    def standing(self, pod, world):
        """What a pod finds: everything bound, and nominated pods of no lower priority; also without these."""
        bound = [(other, other.node) for other in world.pods if other.phase in (S, R, L, E, B)]
        priority = self.template(pod).priority
        nominated = [
            (other, other.node)
            for other in world.pods
            if other.phase == N
            and self.template(other).priority >= priority
            and (other.owner, other.number, other.new) != (pod.owner, pod.number, pod.new)
        ]
        return bound, nominated

    def feasible(self, pod, node, bound, nominated, nodes):
        mine = [one for one in nominated if one[1] == node.name]
        # nominated pods of the node under test only
        return self.fits(pod, node, bound + mine, nodes) and self.fits(pod, node, bound, nodes)

    def fitting(self, pod, world):
        bound, nominated = self.standing(pod, world)
        nodes = self.nodes(world)
        return [node for node in nodes if self.feasible(pod, node, bound, nominated, nodes)]

    def allowed(self, world):
        """Per budget, how many more of its pods may go."""
        left = []
        for owner, kind, number in self.case.budgets:
            healthy = sum(1 for pod in world.pods if pod.owner == owner and pod.phase == R)
            wanted = number if kind == "min" else self.case.works[owner].replicas - number
            left.append(max(0, healthy - max(0, wanted)))
        return left

    def breaking(self, ordered, world):
        """Those whose eviction breaks a budget, the more important ones using it up first."""
        left, found = self.allowed(world), []
        for pod in ordered:
            broken = False
            for number, (owner, _, _) in enumerate(self.case.budgets):
                if owner == pod.owner:
                    left[number] -= 1
                    broken = broken or left[number] < 0
            if broken:
                found.append(pod)
        return found

    def preemptions(self, pod, world):
        mine = self.template(pod)
        if mine.never:
            return None
        if pod.phase == N and any(
            other.phase == E and other.node == pod.node and self.template(other).priority < mine.priority
            for other in world.pods
        ):
            return None
        bound, nominated = self.standing(pod, world)
        found = []
        nodes = self.nodes(world)
        for node in nodes:
            lower = [
                other for other, name in bound if name == node.name and self.template(other).priority < mine.priority
            ]
            if not lower:
                continue
            left = [one for one in bound if one[0] not in lower]
            if not self.feasible(pod, node, left, nominated, nodes):
                continue
            victim_sets = set()
            for order in itertools.permutations(sorted(lower)):
                ranked = sorted(order, key=lambda other: -self.template(other).priority)
                breaking = self.breaking(ranked, world)
                kept = list(left)
                victims = []
                for other in [*breaking, *(one for one in ranked if one not in breaking)]:
                    if self.feasible(pod, node, [*kept, (other, node.name)], nominated, nodes):
                        kept.append((other, node.name))
                    else:
                        victims.append(other)
                if victims:
                    victim_sets.add((sum(one in breaking for one in victims), frozenset(victims)))
            for violations, victims in victim_sets:
                priorities = sorted((self.template(other).priority for other in victims), reverse=True)
                key = (violations, priorities[0], sum(one + 2**31 for one in priorities), len(priorities))
                found.append((key, node, victims))
        if not found:
            return []
        # ages are unknown, so that on each node any of its victim sets may be the one that is compared
        by_node = {}
        for key, node, victims in found:
            by_node.setdefault(node.name, []).append((key, node, victims))
        chosen = set()
        for combination in itertools.product(*by_node.values()):
            best = min(key for key, _, _ in combination)
            chosen.update((node.name, victims) for key, node, victims in combination if key == best)
        return sorted(chosen, key=repr)

    def swap(self, world, pod, other):
        pods = world.pods - {pod}
        return replace(world, pods=pods | {other} if other else pods)

    def would_fit_on_one_more(self, pod, world):
        """The world with one more node of the pool, where a pod that fits nowhere fits on it."""
        if world.joined >= len(self.joining) or self.case.works[pod.owner].kind == "DaemonSet":
            return None
        after = replace(world, joined=world.joined + 1)
        added = self.joining[world.joined]
        return after if added in self.fitting(replace(pod, phase=W, node=""), after) else None

    def scheduler(self, pod, world):
        fitting = self.fitting(pod, world)
        if pod.phase == N and self.node[pod.node] in fitting:
            fitting = [self.node[pod.node]]
        if fitting:
            for node in fitting:
                yield self.swap(world, pod, replace(pod, phase=S, node=node.name))
            return
        larger = self.would_fit_on_one_more(pod, world)
        if larger is not None:
            yield larger
        choices = self.preemptions(pod, world)
        if choices is None:
            return
        if not choices and pod.phase == N:
            yield self.swap(world, pod, replace(pod, phase=W, node=""))
        for name, victims in choices:
            pods = set()
            for other in world.pods:
                if other == pod:
                    pods.add(replace(pod, phase=N, node=name))
                elif other in victims:
                    pods.add(other if other.phase in GONE_SOON else replace(other, phase=E))
                elif (
                    other.phase == N
                    and other.node == name
                    and self.template(other).priority < self.template(pod).priority
                ):
                    pods.add(replace(other, phase=W, node=""))
                else:
                    pods.add(other)
            yield replace(world, pods=frozenset(pods))

    def kubelet(self, pod, world):
        """What the kubelet of a pod's node does with it."""
        if pod.phase == S and not self.attached_elsewhere(pod, world):
            yield self.swap(world, pod, replace(pod, phase=R))
        elif pod.phase == R and self.case.works[pod.owner].whole:
            mine = {other for other in world.pods if other.owner == pod.owner}
            if sum(other.phase == R for other in mine) == self.case.works[pod.owner].replicas:
                yield replace(world, pods=world.pods - mine)
        elif (pod.phase == R and self.case.works[pod.owner].kind == "Job") or pod.phase in (L, E):
            yield self.swap(world, pod, None)

    def attached_elsewhere(self, pod, world):
        """Whether another node still has the volume that one node at a time can attach."""
        return self.template(pod).claim == "rwo" and any(
            other.owner == pod.owner
            and self.template(other).claim == "rwo"
            and other.phase in (R, L, E, B)
            and other.node != pod.node
            for other in world.pods
        )


def empty_world(case):
    return World(frozenset(), tuple((0, -1) for _ in case.works))
