"""Small cases in which several workloads are rolled, scaled, moved or made at the same moment."""

from __future__ import annotations

import random

from rollout_reference import Case, Node, Template, Work

from kubelint_gpu.values import replace


def change_case(seed: int) -> Case:
    """The first workload is rolled; what becomes of its rollout is asked. Most are such that all just fits."""
    rng = random.Random(seed)
    mixed = rng.random() < 0.5
    zones = rng.choice([("a",), ("a", "a"), ("a", "b"), ("a", "a", "b")])
    while True:
        gpus = rng.choice([1, 1, 2, 2, 3])
        nodes = tuple(
            Node(f"n{index}", zone, rng.choice([1, 2, gpus]) if mixed else gpus, 8, 8)
            for index, zone in enumerate(zones)
        )
        works = tuple(_work(rng, number, mixed) for number in range(rng.choice([2, 2, 3])))
        room = sum(node.gpu for node in nodes)
        taken = sum(work.old.gpu * work.started for work in works)
        if sum(max(work.started, work.replicas) for work in works) <= 7 and taken <= room <= taken + 2:
            return Case(nodes, works)


def _work(rng: random.Random, number: int, mixed: bool) -> Work:
    how = rng.choice(["roll", "roll", "scale", "new", "steady", "move"] if number else ["roll", "roll", "roll", "move"])
    replicas = before = rng.choice([1, 1, 2, 2, 3])
    if how == "new":
        before = 0
    elif how == "scale":
        before = rng.choice([count for count in (1, 2, 3) if count != replicas])
    elif how != "steady" and rng.random() < 0.35:
        before = rng.choice([1, 2, 3])
    old = Template()
    if mixed:
        old = Template(
            gpu=rng.choice([1, 1, 1, 2]),
            pool=rng.choice(["", "", "", "a"]),
            port=rng.choice([0] * 9 + [80]),
            anti=rng.choice([""] * 9 + ["host"]),
        )
    new = replace(old, pool=rng.choice(["", "a"]), gpu=rng.choice([old.gpu, 1, 2])) if how == "move" and mixed else old
    surge, unavailable = rng.choice([(1, 0), (1, 0), (0, 1), (1, 1), (2, 0)])
    ordered = number and how == "roll" and before == replicas and rng.random() < 0.2
    return Work(
        "StatefulSet" if ordered else "Deployment",
        f"w{number}",
        replicas,
        old,
        new,
        surge,
        1 if ordered else unavailable,
        recreate=not ordered and how in ("roll", "move") and rng.random() < 0.1,
        before=-1 if before == replicas else before,
        rolls=how in ("roll", "move"),
        changes=how != "steady",
    )


def scaled_case(seed: int) -> Case:
    """One workload that is rolled and scaled by the same change, with nobody beside it."""
    rng = random.Random(seed)
    while True:
        nodes = tuple(Node(f"n{index}", "a", rng.choice([1, 2, 3, 4]), 8, 8) for index in range(rng.choice([1, 1, 2])))
        replicas, before = rng.sample([1, 2, 3], 2)
        old = Template(gpu=rng.choice([1, 1, 1, 2]), anti=rng.choice(["", "", "", "host"]))
        new = replace(old, gpu=rng.choice([old.gpu, old.gpu, 1, 2]))
        room = sum(node.gpu for node in nodes)
        if max(before * old.gpu, replicas * new.gpu) <= room <= replicas * new.gpu + 2:
            break
    surge, unavailable = rng.choice([(1, 0), (1, 0), (2, 0), (0, 1), (1, 1)])
    recreate = rng.random() < 0.1
    return Case(
        nodes,
        (
            Work(
                "Deployment", "w0", replicas, old, new, surge, unavailable, recreate=recreate, before=before, rolls=True
            ),
        ),
    )
