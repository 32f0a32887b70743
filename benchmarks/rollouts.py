"""How long rollouts take to judge, in CPU seconds, and how many states the search looks at in one.

`python benchmarks/rollouts.py`: ratios to a fixed loop of this interpreter make runs on different machines comparable.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from kubelint_gpu.kube.objects.workload import read_workload
from kubelint_gpu.scheduler import read_cluster
from kubelint_gpu.simulation.questions.rollouts import judge, judge_together
from kubelint_gpu.simulation.search.verdict import Verdict
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace


def node(name, pool, gpus):
    labels = {"kubernetes.io/hostname": name, "pool": pool, "topology.kubernetes.io/zone": f"z{len(name) % 3}"}
    amounts = {"cpu": "96", "memory": "512Gi", "pods": "110", "nvidia.com/gpu": str(gpus)}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "status": {"allocatable": amounts},
    }


def deployment(name, pool, gpus, replicas, surge="25%", unavailable="25%", **spec):
    labels = {"app": name}
    resources = {"limits": {"nvidia.com/gpu": str(gpus)}, "requests": {"cpu": "4", "memory": "16Gi"}}
    containers = [{"name": "c", "image": "i", "resources": resources}]
    template = {
        "metadata": {"labels": labels},
        "spec": {"nodeSelector": {"pool": pool}, "containers": containers, "priority": 0, **spec},
    }
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}
    return read_workload(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": name, "namespace": "d"},
            "spec": {
                "replicas": replicas,
                "selector": {"matchLabels": labels},
                "template": template,
                "strategy": rolling,
            },
        }
    )


def fleet(workloads=200, nodes=1000, classes=20, *, packed=False):
    """Twenty pools of fifty nodes: some with room, some full, some with requests of several sizes."""
    cluster = read_cluster(
        [node(f"n{i:04}", f"p{i % classes}", (1, 2, 4, 8)[i % classes % 4]) for i in range(nodes)], version="1.34"
    )
    found = []
    per_node = nodes // classes
    for i in range(workloads):
        pool = i % classes
        gpus = (1, 2, 4, 8)[pool % 4]
        place = i // classes
        share = per_node * gpus // (workloads // classes)
        if pool < 12:  # room for all
            found.append(deployment(f"w{i:03}", f"p{pool}", 1, max(1, share // 2)))
        elif pool < 17:  # exactly full
            found.append(deployment(f"w{i:03}", f"p{pool}", 1, share, 1, place % 2))
        else:  # sizes differ
            size = 1 + (place % 2) * (gpus > 1)
            found.append(deployment(f"w{i:03}", f"p{pool}", size, max(1, share // size if packed else share // 3)))
    return [Transition(one, one) for one in found], cluster


def changed_at_once(transitions):
    """The same, rolled in one apply that also scales two of three workloads: one up, one down, and one not at all."""
    changes = []
    for number, one in enumerate(transitions):
        before = max(1, one.new.replicas + (-1, 1, 0)[number % 3])
        changes.append(Transition(one.new, replace(one.new, replicas=before), known=True))
    return changes


def stateful_set(name, key):
    """Eight replicas that are spread evenly over the values of a label."""
    labels = {"app": name}
    selector = {"matchLabels": labels}
    spread = {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector}
    containers = [{"name": "c", "image": "i", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]
    template = {
        "metadata": {"labels": labels},
        "spec": {"topologySpreadConstraints": [spread], "containers": containers, "priority": 0},
    }
    spec = {"serviceName": name, "replicas": 8, "selector": selector, "template": template}
    return read_workload(
        {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": name, "namespace": "d"}, "spec": spec}
    )


def cpu(action, repeat=1):
    best = None
    for _ in range(repeat):
        start = time.process_time()
        result = action()
        spent = time.process_time() - start
        best = spent if best is None else min(best, spent)
    return best, result


def loop():
    total = 0
    for number in range(2_000_000):
        total += number & 7
    return total


def main():
    unit, _ = cpu(loop, 3)
    transitions, cluster = fleet()
    judge(transitions[:1], cluster)
    spent, found = cpu(lambda: judge(transitions, cluster))
    verdicts = Counter(str(one.verdict and one.verdict.value) for one in found)
    bound = sum(not one.runs.searched for one in found)
    told = f"{spent:.2f} s ({spent / unit:.1f} units), {bound} by bound, {dict(verdicts)}"
    print(f"200 Deployments, 1000 nodes, 20 classes: {told}")
    transitions, cluster = fleet(packed=True)
    spent, found = cpu(lambda: judge(transitions, cluster))
    verdicts = Counter(str(one.verdict and one.verdict.value) for one in found)
    states = sum(one.runs.states for one in found)
    print(f"the same, three pools full of pods of two sizes: {spent:.2f} s, {states} states, {dict(verdicts)}")
    for packed, told in (
        (False, "all rolled and scaled in one apply"),
        (True, "and the same with the three pools full"),
    ):
        transitions, cluster = fleet(packed=packed)
        changes = changed_at_once(transitions)
        spent, found = cpu(lambda changes=changes, cluster=cluster: judge(changes, cluster))
        ends = [replace(one, rolls=said.verdict is Verdict.COMPLETES) for one, said in zip(changes, found, strict=True)]
        both, _ = cpu(lambda ends=ends, cluster=cluster: judge_together(ends, cluster))
        verdicts = Counter(str(one.verdict and one.verdict.value) for one in found)
        states = sum(one.runs.states for one in found)
        print(
            f"{told}: {spent:.2f} s ({spent / unit:.1f} units) each and {both:.2f} s together, {states} states, "
            f"{dict(verdicts)}"
        )

    single = read_cluster([node(f"n{i}", f"p{i}", 1) for i in range(10)], version="1.34")
    tracker = [Transition(one, one) for one in [deployment("tracker", "p0", 1, 1)]]
    judge(tracker, single)
    spent, _ = cpu(lambda: [judge(tracker, single) for _ in range(20)], 3)
    print(f"one pinned Deployment: {spent / 20 * 1000:.2f} ms ({spent / 20 / unit:.4f} units)")

    small = read_cluster([node(f"n{i}", "p", 4) for i in range(4)], version="1.34")
    mixed = [deployment("a", "p", 2, 3, 1, 1), deployment("b", "p", 1, 4, 1, 1), deployment("c", "p", 3, 1, 1, 0)]
    spent, (together,) = cpu(lambda: judge_together([Transition(one, one) for one in mixed], small, budget=20_000))
    print(
        f"three Deployments of different sizes rolled at once: {together.verdict.value}, {together.runs.states} states, "
        f"{together.runs.states / spent:.0f} states/s ({together.runs.states / spent * unit:.0f} states per unit)"
    )

    sixteen = read_cluster([node(f"{'n' * (1 + i % 3)}{i}", "p", 1) for i in range(16)], version="1.34")
    for key in ("topology.kubernetes.io/zone", "kubernetes.io/hostname"):
        pair = [Transition(one, one) for one in (stateful_set("a", key), stateful_set("b", key))]
        spent, found = cpu(lambda pair=pair: judge(pair, sixteen))
        both, (together,) = cpu(lambda pair=pair: judge_together(pair, sixteen))
        told = [f"{one.verdict.value} ({one.runs.states} states)" for one in (*found, together)]
        print(
            f"two StatefulSets of 8 on 16 nodes, spread by {key}: {spent * 1000:.0f} ms by themselves, "
            f"{both:.1f} s at the same moment: {', '.join(told)}"
        )


if __name__ == "__main__":
    main()
