"""A rollout played by brute force: individual nodes, individual pods, every order; no folding, no bounds, no memory.

Written against the descriptions of the controllers and of the scheduler, not against the code that it checks.
"""

from __future__ import annotations

from reference_case import B, Case, N, Node, Pod, R, S, Template, TooLarge, W, Work, World
from reference_cases import featured_case, random_case, rolled_back_case
from reference_controllers import Controllers
from reference_program import program_input, program_rolled_back, program_verdict
from reference_scheduler import Scheduler

from kubelint_gpu.values import replace

__all__ = [
    "Case",
    "Node",
    "Reference",
    "Template",
    "TooLarge",
    "Work",
    "featured_case",
    "program_input",
    "program_rolled_back",
    "program_verdict",
    "random_case",
    "rolled_back_case",
]


class Reference(Controllers, Scheduler):
    """Every world that can be reached, and whether the end can be reached from it."""

    def steps(self, world):
        found = set()
        for number, work in enumerate(self.case.works):
            found.update(self.controller(number, work, world))
        for pod in world.pods:
            found.update(self.scheduler(pod, world) if pod.phase in (W, N) else self.kubelet(pod, world))
        found.discard(world)
        return found

    def __init__(self, case, most=20_000, final=()):
        """`final` are works that have the pods that they have when their rollouts are over."""
        super().__init__(case, most)
        self.final = final

    def starts(self, late=-1):
        """Placements of all; the pods of `late` come after those of the others."""
        specs = tuple((work.started, -1) for work in self.case.works)
        todo = []
        for number, work in enumerate(self.case.works):
            if work.kind == "Queued" or (number not in self.case.judged and not self.could_ever_run(number)):
                continue
            if work.kind == "DaemonSet":
                # where such a pod could never run it waits for ever and is in nobody's way
                todo += [
                    (number, index)
                    for index in self.daemon_nodes(work.new if number in self.final else work.old)
                    if number in self.case.judged
                    or self.counted
                    or self.fits(
                        Pod(number, index, number in self.final, W), self.case.nodes[index], [], self.case.nodes
                    )
                ]
            else:
                todo += [(number, index) for index in range(work.started)]
        pods, broken = set(), set()
        for number, (owner, name) in enumerate(self.case.known):
            index = next(i for o, i in todo if o == owner)
            todo.remove((owner, index))
            pods.add(Pod(owner, index, False, R, name))
            # what is not ready may become so, or never
            broken.add(Pod(owner, index, False, B if number in self.case.unready else R, name))
        seen = {(World(frozenset(one), specs), tuple(todo)) for one in (pods, broken)}
        queue = list(seen)
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
                for after in self.placed(one, world):
                    moved = True
                    rest = left if after.joined > world.joined else tuple(other for other in left if other != one)
                    if (after, rest) not in seen:
                        seen.add((after, rest))
                        queue.append((after, rest))
                        if len(seen) > self.most:
                            raise TooLarge
            jobs = [one for one in left if self.case.works[one[0]].kind == "Job"]
            hung = tuple((pod.owner, pod.number) for pod in world.pods if pod.phase == S)
            if not moved and not hung and len(jobs) == len(left):
                full.update(self.waiting(world, left))
            elif not moved:
                partial.add((world, (*left, *hung)))
        return full, partial

    @property
    def counted(self):
        return self.case.quota >= 0 or self.case.quota_pods >= 0

    def placed(self, one, world):
        """The worlds with one more pod, or with one more node for it where it fits nowhere."""
        new = one[0] in self.final and one[1] >= self.case.works[one[0]].partition
        if not self.within_quotas(world, one[0], new):
            return
        pod = Pod(one[0], one[1], new, R)
        nodes = self.nodes(world)
        fitting = [node for node in nodes if self.fits(pod, node, [(other, other.node) for other in world.pods], nodes)]
        for node in fitting:
            bound = replace(pod, node=node.name)
            # where its volume is attached to another node, its containers are never started
            bound = replace(bound, phase=S if self.attached_elsewhere(bound, world) else R)
            yield replace(world, pods=world.pods | {bound})
        larger = None if fitting else self.would_fit_on_one_more(pod, world)
        if larger is not None:
            yield larger

    def has_room(self, one, world):
        """Whether a pod may be made and fits on some node."""
        return next(self.placed(one, world), None) is not None

    def can_stand_at_last(self, number):
        """Whether as many new pods as are wanted find room when the others have their places, and nobody gives way."""
        mine = self.case.works[number]
        others = [work for place, work in enumerate(self.case.works) if place != number and work.kind != "Queued"]
        if not mine.new.never and any(work.old.priority < mine.new.priority for work in others):
            return True
        works = list(self.case.works)
        works[number] = replace(mine, before=-1)
        known = tuple(one for one in self.case.known if one[0] != number)
        final = self.rolled if self.case.at_once else (number,)
        known = tuple(one for one in known if one[0] not in final)
        last = Reference(replace(self.case, works=tuple(works), known=known, unready=()), self.most, final=final)
        # what changes at the same moment may come first or last
        full, partial = last.starts(late=-1 if self.case.at_once else number)
        return bool(full) or any(all(owner != number for owner, _ in left) for _, left in partial)

    def waiting(self, world, left):
        """The world with those that found no place waiting, as far as the quota lets them be made."""
        worlds = {world}
        bound = {(pod.owner, pod.number) for pod in world.pods}
        for owner, number in left:
            if (owner, number) in bound:
                continue
            worlds = {after for one in worlds for after in (self.create(one, owner, False, number) or [one])}
        return worlds

    def could_ever_run(self, number):
        """Whether any pod of the work fits on an empty node; if not, it competes with nobody."""
        work = self.case.works[number]
        if self.counted or work.old.near_to >= 0:
            return True
        nodes = (*self.case.nodes, *self.joining)
        pods = [Pod(number, index, False, W) for index in range(len(self.case.nodes))]
        return any(self.fits(pod, node, [], nodes) for pod in pods for node in nodes)

    def can_stand(self, number):
        """Whether as many new pods as are wanted find room beside those that are none of these works."""
        work = self.case.works[number]
        near = work.new.near_to
        if near >= 0 and not self.can_stand_beside(number, near):
            return False
        if near >= 0 and self.case.works[near].kind != "Outside":
            # alone, without those that it must be near to, it says nothing but whether it fits anywhere
            lone = replace(self.case, works=(replace(work, new=replace(work.new, near="", away="")),))
            nodes = (*self.case.nodes, *self.joining)
            return any(Scheduler(lone).fits(Pod(0, 0, True, W), node, [], nodes) for node in nodes)
        # those of lower priority give way, and are made anew wherever there is room: they may be near to it there
        outside = [
            place
            for place, found in enumerate(self.case.works)
            if found.kind == "Outside" and (work.new.never or found.old.priority >= work.new.priority)
        ]
        if near >= 0 and near not in outside:
            work = replace(work, new=replace(work.new, near=""), old=replace(work.old, near=""))
        places = {place: index for index, place in enumerate((number, *outside))}

        def moved(one):
            """The same work, its terms about those that are there."""
            templates = [
                replace(
                    template,
                    near_to=places.get(template.near_to, -1),
                    away=template.away if template.away_to in places else "",
                    away_to=places.get(template.away_to, -1),
                )
                for template in (one.old, one.new)
            ]
            return replace(one, old=templates[0], new=templates[1])

        works = tuple(moved(work if place == number else self.case.works[place]) for place in places)
        works = (replace(works[0], before=-1), *works[1:])
        known = tuple((places[owner], name) for owner, name in self.case.known if owner in outside)
        alone = replace(self.case, works=works, judged=(0,), known=known, unready=(), budgets=())
        full, _ = Reference(alone, self.most, final=(0,)).starts()
        return bool(full)

    def can_stand_beside(self, number, near):
        """Whether as many new pods as are wanted find room where the daemon pods are that they must be near to."""
        work, daemons = self.case.works[number], self.case.works[near]
        if daemons.kind != "DaemonSet" or self.counted or len(self.case.judged) > 1:
            return True
        free = Reference(replace(self.case, works=(daemons,), judged=(0,), known=(), unready=(), budgets=()), self.most)
        full, _ = free.starts()
        if not full:
            return True
        there = daemons.old
        if not work.new.never and there.priority < work.new.priority:
            there = replace(there, gpu=0, cpu=0, port=0)
        mine = replace(
            work, before=-1, old=replace(work.old, near_to=1, away=""), new=replace(work.new, near_to=1, away="")
        )
        works = (mine, replace(daemons, old=there, new=there))
        alone = replace(self.case, works=works, judged=(0,), known=(), unready=(), budgets=())
        return bool(Reference(alone, self.most, final=(0,)).starts()[0])

    def also(self):
        """What may be said instead of None: new pods of a DaemonSet that surges never start where they could alone."""
        number = self.case.judged[0]
        work = self.case.works[number]
        if work.kind != "DaemonSet" or self.counted:
            return None
        if not work.surge:
            # new pods may find room where old ones waited for it
            _, partial = self.starts()
            worlds = {world for first, left in partial for world in self.waiting(first, left)}
            return self.explored(worlds)[0] if worlds else None
        nodes = self.case.nodes
        others = [place for place, found in enumerate(self.case.works) if found.kind == "DaemonSet" and place != number]
        fits = []
        for index, node in enumerate(nodes):
            pods = [Pod(other, index, False, R, node.name) for other in others]
            there = [(pod, node.name) for pod in pods if self.fits(pod, node, [], nodes)]
            if self.fits(Pod(number, index, True, W), node, there, nodes):
                fits.append(node)
        names = {node.name: f"n{index}" for index, node in enumerate(fits)}
        known = tuple((owner, names[name]) for owner, name in self.case.known if name in names)
        fits = tuple(replace(node, name=names[node.name]) for node in fits)
        return Reference(replace(self.case, nodes=fits, known=known), self.most).judged()[0] if fits else None

    @property
    def rolled(self):
        return tuple(
            place for place, work in enumerate(self.case.works) if work.kind not in ("Job", "Outside", "Queued")
        )

    def verdict(self):
        """The verdict, with the nodes that may join where these make it better, and how many states there were.

        Who waits from the start is asked for where it would end without them.
        """
        if any(work.kind == "Queued" and work.replicas for work in self.case.works):
            works = tuple(replace(work, replicas=0) if work.kind == "Queued" else work for work in self.case.works)
            without = Reference(replace(self.case, works=works), self.most).verdict()
            return self.judged() if without[0] == "completes" else without
        if not self.case.most:
            return self.with_others()
        fixed, states = Reference(replace(self.case, pool=None, most=0), self.most).with_others()
        grown, more = self.with_others()
        rank = (None, "stuck", "may-stick", "completes")
        return max(fixed, grown, key=rank.index), max(states, more)

    def with_others(self):
        """The verdict; of a rollout that does not end by itself where all begin at once, that of all together."""
        alone = self.judged()
        if not self.case.at_once or alone[0] not in ("stuck", "may-stick") or len(self.rolled) < 2:
            return alone
        (number,) = self.case.judged
        begun = self.begun()
        together = Reference(replace(self.case, judged=self.rolled, ends=number), self.most)
        return together.explored(begun) if begun else alone

    def changed(self):
        """Whether those that are judged end when all that changes begins to change at the same moment."""
        full, _ = self.starts()
        return self.explored(full)[0] if full else None

    def rolled_back(self):
        """Whether a StatefulSet whose old pods fit nowhere never gets to its new ones."""
        (work,) = self.case.works
        first = World(frozenset(), ((work.started, -1),))
        waiting = range(min(work.started, work.replicas) if work.parallel else 1)
        pods = frozenset(Pod(0, ordinal, False, W) for ordinal in waiting)
        return self.explored([replace(first, pods=pods)])[0] == "stuck"

    def judged(self):
        if not all(self.can_stand(number) for number in self.case.judged):
            return None, 0
        if len(self.case.judged) == 1 and not all(self.can_stand_at_last(number) for number in self.case.judged):
            return None, 0
        begun = self.begun()
        return self.explored(begun) if begun else (None, 0)

    def begun(self):
        """Where it begins: with all pods, or where others wait for ever for places of their own, with all its own.

        Old pods of a Deployment that find no place are replaced like others.
        """
        full, partial = self.starts()
        if full or len(self.case.judged) > 1:
            return full
        if any(owner in self.case.judged and not self.is_replaced(owner) for _, left in partial for owner, _ in left):
            return set()
        return {begun for world, left in partial for begun in self.waiting(world, left)}

    def is_replaced(self, number):
        """Whether its pods are replaced by others, whatever each of them waits for."""
        return self.case.works[number].kind == "Deployment"

    def with_queue(self, world):
        """The world with the pods of others that wait from the start."""
        pods = {
            Pod(number, index, False, W)
            for number, work in enumerate(self.case.works)
            for index in range(work.started if work.kind == "Queued" and self.could_ever_run(number) else 0)
        }
        return replace(world, pods=world.pods | pods)

    def explored(self, full):
        full = {self.with_queue(world) for world in full}
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
