"""Random workloads with spread constraints."""

from __future__ import annotations

from rollout_objects import apart, cluster, deployment, node, pod, same, spread, workload

from kubelint_gpu.simulation.questions.rollouts import judge


def over_zones(name="w", **more):
    return spread(name, "zone", **more)


def w(replicas, *constraints, gpus=1, surge="25%", unavailable="25%", **spec):
    if constraints:
        spec["topologySpreadConstraints"] = [one for found in constraints for one in found]
    return deployment("w", replicas, gpus, surge, unavailable, **spec)


def random_workloads(rng):
    """A Deployment with constraints, and sometimes another one beside it."""
    zones = rng.choice(["ab", "abb", "abc", "aabb", "aab", "abcc"])
    constraints = [
        (spread if rng.random() < 0.35 else over_zones)(
            rng.choice(["w", "w", "w", "v"]),
            maxSkew=rng.choice([1, 1, 1, 2]),
            **({"minDomains": rng.choice([2, 3])} if rng.random() < 0.2 else {}),
            **({"matchLabelKeys": ["pod-template-hash"]} if rng.random() < 0.3 else {}),
            **({"nodeTaintsPolicy": "Honor"} if rng.random() < 0.3 else {}),
            **({"nodeAffinityPolicy": "Ignore"} if rng.random() < 0.3 else {}),
        )
        for _ in range(rng.choice([0, 1, 1, 1, 2]))
    ]
    spec = {}
    if rng.random() < 0.25:
        spec["nodeSelector"] = {"zone": "a"} if rng.random() < 0.3 else {"pool": "x"}
    if rng.random() < 0.2:
        spec["affinity"] = apart(rng.choice("wv"))
    surge, unavailable = rng.choice([(1, 0), (0, 1), (1, 1), (2, 0), ("25%", "25%")])
    mine = w(rng.randint(1, 4), *constraints, surge=surge, unavailable=unavailable, **spec)
    others = []
    if rng.random() < 0.4:
        kind = rng.choice(["Deployment", "StatefulSet", "DaemonSet"])
        others = [workload(kind, "v", rng.randint(1, 2), rng.choice([0, 1]))]
    on = [node(f"n{i}", rng.choice([1, 2, 2, 3, 4]), zone=zone) for i, zone in enumerate(zones)]
    for one in on:
        if rng.random() < 0.7:
            one["metadata"]["labels"]["pool"] = "x"
        if rng.random() < 0.1:
            one["spec"] = {"taints": [{"key": "t", "value": "", "effect": "NoSchedule"}]}
    for number in range(rng.choice([0, 0, 0, 1, 2])):
        labels = {"app": rng.choice("wv"), "of": "x"}
        on.append(pod(f"x-{number}", f"n{number}", rng.choice([0, 1]), labels=labels, owner=("ReplicaSet", "x-1")))
    return [mine, *others], on


def verdict_of(*workloads, on, **options):
    found = judge(same(*workloads), cluster(*on), **options)[0]
    return found.verdict, not found.runs.searched


def nodes(*zones, gpus=8, taints=None):
    found = [node(f"n{i}", gpus, zone=zone) for i, zone in enumerate(zones)]
    for name, taint in (taints or {}).items():
        found[name]["spec"] = {"taints": [taint]}
    return found
