"""What the controllers do, one thing at a time."""

from __future__ import annotations

import itertools
import math

from reference_case import ACTIVE, GONE_SOON, B, L, N, Pod, R, S, W

from kubelint_gpu.values import replace


class Controllers:
    def of(self, world, owner, new, phases=ACTIVE):
        return [pod for pod in world.pods if pod.owner == owner and pod.new == new and pod.phase in phases]

    def within_quotas(self, world, owner, new):
        """Whether one more pod may be made; what terminates still counts."""
        gpu = self.template(Pod(owner, 0, new, W)).gpu
        if self.case.quota >= 0 and gpu and sum(self.template(pod).gpu for pod in world.pods) + gpu > self.case.quota:
            return False
        return self.case.quota_pods < 0 or len(world.pods) + 1 <= self.case.quota_pods

    def create(self, world, owner, new, number=None):
        if not self.within_quotas(world, owner, new):
            return []
        if number is None:
            taken = {pod.number for pod in world.pods if pod.owner == owner}
            number = next(n for n in itertools.count() if n not in taken)
        return [replace(world, pods=world.pods | {Pod(owner, number, new, W)})]

    def delete(self, world, pod):
        return self.swap(world, pod, None if pod.phase in (W, N) else replace(pod, phase=L))

    def replica_set(self, world, owner, new, wanted):
        active = self.of(world, owner, new)
        if len(active) < wanted:
            yield from self.create(world, owner, new)
        elif len(active) > wanted:
            family = [pod for pod in world.pods if pod.owner == owner and pod.phase in (S, R, B)]

            def rank(pod):
                if pod.phase in (W, N):
                    return (0,)
                if pod.phase in (S, B):
                    return (1,)
                return (2, -sum(1 for other in family if other.node == pod.node))

            # all that are too many go at once, by the ranks that they have before any goes
            surplus = len(active) - wanted
            last = sorted(map(rank, active))[surplus - 1]
            first = [pod for pod in active if rank(pod) < last]
            equal = [pod for pod in active if rank(pod) == last]
            for chosen in itertools.combinations(equal, surplus - len(first)):
                after = world
                for pod in (*first, *chosen):
                    after = self.delete(after, pod)
                yield after

    def controller(self, number, work, world):
        rolling = number in self.case.judged or (work.changes and work.rolls and work.started > 0)
        if not rolling:
            if work.kind == "Job":
                return
            if work.kind == "DaemonSet":
                yield from self.daemons(number, work, world, rolling=False)
            else:
                yield from self.replica_set(world, number, False, work.replicas if work.changes else work.started)
        elif work.kind == "Deployment":
            yield from self.deployment(number, work, world)
        elif work.kind == "StatefulSet":
            yield from self.stateful_set(number, work, world)
        else:
            yield from self.daemons(number, work, world, rolling=True)

    def with_specs(self, world, number, old, new):
        specs = list(world.specs)
        specs[number] = (old, new)
        return replace(world, specs=tuple(specs))

    def bounds(self, work):
        surge, unavailable = work.surge, work.unavailable
        if work.shares:
            surge, unavailable = math.ceil(surge * work.replicas / 100), math.floor(unavailable * work.replicas / 100)
        unavailable = min(unavailable, work.replicas)
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
            elif not self.of(world, number, False, (*ACTIVE, *GONE_SOON)):
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
        if work.batch:
            batched = [(place, one.batch) for place, one in enumerate(self.case.works) if one.batch]
            new_ready = work.batch * min(len(self.of(world, place, True, (R,))) // size for place, size in batched)
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
                yield from self.create(world, number, ordinal >= work.partition, ordinal)
                if not work.parallel:
                    return
            elif not work.parallel and pod.phase != R:
                return
        condemned = [pods[ordinal] for ordinal in sorted(pods, reverse=True) if ordinal >= work.replicas]
        if condemned and not work.parallel:
            if condemned[0].phase not in GONE_SOON:
                yield self.delete(world, condemned[0])
            return
        for pod in condemned:
            if pod.phase not in GONE_SOON:
                yield self.delete(world, pod)
        mine = range(work.replicas - 1, work.partition - 1, -1)
        unavailable = sum(1 for ordinal in range(work.replicas) if ordinal not in pods or pods[ordinal].phase != R)
        if self.case.gate:
            most = max(1, math.floor(work.unavailable * work.replicas / 100) if work.shares else work.unavailable)
            if unavailable >= most:
                return
            for ordinal in mine:
                pod = pods.get(ordinal)
                if pod is not None and not pod.new and pod.phase in ACTIVE:
                    yield self.delete(world, pod)
                    return
            return
        for ordinal in mine:
            pod = pods.get(ordinal)
            if pod is None:
                return
            if not pod.new and pod.phase in ACTIVE:
                yield self.delete(world, pod)
                return
            if pod.phase != R:
                return

    def daemon_nodes(self, template):
        return [index for index, node in enumerate(self.case.nodes) if self.eligible(template, node)]

    def daemons(self, number, work, world, rolling):
        wanted = self.daemon_nodes(work.new if rolling else work.old)
        on = {index: [pod for pod in world.pods if pod.owner == number and pod.number == index] for index in wanted}
        if not rolling:
            for index, pods in on.items():
                if not pods:
                    yield from self.create(world, number, False, index)
            return
        for pod in world.pods:
            # nodes that it shall leave
            if pod.owner == number and pod.number not in wanted and pod.phase in ACTIVE:
                yield self.delete(world, pod)
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
        for number in self.case.judged if self.case.ends < 0 else (self.case.ends,):
            work = self.case.works[number]
            old = self.of(world, number, False)
            ready = self.of(world, number, True, (R,))
            if work.kind == "Deployment":
                if world.specs[number] != (0, work.replicas) or old or len(ready) < work.replicas:
                    return False
            elif work.kind == "StatefulSet":
                there = {pod.number: pod for pod in world.pods if pod.owner == number}
                if set(there) != set(range(work.replicas)) or any(pod.phase != R for pod in there.values()):
                    return False
                if any(not pod.new for ordinal, pod in there.items() if ordinal >= work.partition):
                    return False
            elif old or len(ready) < len(self.daemon_nodes(work.new)):
                return False
        return True
