"""A rollout played by brute force: individual nodes, individual pods, every order; no folding, no bounds, no memory.

Written against the descriptions of the controllers and of the scheduler, not against the code that it checks.
"""

from __future__ import annotations

import itertools
import random

from kubelint_gpu.values import dataclass, replace

W, N, S, R, L, E = "waiting", "nominated", "starting", "ready", "leaving", "evicted"
ACTIVE = (W, N, S, R)


@dataclass(frozen=True, slots=True)
class Node:
    name: str
    zone: str
    gpu: int
    cpu: int
    pods: int


@dataclass(frozen=True, slots=True)
class Template:
    gpu: int = 1
    cpu: int = 0
    pool: str = ""
    port: int = 0
    anti: str = ""
    spread: str = ""
    by_revision: bool = False
    priority: int = 0
    never: bool = False


@dataclass(frozen=True, slots=True)
class Work:
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

    @property
    def started(self) -> int:
        return self.replicas if self.before < 0 else self.before


@dataclass(frozen=True, slots=True)
class Case:
    nodes: tuple[Node, ...]
    works: tuple[Work, ...]
    judged: tuple[int, ...] = (0,)
    quota: int = -1
    gate: bool = False
    known: tuple[tuple[int, str], ...] = ()  # where pods of which work are known to run


@dataclass(frozen=True, slots=True, order=True)
class Pod:
    owner: int
    number: int
    new: bool
    phase: str
    node: str = ""


@dataclass(frozen=True, slots=True)
class World:
    pods: frozenset[Pod]
    specs: tuple[tuple[int, int], ...]  # per work: replicas of the old and of the new ReplicaSet (-1: absent)


class TooLarge(Exception):  # noqa: N818 - it says what the case is
    pass


class Reference:
    def __init__(self, case: Case, most: int = 20_000):
        self.case = case
        self.most = most
        self.node = {node.name: node for node in case.nodes}

    # --- scheduler -------------------------------------------------------------------------------------------------
    def template(self, pod):
        work = self.case.works[pod.owner]
        return work.new if pod.new else work.old

    def eligible(self, template, node):
        return not template.pool or node.zone == template.pool

    def selects(self, mine, mine_pod, other):
        if mine_pod.owner != other.owner:
            return False
        return not mine.by_revision or mine_pod.new == other.new

    def fits(self, pod, node, there):
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
        if mine.anti or any(self.template(other).anti for other, _ in there):
            for other, name in there:
                theirs = self.template(other)
                near = {"host": name == node.name, "zone": self.node[name].zone == node.zone, "": False}
                if near[mine.anti] and self.selects(mine, pod, other):
                    return False
                if near[theirs.anti] and self.selects(theirs, other, pod):
                    return False
        if mine.spread:
            counts = {}
            for one in self.case.nodes:
                if self.eligible(mine, one):
                    counts.setdefault(one.name if mine.spread == "host" else one.zone, 0)
            for other, name in there:
                if self.selects(mine, pod, other) and other.phase not in (L, E):
                    key = name if mine.spread == "host" else self.node[name].zone
                    if key in counts and self.eligible(mine, self.node[name]):
                        counts[key] += 1
            key = node.name if mine.spread == "host" else node.zone
            if counts[key] + 1 - min(counts.values()) > 1:
                return False
        return True

    def standing(self, pod, world):
        """What a pod finds: everything bound, and nominated pods of no lower priority; also without these."""
        bound = [(other, other.node) for other in world.pods if other.phase in (S, R, L, E)]
        priority = self.template(pod).priority
        nominated = [
            (other, other.node)
            for other in world.pods
            if other.phase == N
            and self.template(other).priority >= priority
            and (other.owner, other.number, other.new) != (pod.owner, pod.number, pod.new)
        ]
        return bound, nominated

    def feasible(self, pod, node, bound, nominated):
        mine = [one for one in nominated if one[1] == node.name]
        # nominated pods of the node under test only
        return self.fits(pod, node, bound + mine) and self.fits(pod, node, bound)

    def fitting(self, pod, world):
        bound, nominated = self.standing(pod, world)
        return [node for node in self.case.nodes if self.feasible(pod, node, bound, nominated)]

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
        for node in self.case.nodes:
            lower = [
                other for other, name in bound if name == node.name and self.template(other).priority < mine.priority
            ]
            if not lower:
                continue
            left = [one for one in bound if one[0] not in lower]
            if not self.feasible(pod, node, left, nominated):
                continue
            victim_sets = set()
            for order in itertools.permutations(sorted(lower)):
                ranked = sorted(order, key=lambda other: -self.template(other).priority)
                kept = list(left)
                victims = []
                for other in ranked:
                    if self.feasible(pod, node, [*kept, (other, node.name)], nominated):
                        kept.append((other, node.name))
                    else:
                        victims.append(other)
                if victims:
                    victim_sets.add(frozenset(victims))
            for victims in victim_sets:
                priorities = sorted((self.template(other).priority for other in victims), reverse=True)
                key = (priorities[0], sum(one + 2**31 for one in priorities), len(priorities))
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

    # --- steps -----------------------------------------------------------------------------------------------------
    def steps(self, world):
        found = set()
        for number, work in enumerate(self.case.works):
            found.update(self.controller(number, work, world))
        for pod in world.pods:
            if pod.phase in (W, N):
                found.update(self.scheduler(pod, world))
            elif pod.phase == S:
                found.add(self.swap(world, pod, replace(pod, phase=R)))
            elif (pod.phase == R and self.case.works[pod.owner].kind == "Job") or pod.phase in (L, E):
                found.add(self.swap(world, pod, None))
        found.discard(world)
        return found

    def swap(self, world, pod, other):
        pods = world.pods - {pod}
        return World(pods | {other} if other else pods, world.specs)

    def scheduler(self, pod, world):
        fitting = self.fitting(pod, world)
        if pod.phase == N and self.node[pod.node] in fitting:
            fitting = [self.node[pod.node]]
        if fitting:
            for node in fitting:
                yield self.swap(world, pod, replace(pod, phase=S, node=node.name))
            return
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
                    pods.add(other if other.phase in (L, E) else replace(other, phase=E))
                elif (
                    other.phase == N
                    and other.node == name
                    and self.template(other).priority < self.template(pod).priority
                ):
                    pods.add(replace(other, phase=W, node=""))
                else:
                    pods.add(other)
            yield World(frozenset(pods), world.specs)

    def of(self, world, owner, new, phases=ACTIVE):
        return [pod for pod in world.pods if pod.owner == owner and pod.new == new and pod.phase in phases]

    def create(self, world, owner, new, number=None):
        if self.case.quota >= 0:
            used = sum(self.template(pod).gpu for pod in world.pods)
            probe = Pod(owner, 0, new, W)
            gpu = self.template(probe).gpu
            if gpu and used + gpu > self.case.quota:
                return []
        if number is None:
            taken = {pod.number for pod in world.pods if pod.owner == owner}
            number = next(n for n in itertools.count() if n not in taken)
        return [World(world.pods | {Pod(owner, number, new, W)}, world.specs)]

    def delete(self, world, pod):
        return self.swap(world, pod, None if pod.phase in (W, N) else replace(pod, phase=L))

    def replica_set(self, world, owner, new, wanted):
        active = self.of(world, owner, new)
        if len(active) < wanted:
            yield from self.create(world, owner, new)
        elif len(active) > wanted:
            family = [pod for pod in world.pods if pod.owner == owner and pod.phase in (S, R)]

            def rank(pod):
                if pod.phase in (W, N):
                    return (0,)
                if pod.phase == S:
                    return (1,)
                return (2, -sum(1 for other in family if other.node == pod.node))

            lowest = min(rank(pod) for pod in active)
            for pod in active:
                if rank(pod) == lowest:
                    yield self.delete(world, pod)

    def controller(self, number, work, world):
        rolling = number in self.case.judged
        if not rolling:
            if work.kind == "Job":
                return
            if work.kind == "DaemonSet":
                yield from self.daemons(number, work, world, rolling=False)
            else:
                yield from self.replica_set(world, number, False, work.started)
        elif work.kind == "Deployment":
            yield from self.deployment(number, work, world)
        elif work.kind == "StatefulSet":
            yield from self.stateful_set(number, work, world)
        else:
            yield from self.daemons(number, work, world, rolling=True)

    def with_specs(self, world, number, old, new):
        specs = list(world.specs)
        specs[number] = (old, new)
        return World(world.pods, tuple(specs))

    def bounds(self, work):
        surge, unavailable = work.surge, min(work.unavailable, work.replicas)
        return (surge, unavailable) if surge or unavailable else (0, 1)

    def deployment(self, number, work, world):
        old, new = world.specs[number]
        if old > 0 and work.started != work.replicas and new == -1 and old != work.replicas:
            # a scaling event comes before the rollout: the only active ReplicaSet is scaled
            yield self.with_specs(world, number, work.replicas, new)
            yield from self.replica_set(world, number, False, old)
            return
        yield from self.replica_set(world, number, False, old)
        if new >= 0:
            yield from self.replica_set(world, number, True, new)
        if work.recreate:
            if old > 0:
                yield self.with_specs(world, number, 0, new)
            elif not self.of(world, number, False, (*ACTIVE, L, E)):
                yield self.with_specs(world, number, 0, work.replicas)
            return
        surge, unavailable = self.bounds(work)
        if new == -1:
            new = min(work.replicas, max(0, work.replicas + surge - old))
        elif new < work.replicas and old + new < work.replicas + surge:
            yield self.with_specs(world, number, old, min(work.replicas, work.replicas + surge - old))
            return
        old_ready = len(self.of(world, number, False, (R,)))
        new_ready = len(self.of(world, number, True, (R,)))
        floor = work.replicas - unavailable
        budget = old + new - floor - (new - new_ready)
        if old > 0 and budget > 0:
            cleaned = min(budget, max(0, old - old_ready))
            old -= cleaned
            surplus = old_ready + new_ready - floor
            old -= max(0, min(old, surplus))
        yield self.with_specs(world, number, old, new)

    def stateful_set(self, number, work, world):
        pods = {}
        for pod in world.pods:
            if pod.owner == number:
                pods[pod.number] = pod
        for ordinal in range(work.replicas):
            pod = pods.get(ordinal)
            if pod is None:
                yield from self.create(world, number, True, ordinal)
                if not work.parallel:
                    return
            elif not work.parallel and pod.phase != R:
                return
        unavailable = sum(1 for ordinal in range(work.replicas) if ordinal not in pods or pods[ordinal].phase != R)
        if self.case.gate:
            if unavailable >= max(1, work.unavailable):
                return
            for ordinal in range(work.replicas - 1, -1, -1):
                pod = pods.get(ordinal)
                if pod is not None and not pod.new and pod.phase in ACTIVE:
                    yield self.delete(world, pod)
                    return
            return
        for ordinal in range(work.replicas - 1, -1, -1):
            pod = pods.get(ordinal)
            if pod is None:
                return
            if not pod.new and pod.phase in ACTIVE:
                yield self.delete(world, pod)
                return
            if pod.phase != R:
                return

    def daemon_nodes(self, work):
        return [index for index, node in enumerate(self.case.nodes) if self.eligible(work.new, node)]

    def daemons(self, number, work, world, rolling):
        wanted = self.daemon_nodes(work)
        on = {index: [pod for pod in world.pods if pod.owner == number and pod.number == index] for index in wanted}
        if not rolling:
            for index, pods in on.items():
                if not pods:
                    yield from self.create(world, number, False, index)
            return
        surge, most = (work.surge, 0) if work.surge else (0, max(1, work.unavailable))
        unavailable = surging = 0
        state = {}
        for index, pods in on.items():
            old = [pod for pod in pods if not pod.new and pod.phase in ACTIVE]
            new = [pod for pod in pods if pod.new and pod.phase in ACTIVE]
            state[index] = (old[0] if old else None, new[0] if new else None, len(pods))
            if not surge and ((bool(old) == bool(new)) or (new and new[0].phase != R) or (old and old[0].phase != R)):
                unavailable += 1
            if surge and old and new and new[0].phase != R:
                surging += 1
        for index, (old, new, count) in state.items():
            if old is None and new is None:
                if count == 0:
                    yield from self.create(world, number, True, index)
            elif not surge:
                if new is None and (old.phase != R or unavailable < most):
                    yield self.delete(world, old)
            elif old is not None and new is None:
                if old.phase != R or surging < surge:
                    yield from self.create(world, number, True, index)
            elif old is not None and new.phase == R:
                yield self.delete(world, old)

    def done(self, world):
        for number in self.case.judged:
            work = self.case.works[number]
            old = self.of(world, number, False)
            ready = self.of(world, number, True, (R,))
            if work.kind == "Deployment":
                if world.specs[number] != (0, work.replicas) or old or len(ready) < work.replicas:
                    return False
            elif work.kind == "StatefulSet":
                if self.of(world, number, False, (*ACTIVE, L, E)) or len(ready) != work.replicas:
                    return False
            elif old or len(ready) < len(self.daemon_nodes(work)):
                return False
        return True

    # --- starts ----------------------------------------------------------------------------------------------------
    def starts(self, late=-1):
        """Placements of all; the pods of `late` come after those of the others."""
        specs = tuple((work.started, -1) for work in self.case.works)
        todo = []
        for number, work in enumerate(self.case.works):
            if number not in self.case.judged and not self.could_ever_run(number):
                continue
            if work.kind == "DaemonSet":
                # where such a pod could never run it waits for ever and is in nobody's way
                todo += [
                    (number, index)
                    for index in self.daemon_nodes(work)
                    if number in self.case.judged
                    or self.case.quota >= 0
                    or self.fits(Pod(number, index, False, W), self.case.nodes[index], [])
                ]
            else:
                todo += [(number, index) for index in range(work.started)]
        pods = set()
        for owner, name in self.case.known:
            index = next(i for o, i in todo if o == owner)
            todo.remove((owner, index))
            pods.add(Pod(owner, index, False, R, name))
        first = World(frozenset(pods), specs)
        seen = {(first, tuple(todo))}
        queue = [(first, tuple(todo))]
        full, partial = set(), set()
        while queue:
            world, left = queue.pop()
            # daemon pods are there first
            early = [one for one in left if one[0] != late and self.has_room(one, world)]
            waits = late >= 0 and any(self.case.works[one[0]].kind != "Job" for one in early)
            candidates = early if waits else left
            daemons = [one for one in candidates if self.case.works[one[0]].kind == "DaemonSet"]
            others = [one for one in candidates if self.case.works[one[0]].kind != "Job"]
            moved = False
            for one in [*(daemons or others), *(candidates if not others else ())]:
                if self.case.quota >= 0:
                    used = sum(self.template(pod).gpu for pod in world.pods)
                    gpu = self.case.works[one[0]].old.gpu
                    if gpu and used + gpu > self.case.quota:
                        continue
                pod = Pod(one[0], one[1], False, R)
                for node in self.case.nodes:
                    if self.fits(pod, node, [(other, other.node) for other in world.pods]):
                        moved = True
                        after = World(world.pods | {replace(pod, node=node.name)}, specs)
                        rest = tuple(other for other in left if other != one)
                        if (after, rest) not in seen:
                            seen.add((after, rest))
                            queue.append((after, rest))
                            if len(seen) > self.most:
                                raise TooLarge
            jobs = [one for one in left if self.case.works[one[0]].kind == "Job"]
            if not moved and len(jobs) == len(left):
                full.update(self.waiting(world, left))
            elif not moved:
                partial.add((world, left))
        return full, partial

    def has_room(self, one, world):
        """Whether a pod may be made and fits on some node."""
        if self.case.quota >= 0:
            gpu = self.case.works[one[0]].old.gpu
            if gpu and sum(self.template(pod).gpu for pod in world.pods) + gpu > self.case.quota:
                return False
        there = [(other, other.node) for other in world.pods]
        return any(self.fits(Pod(one[0], one[1], False, R), node, there) for node in self.case.nodes)

    def can_stand_at_last(self, number):
        """Whether as many new pods as are wanted find room when the others have their places, and nobody gives way."""
        mine = self.case.works[number]
        if not mine.new.never and any(
            work.old.priority < mine.new.priority for place, work in enumerate(self.case.works) if place != number
        ):
            return True
        works = list(self.case.works)
        works[number] = replace(mine, old=mine.new, before=-1)
        known = tuple(one for one in self.case.known if one[0] != number)
        full, partial = Reference(replace(self.case, works=tuple(works), known=known), self.most).starts(late=number)
        return bool(full) or any(all(owner != number for owner, _ in left) for _, left in partial)

    def waiting(self, world, left):
        """The world with those that found no place waiting, as far as the quota lets them be made."""
        worlds = {world}
        for owner, number in left:
            worlds = {after for one in worlds for after in (self.create(one, owner, False, number) or [one])}
        return worlds

    def could_ever_run(self, number):
        """Whether any pod of the work fits on an empty node; if not, it competes with nobody."""
        if self.case.quota >= 0:
            return True
        pods = [Pod(number, index, False, W) for index in range(len(self.case.nodes))]
        return any(self.fits(pod, node, []) for pod in pods for node in self.case.nodes)

    def can_stand(self, number):
        """Whether as many new pods as are wanted find room beside those that are none of these works."""
        work = self.case.works[number]
        other = replace(work, old=work.new, before=-1)
        # those of lower priority give way
        outside = [
            place
            for place, found in enumerate(self.case.works)
            if found.kind == "Outside" and (work.new.never or found.old.priority >= work.new.priority)
        ]
        known = tuple((1, name) for owner, name in self.case.known if owner in outside)
        works = (other, *(self.case.works[place] for place in outside))
        alone = replace(self.case, works=works, judged=(0,), known=known)
        full, _ = Reference(alone, self.most).starts()
        return bool(full)

    def verdict(self):
        if not all(self.can_stand(number) for number in self.case.judged):
            return None, 0
        if len(self.case.judged) == 1 and not all(self.can_stand_at_last(number) for number in self.case.judged):
            return None, 0
        full, partial = self.starts()
        if not full:
            # others wait for ever for places of their own; those that are judged all run
            if len(self.case.judged) == 1 and not any(
                owner in self.case.judged for _, left in partial for owner, _ in left
            ):
                for world, left in partial:
                    full.update(self.waiting(world, left))
            if not full:
                return None, 0
        index, edges, finished = {}, [], []
        queue = list(full)
        for world in queue:
            index[world] = len(index)
        position = 0
        while position < len(queue):
            world = queue[position]
            following = []
            if self.done(world):
                finished.append(position)
            else:
                for after in self.steps(world):
                    if after not in index:
                        index[after] = len(queue)
                        queue.append(after)
                    following.append(index[after])
            edges.append(following)
            position += 1
            if len(queue) > self.most:
                raise TooLarge
        back = [[] for _ in queue]
        for source, targets in enumerate(edges):
            for target in targets:
                back[target].append(source)
        alive = set(finished)
        stack = list(finished)
        while stack:
            for source in back[stack.pop()]:
                if source not in alive:
                    alive.add(source)
                    stack.append(source)
        if len(alive) == len(queue):
            return "completes", len(queue)
        if any(number in alive for number in range(len(full))):
            return "may-stick", len(queue)
        return "stuck", len(queue)


# --- cases ---------------------------------------------------------------------------------------------------------
def random_case(seed: int) -> Case:
    """A small case; most are such that the pods just fit, where rollouts are decided."""
    rng = random.Random(seed)
    wild = rng.random() < 0.15
    for _ in range(40):
        case = _random_case(rng)
        room = sum(node.gpu for node in case.nodes)
        taken = sum(
            work.old.gpu * (len(case.nodes) if work.kind == "DaemonSet" else work.started) for work in case.works
        )
        largest = max(max(work.old.gpu, work.new.gpu) for work in case.works)
        if wild or (room - 2 <= taken <= room and largest <= max(node.gpu for node in case.nodes)):
            break
    return case


def _random_case(rng: random.Random) -> Case:
    zones = rng.choice([("a",), ("a", "a"), ("a", "b"), ("a", "a", "b"), ("a", "b", "b"), ("a", "a", "a")])
    whole = rng.choice([1, 1, 2, 2, 3])
    nodes = tuple(
        Node(f"n{i}", zone, rng.choice([whole, whole, whole, 1, 2]), rng.choice([4, 4, 2]), rng.choice([8, 8, 8, 2]))
        for i, zone in enumerate(zones)
    )
    together = rng.random() < 0.12
    works = []
    left = rng.choice([1, 2, 3, 3, 4])
    for number in range(2 if together else rng.choice([1, 1, 1, 2, 2, 3])):
        if left <= 0:
            break
        replicas = rng.randint(1, min(3, left))
        left -= replicas
        # of two DaemonSets that compete for a node, the program takes the first to be there first
        daemons = any(work.kind == "DaemonSet" for work in works)
        kind = rng.choices(["Deployment", "StatefulSet", "DaemonSet"], [8, 2, 0 if daemons else 1])[0]
        priority = rng.choice([0, 0, 0, 10, -5]) if rng.random() < 0.5 else 0
        old = Template(
            gpu=rng.choice([1, 1, 1, 1, 2, 0]),
            cpu=rng.choice([0, 0, 0, 1, 2]),
            pool=rng.choice(["", "", "", "a"]),
            port=rng.choice([0, 0, 0, 0, 80]),
            anti=rng.choice(["", "", "", "", "host", "zone"]),
            spread=rng.choice(["", "", "", "", "", "host", "zone"]),
            by_revision=rng.random() < 0.25,
            priority=priority,
            never=rng.random() < 0.15,
        )
        new = old
        if rng.random() < 0.3:
            new = replace(
                old,
                gpu=rng.choice([old.gpu, 1, 2]),
                pool=rng.choice([old.pool, "", "a"]),
                priority=rng.choice([priority, priority, 10]),
            )
        surge, unavailable = rng.choice([(1, 0), (1, 0), (0, 1), (1, 1), (2, 0), (0, 2), (2, 1)])
        if kind == "DaemonSet":
            old = replace(old, anti="", spread="")
            new = replace(new, anti="", spread="", pool=old.pool, gpu=max(old.gpu, new.gpu))
            surge, unavailable = rng.choice([(1, 0), (0, 1), (0, 2)])
        if kind == "StatefulSet" and unavailable == 0:
            unavailable = 1
        before = rng.choice([-1, -1, -1, -1, 1, 2]) if kind == "Deployment" and rng.random() < 0.3 else -1
        if number and not together and rng.random() < 0.12:
            kind, new = "Job", old
        works.append(
            Work(kind, f"w{number}", replicas, old, new, surge, unavailable,
                 recreate=kind == "Deployment" and rng.random() < 0.12, parallel=rng.random() < 0.5, before=before)
        )  # fmt: skip
    rolled = [number for number, work in enumerate(works) if work.kind != "Job"]
    judged = tuple(rolled) if together else (rng.choice(rolled),)
    daemons = any(work.kind == "DaemonSet" for work in works)
    quota = rng.choice([-1, -1, -1, -1, -1, 2, 3]) if not daemons or len(works) == 1 else -1
    case = Case(nodes, tuple(works), judged, quota, rng.random() < 0.4)
    if daemons:
        return case
    if rng.random() < 0.2:
        case = replace(case, known=_known(case, rng))
    return _with_outsider(case, rng) if rng.random() < 0.25 and not together and quota < 0 else case


def _with_outsider(case: Case, rng: random.Random) -> Case:
    """The same with running pods of a workload that is not among those that are judged."""
    priority = rng.choice([-5, -5, 0, 10])
    template = Template(gpu=1, cpu=rng.choice([0, 1]), anti=rng.choice(["", "", "host"]), priority=priority)
    count = rng.randint(1, 2)
    outside = Work("Outside", f"w{len(case.works)}", count, template, template)
    case = replace(case, works=(*case.works, outside))
    reference = Reference(case)
    there = [(Pod(owner, -1, False, R, name), name) for owner, name in case.known]
    known = list(case.known)
    for index in range(count):
        pod = Pod(len(case.works) - 1, index, False, R)
        fitting = [node.name for node in case.nodes if reference.fits(pod, node, there)]
        if not fitting:
            return replace(case, works=case.works[:-1])
        name = rng.choice(fitting)
        there.append((pod, name))
        known.append((pod.owner, name))
    return replace(case, known=tuple(known))


def _known(case: Case, rng: random.Random) -> tuple[tuple[int, str], ...]:
    """Nodes on which some pods of a Deployment are known to run."""
    reference, there, known = Reference(case), [], []
    for number, work in enumerate(case.works):
        if work.kind != "Deployment" or work.old.by_revision:
            continue
        for index in range(rng.randint(0, work.started)):
            node = rng.choice(case.nodes)
            pod = Pod(number, index, False, R, node.name)
            if reference.fits(pod, node, there) and case.quota < 0:
                there.append((pod, node.name))
                known.append((number, node.name))
    return tuple(known)


# --- the same case for the program ------------------------------------------------------------------------------------
def node_object(node: Node) -> dict:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": node.name, "labels": {"kubernetes.io/hostname": node.name, "zone": node.zone}},
        "status": {
            "allocatable": {
                "nvidia.com/gpu": str(node.gpu),
                "cpu": str(node.cpu),
                "memory": "64Gi",
                "pods": str(node.pods),
            }
        },
    }


def template_object(work: Work, template: Template) -> dict:
    labels = {"app": work.name}
    resources = {}
    if template.gpu:
        resources["nvidia.com/gpu"] = str(template.gpu)
    if template.cpu:
        resources["cpu"] = str(template.cpu)
    container = {"name": "c", "image": "i", "resources": {"limits": resources, "requests": resources}}
    if template.port:
        container["ports"] = [{"containerPort": template.port, "hostPort": template.port}]
    spec = {"containers": [container], "priority": template.priority}
    if template.never:
        spec["preemptionPolicy"] = "Never"
    if template.pool:
        spec["nodeSelector"] = {"zone": template.pool}
    revision = "pod-template-hash" if work.kind == "Deployment" else "controller-revision-hash"
    keys = {"matchLabelKeys": [revision]} if template.by_revision else {}
    topology = {"host": "kubernetes.io/hostname", "zone": "zone"}
    selector = {"labelSelector": {"matchLabels": labels}}
    if template.anti:
        term = {"topologyKey": topology[template.anti], **selector, **keys}
        spec["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    if template.spread:
        spec["topologySpreadConstraints"] = [
            {
                "maxSkew": 1,
                "topologyKey": topology[template.spread],
                "whenUnsatisfiable": "DoNotSchedule",
                **selector,
                **keys,
            }
        ]
    return {"metadata": {"labels": labels}, "spec": spec}


def work_object(work: Work, template: Template, replicas: int) -> dict:
    if work.kind == "Job":
        body = template_object(work, template)
        body["spec"]["restartPolicy"] = "Never"
        spec = {"parallelism": work.replicas, "completions": work.replicas, "template": body}
        return {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": work.name, "namespace": "d"},
            "spec": spec,
        }
    spec = {"selector": {"matchLabels": {"app": work.name}}, "template": template_object(work, template)}
    if work.kind == "Deployment":
        surge, unavailable = work.surge, work.unavailable
        spec["replicas"] = replicas
        rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}
        spec["strategy"] = {"type": "Recreate"} if work.recreate else rolling
    elif work.kind == "StatefulSet":
        spec["replicas"] = replicas
        spec["podManagementPolicy"] = "Parallel" if work.parallel else "OrderedReady"
        spec["updateStrategy"] = {
            "type": "RollingUpdate",
            "rollingUpdate": {"maxUnavailable": max(1, work.unavailable)},
        }
    else:
        rolling = {"maxSurge": work.surge, "maxUnavailable": 0 if work.surge else max(1, work.unavailable)}
        spec["updateStrategy"] = {"type": "RollingUpdate", "rollingUpdate": rolling}
    return {"apiVersion": "apps/v1", "kind": work.kind, "metadata": {"name": work.name, "namespace": "d"}, "spec": spec}


def program_input(case: Case):
    from kubelint_gpu.kube.workload import read_workload
    from kubelint_gpu.rollout.judgement import Transition
    from kubelint_gpu.scheduler import read_cluster

    objects = [node_object(node) for node in case.nodes]
    if case.quota >= 0:
        objects.append(
            {
                "apiVersion": "v1",
                "kind": "ResourceQuota",
                "metadata": {"name": "q", "namespace": "d"},
                "spec": {"hard": {"requests.nvidia.com/gpu": str(case.quota)}},
            }
        )
    for number, (owner, name) in enumerate(case.known):
        work = case.works[owner]
        if work.kind == "Outside":
            found = template_object(work, work.old)
            reference = {"kind": "ReplicaSet", "name": f"{work.name}-x", "uid": "u", "controller": True}
            meta = {"name": f"{work.name}-{number}", "namespace": "d", "ownerReferences": [reference]}
            found["metadata"] |= meta
            found["spec"]["nodeName"] = name
            objects.append({"apiVersion": "v1", "kind": "Pod", **found, "status": {"phase": "Running"}})
            continue
        pod = template_object(work, work.old)
        pod["metadata"] = {"name": f"{work.name}-known-{number}", "namespace": "d", "labels": pod["metadata"]["labels"]}
        pod["spec"]["nodeName"] = name
        objects.append({"apiVersion": "v1", "kind": "Pod", **pod, "status": {"phase": "Running"}})
    cluster = read_cluster(objects, version="1.35.0" if case.gate else "1.34")
    transitions = [
        Transition(
            read_workload(work_object(work, work.new, work.replicas)),
            read_workload(work_object(work, work.old, work.started)),
        )
        for work in case.works
        if work.kind != "Outside"
    ]
    return transitions, cluster


def program_verdict(case: Case, budget: int = 60_000):
    """The program's verdict, and whether a bound gave it."""
    from kubelint_gpu.rollout.judgement import judge, judge_together

    transitions, cluster = program_input(case)
    if len(case.judged) > 1:
        found = judge_together(transitions, cluster, budget=budget)
        everybody = len(found) == 1 and len(found[0].workloads) == len(case.judged)
        return (found[0].verdict, found[0].by_bound) if everybody else ("apart", False)
    found = judge(transitions, cluster, budget=budget)[case.judged[0]]
    return found.verdict, found.by_bound
