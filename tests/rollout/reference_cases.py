"""Random small cases, most of them such that the pods just fit."""

from __future__ import annotations

import random

from reference_case import Case, Node, Pod, R, Template, Work
from reference_scheduler import Scheduler

from kubelint_gpu.values import replace


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
    scheduler = Scheduler(case)
    there = [(Pod(owner, -1, False, R, name), name) for owner, name in case.known]
    known = list(case.known)
    for index in range(count):
        pod = Pod(len(case.works) - 1, index, False, R)
        fitting = [node.name for node in case.nodes if scheduler.fits(pod, node, there, case.nodes)]
        if not fitting:
            return replace(case, works=case.works[:-1])
        name = rng.choice(fitting)
        there.append((pod, name))
        known.append((pod.owner, name))
    return replace(case, known=tuple(known))


def _known(case: Case, rng: random.Random) -> tuple[tuple[int, str], ...]:
    """Nodes on which some pods of a Deployment are known to run."""
    scheduler, there, known = Scheduler(case), [], []
    for number, work in enumerate(case.works):
        if work.kind != "Deployment" or work.old.by_revision:
            continue
        for index in range(rng.randint(0, work.started)):
            node = rng.choice(case.nodes)
            pod = Pod(number, index, False, R, node.name)
            if scheduler.fits(pod, node, there, case.nodes) and case.quota < 0:
                there.append((pod, node.name))
                known.append((number, node.name))
    return tuple(known)


# --- features, one at a time ---------------------------------------------------------------------------------------
def featured_case(seed: int) -> tuple[str, Case]:
    """A case with something of its own, and what that is."""
    rng = random.Random(f"featured {seed}")
    names = sorted(FEATURES)
    name = names[seed % len(names)]
    change = FEATURES[name]
    while True:
        found = change(_random_case(rng), rng)
        if found is not None and _just_fits(found):
            return name, found


def _just_fits(case: Case) -> bool:
    room = sum(node.gpu for node in case.nodes)
    taken = sum(work.old.gpu * (len(case.nodes) if work.kind == "DaemonSet" else work.started) for work in case.works)
    return room - 3 <= taken <= room + (case.pool.gpu if case.pool else 0)


def _with(case: Case, number: int, both: bool = True, **fields: object) -> Case:
    """The case with other fields in the template of a work, in the new one only where not `both`."""
    works = list(case.works)
    one = works[number]
    works[number] = replace(one, new=replace(one.new, **fields), old=replace(one.old, **fields) if both else one.old)
    return replace(case, works=tuple(works))


def _changed(case: Case, number: int, **fields: object) -> Case:
    works = list(case.works)
    works[number] = replace(works[number], **fields)
    return replace(case, works=tuple(works))


def _first(case: Case, kind: str) -> int | None:
    """The first judged work of a kind."""
    return next((number for number in case.judged if case.works[number].kind == kind), None)


def _spread(case: Case, rng: random.Random) -> Case | None:
    number = _first(case, "Deployment")
    if number is None:
        return None
    domains = rng.choice([0, 0, 1, 2, 3])
    key = rng.choice(["host", "zone"])
    return _with(case, number, anti="", spread=key, skew=rng.choice([1, 1, 2]), domains=domains)


def _near(case: Case, rng: random.Random) -> Case | None:
    if len(case.works) < 2 or any(work.kind == "DaemonSet" for work in case.works):
        return None
    number = rng.choice(case.judged)
    other = rng.choice([place for place, work in enumerate(case.works) if place != number])
    if case.works[other].kind == "Job":
        return None
    return _with(case, number, near=rng.choice(["host", "zone"]), near_to=other)


def _bound_to_daemons(case: Case, rng: random.Random) -> Case | None:
    daemons = [place for place, work in enumerate(case.works) if work.kind == "DaemonSet"]
    if len(case.works) < 2 or not daemons or case.judged == tuple(daemons):
        return None
    number = next(place for place in range(len(case.works)) if place not in daemons)
    key = rng.choice(["host", "zone"])
    if rng.random() < 0.5:
        return _with(case, number, near=key, near_to=daemons[0])
    return _with(case, number, away=key, away_to=daemons[0])


def _near_itself(case: Case, rng: random.Random) -> Case | None:
    number = _first(case, "Deployment")
    if number is None:
        return None
    return _with(case, number, near=rng.choice(["host", "zone", "zone"]), anti="")


def _away(case: Case, rng: random.Random) -> Case | None:
    if len(case.works) < 2 or any(work.kind == "DaemonSet" for work in case.works):
        return None
    number = rng.randrange(len(case.works))
    other = rng.choice([place for place in range(len(case.works)) if place != number])
    return _with(case, number, away=rng.choice(["host", "zone"]), away_to=other)


def _one_pod_claim(case: Case, rng: random.Random) -> Case | None:
    number = _first(case, rng.choice(["Deployment", "StatefulSet"]))
    if number is None or case.works[number].started != 1:
        return None
    return _with(case, number, both=rng.random() < 0.9, claim="rwop")


def _one_node_claim(case: Case, rng: random.Random) -> Case | None:
    number = _first(case, rng.choice(["Deployment", "StatefulSet"]))
    if number is None or case.works[number].started > 2 or case.works[number].replicas > 2:
        return None
    return _with(case, number, claim="rwo")


def _quota_of_pods(case: Case, rng: random.Random) -> Case | None:
    if any(work.kind == "DaemonSet" for work in case.works) and len(case.works) > 1:
        return None
    return replace(case, quota=-1, quota_pods=sum(work.started for work in case.works) + rng.choice([0, 0, 1, 2]))


def _shares(case: Case, rng: random.Random) -> Case | None:
    number = _first(case, rng.choice(["Deployment", "StatefulSet"]))
    if number is None:
        return None
    surge, unavailable = rng.choice([(25, 25), (25, 0), (0, 34), (50, 50), (0, 50), (100, 0), (10, 67)])
    return _changed(case, number, shares=True, surge=surge, unavailable=unavailable, recreate=False)


def _other_strategy(case: Case, rng: random.Random) -> Case | None:
    number = _first(case, "Deployment")
    return None if number is None else _changed(case, number, other=True, recreate=rng.random() < 0.3)


def _partition(case: Case, rng: random.Random) -> Case | None:
    number = _first(case, "StatefulSet")
    if number is None:
        return None
    return _changed(case, number, partition=rng.randint(0, case.works[number].replicas))


def _resized_set(case: Case, rng: random.Random) -> Case | None:
    number = _first(case, "StatefulSet")
    return None if number is None else _changed(case, number, before=rng.choice([1, 2, 3]))


def _moved_daemons(case: Case, rng: random.Random) -> Case | None:
    number = _first(case, "DaemonSet")
    if number is None:
        return None
    work = case.works[number]
    before, after = rng.choice([("", "a"), ("a", "")])
    return _changed(case, number, old=replace(work.old, pool=before), new=replace(work.new, pool=after))


def _budgets(case: Case, rng: random.Random) -> Case | None:
    lowest = min(work.old.priority for work in case.works)
    if len(case.works) < 2 or all(work.new.priority == lowest for work in case.works):
        return None
    owners = rng.sample(range(len(case.works)), rng.randint(1, len(case.works)))
    if any(case.works[owner].kind == "DaemonSet" for owner in owners):
        return None
    return replace(case, budgets=tuple((owner, rng.choice(["min", "max"]), rng.randint(0, 2)) for owner in owners))


def _joining(case: Case, rng: random.Random) -> Case | None:
    if any(work.kind == "DaemonSet" for work in case.works):
        return None
    return replace(case, pool=Node("pool", rng.choice("ab"), rng.choice([1, 2]), 4, 8), most=rng.randint(1, 2))


def _grown_request(case: Case, rng: random.Random) -> Case | None:
    number = rng.choice(case.judged)
    work = case.works[number]
    return _with(case, number, both=False, gpu=work.old.gpu + rng.choice([0, 1]), cpu=rng.choice([1, 2]))


def _at_once(case: Case, _: random.Random) -> Case | None:
    rolled = [work for work in case.works if work.kind != "Job"]
    if len(case.judged) > 1 or len(rolled) < 2 or any(work.kind == "DaemonSet" or work.before >= 0 for work in rolled):
        return None
    return replace(case, at_once=True)


def _second_daemon_set(case: Case, rng: random.Random) -> Case | None:
    number = _first(case, "DaemonSet")
    if number is None:
        return None
    other = Template(gpu=rng.choice([0, 1, 1]), cpu=rng.choice([0, 1]), pool=rng.choice(["", "a"]))
    surge, unavailable = rng.choice([(1, 0), (0, 1)])
    more = Work("DaemonSet", f"w{len(case.works)}", 1, other, other, surge, unavailable)
    return replace(case, works=(*case.works, more), quota=-1)


def rolled_back_case(seed: int) -> Case:
    """A StatefulSet whose old template asks for more than any node has."""
    rng = random.Random(f"rolled back {seed}")
    nodes = tuple(
        Node(f"n{number}", rng.choice("ab"), rng.choice([0, 1, 2]), 4, 8) for number in range(rng.randint(1, 3))
    )
    replicas, anti = rng.randint(1, 3), rng.choice(["", "", "host", "zone"])
    new = Template(gpu=rng.choice([0, 1, 1, 2]), anti=anti)
    work = Work(
        "StatefulSet", "w0", replicas, replace(new, gpu=3), new, 0, rng.choice([1, 1, 2]),
        parallel=rng.random() < 0.5, before=rng.choice([-1, -1, 1, 2]), partition=rng.choice([0, 0, 0, 1]),
    )  # fmt: skip
    return Case(nodes, (work,), gate=rng.random() < 0.5)


def _everything(case: Case, rng: random.Random) -> Case | None:
    for change in rng.sample([FEATURES[name] for name in sorted(FEATURES) if name != "several"], 3):
        found = change(case, rng)
        case = found if found is not None else case
    return case


def _queued(case: Case, rng: random.Random) -> Case | None:
    """Pods of somebody else that wait for a node from the start."""
    if len(case.judged) > 1 or case.quota >= 0 or any(work.kind == "Outside" for work in case.works):
        return None
    priority = rng.choice([-5, 0, 0, 0, 10])
    anti = rng.choice(["", "", "", "host"])
    template = Template(gpu=rng.choice([1, 1, 2]), cpu=rng.choice([0, 1]), anti=anti, priority=priority)
    template = replace(template, never=rng.random() < 0.3)
    waits = Work("Queued", f"w{len(case.works)}", rng.randint(1, 2), template, template)
    if 0 <= case.quota_pods < sum(work.started for work in (*case.works, waits)):
        return None
    return replace(case, works=(*case.works, waits))


def _not_ready(case: Case, rng: random.Random) -> Case | None:
    """Pods that are known to run, some of which are not ready."""
    number = case.judged[0]
    work = case.works[number]
    if (
        len(case.judged) > 1
        or case.known
        or case.quota >= 0
        or work.kind == "DaemonSet"
        or work.old.by_revision
        or work.started < 1
    ):
        return None
    if any(one.kind in ("DaemonSet", "Outside") for one in case.works):
        return None
    scheduler, there = Scheduler(case), []
    for index in range(rng.randint(1, work.started)):
        pod = Pod(number, index, False, R)
        fitting = [node.name for node in case.nodes if scheduler.fits(pod, node, there, case.nodes)]
        if not fitting:
            return None
        name = rng.choice(fitting)
        there.append((replace(pod, node=name), name))
    known = tuple((number, name) for _, name in there)
    unready = tuple(place for place in range(len(known)) if rng.random() < 0.6)
    return replace(case, known=known, unready=unready) if unready else None


def batched_case(seed: int) -> Case | None:
    """Deployments, one or two of them, whose old pods go only for whole batches of new ones of all."""
    rng = random.Random(seed)
    case = random_case(seed)
    rolled = [number for number, work in enumerate(case.works) if work.kind == "Deployment"]
    chosen = sorted(rng.sample(rolled, min(len(rolled), rng.choice([1, 2, 2, 2]))))
    if not chosen or case.quota >= 0 or any(work.kind == "DaemonSet" for work in case.works):
        return None
    groups, style = rng.randint(1, 2), rng.choice(["all", "all", "surge", "first"])
    works = list(case.works)
    for number in chosen:
        size = rng.choice([1, 1, 2])
        wanted, each = groups * size, groups * size if style == "all" else size
        more = (0, each) if style == "first" else (each, 0)
        one = replace(works[number], replicas=wanted, before=-1, batch=each, recreate=False)
        works[number] = replace(one, surge=more[0], unavailable=more[1])
    if len(chosen) > 1:
        # the places are about as many as are needed
        works = [replace(works[number], name=f"w{place}") for place, number in enumerate(chosen)]
        needed = sum((work.replicas + work.surge) * max(work.old.gpu, work.new.gpu) for work in works)
        room = max(1, needed - rng.choice([0, 0, 1, 2]))
        each = -(-room // len(case.nodes))
        nodes = tuple(
            replace(node, gpu=each - (number < each * len(case.nodes) - room)) for number, node in enumerate(case.nodes)
        )
        return replace(case, nodes=nodes, works=tuple(works), known=(), judged=(0, 1))
    known = tuple(one for one in case.known if one[0] not in chosen)
    return replace(case, works=tuple(works), known=known, judged=tuple(chosen))


FEATURES = {
    "spreading with minDomains and maxSkew": _spread,
    "near to another workload": _near,
    "near to daemon pods or away": _bound_to_daemons,
    "near to its own pods": _near_itself,
    "away from another workload": _away,
    "ReadWriteOncePod": _one_pod_claim,
    "ReadWriteOnce attached": _one_node_claim,
    "quota of pods": _quota_of_pods,
    "percentages": _shares,
    "strategy changed": _other_strategy,
    "partition": _partition,
    "StatefulSet scaled and rolled": _resized_set,
    "DaemonSet moved": _moved_daemons,
    "budgets": _budgets,
    "growing pool": _joining,
    "request grown": _grown_request,
    "several at once, one judged": _at_once,
    "two DaemonSets": _second_daemon_set,
    "several": _everything,
    "others wait": _queued,
    "not ready": _not_ready,
}
