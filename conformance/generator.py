"""Rollouts that a program writes: every small combination of the surge arithmetic, and random ones from a seed."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

from conformance.api_client import Object
from conformance.objects import GPU, SECOND, deployment, job, node, pod_spec, priority_class, volume, workload
from conformance.rollout_case import Case, merged


def matrix() -> Iterator[Case]:
    """One pool of GPUs, every small strategy: the arithmetic of surge against what is free."""
    strategies: list[dict[str, int | str]] = [{}, {"type": "Recreate"}]
    strategies += [{"maxSurge": s, "maxUnavailable": u} for s, u in itertools.product((0, 1, 2), (0, 1, 2)) if s or u]
    strategies += [{"maxSurge": "50%", "maxUnavailable": 0}, {"maxSurge": 0, "maxUnavailable": "30%"}]
    for replicas in range(1, 6):
        for number, strategy in enumerate(strategies):
            for spare in (0, 1):
                if replicas > 3 and (number + spare) % 3:
                    continue
                yield Case(
                    f"matrix-r{replicas}-s{number:02}-spare{spare}",
                    (node("gpu-1", replicas + spare),),
                    (deployment("web", replicas, pod_spec(1), **strategy),),
                    (merged(deployment("web", replicas, pod_spec(1), **strategy), SECOND),),
                )


def random_cases(seed: int, count: int) -> Iterator[Case]:
    """`count` cases; the same seed gives the same ones, and a case does not depend on those before it."""
    for number in range(count):
        yield random_case(seed, number)


def random_case(seed: int, number: int) -> Case:
    """One random case."""
    return _Draw(random.Random(f"{seed}/{number}")).case(f"random-{seed}-{number:04}")


class _Draw:
    def __init__(self, source: random.Random) -> None:
        self.r = source
        self.inventory: list[Object] = []
        self.classes: set[str] = set()

    def case(self, name: str) -> Case:
        r = self.r
        nodes = r.choice((1, 1, 2, 2, 2, 3, 3, 4))
        uniform = r.choice((1, 1, 2, 2, 4)) if r.random() < 0.6 else 0
        gpus = [uniform or r.choice((0, 1, 1, 2, 4)) for _ in range(nodes)]
        zones = r.choice((("a",), ("a", "b"), ("a", "b")))
        self.nodes = []
        for index, count in enumerate(gpus):
            labels = {"topology.kubernetes.io/zone": zones[index % len(zones)], "disk": r.choice(("ssd", "hdd"))}
            self.nodes.append(node(f"n{index + 1}", count, labels, cpu=r.choice(("4", "8"))))
        self.total = sum(gpus)
        kinds = r.choices(("Deployment", "StatefulSet", "DaemonSet", "Job"), (78, 10, 8, 4))
        if r.random() < 0.35:
            kinds.append(r.choices(("Deployment", "StatefulSet", "Job"), (80, 12, 8))[0])
        old, new = [], []
        for index, kind in enumerate(kinds):
            before, after = self.drawn(kind, "ab"[index], len(kinds))
            old.append(before)
            if after is not None:
                new.append(after)
        if not new:
            new.append(merged(old[0], SECOND) if old[0]["kind"] != "Job" else self.late_comer())
        if r.random() < 0.12:
            self.fillers()
        self.quota(old)
        self.budget()
        inventory = [*self.nodes, *(priority_class(each) for each in sorted(self.classes)), *self.inventory]
        return Case(name, tuple(inventory), tuple(old), tuple(new))

    def late_comer(self) -> Object:
        return deployment("late", self.r.choice((1, 2)), pod_spec(1), maxSurge=1, maxUnavailable=0)

    def drawn(self, kind: str, name: str, beside: int) -> tuple[Object, Object | None]:
        r = self.r
        share = max(1, self.total // beside)
        gpus = r.choices((0, 1, 2), (15, 75, 10))[0] if self.total else 0
        fit = max(1, share // max(1, gpus))
        replicas = max(1, min(6, fit + r.choices((0, -1, -2, 1), (60, 20, 10, 10))[0]))
        if not gpus:
            replicas = r.choice((1, 2, 3))
        spec = self.template(name, gpus, kind)
        replicas = max(1, min(replicas, self.room(spec, gpus, share)))
        if kind == "Deployment":
            before = deployment(name, replicas, spec, **self.strategy())
        elif kind == "StatefulSet":
            policy = {"podManagementPolicy": r.choice(("OrderedReady", "Parallel"))}
            before = workload(kind, name, {"replicas": replicas, "serviceName": name, **policy}, spec)
        elif kind == "DaemonSet":
            rolling = r.choice(({"maxUnavailable": 1}, {"maxUnavailable": 2}, {"maxSurge": 1, "maxUnavailable": 0}))
            before = workload(kind, name, {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": rolling}}, spec)
        else:
            return job(name, replicas, spec), None
        if name == "b" and r.random() < 0.7:
            return before, None
        return before, self.changed(before)

    def strategy(self) -> dict[str, int | str]:
        r = self.r
        if r.random() < 0.4:
            return {}
        if r.random() < 0.1:
            return {"type": "Recreate"}
        surge, unavailable = r.choice((0, 1, 1, 2, "25%", "50%")), r.choice((0, 0, 1, 1, 2, "25%", "50%"))
        if surge == 0 and unavailable == 0:
            surge = 1
        return {"maxSurge": surge, "maxUnavailable": unavailable}

    def template(self, name: str, gpus: int, kind: str) -> Object:
        r = self.r
        spec = pod_spec(gpus, cpu=r.choice(("", "", "1", "2", "3")))
        own = {"matchLabels": {"app": name}}
        if r.random() < 0.25:
            spec["nodeSelector"] = self.selector()
        if r.random() < 0.15:
            spec["priorityClassName"] = self.priority()
        feature = r.random()
        if feature < 0.10:
            spec["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": r.choice((8080, 8080, 9090))}]
        elif feature < 0.22:
            key = r.choice(("kubernetes.io/hostname", "kubernetes.io/hostname", "topology.kubernetes.io/zone"))
            term: Object = {"labelSelector": own, "topologyKey": key}
            if r.random() < 0.3:
                term["matchLabelKeys"] = ["pod-template-hash"]
            spec["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
        elif feature < 0.34:
            key = r.choice(("kubernetes.io/hostname", "topology.kubernetes.io/zone"))
            constraint: Object = {
                "maxSkew": 1,
                "topologyKey": key,
                "whenUnsatisfiable": "DoNotSchedule",
                "labelSelector": own,
            }
            if r.random() < 0.35:
                constraint["matchLabelKeys"] = ["pod-template-hash"]
            spec["topologySpreadConstraints"] = [constraint]
        elif feature < 0.38:
            term = {"labelSelector": own, "topologyKey": "kubernetes.io/hostname"}
            spec["affinity"] = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
        elif feature < 0.45 and kind == "Deployment":
            mode = r.choice(("ReadWriteOncePod", "ReadWriteOnce"))
            claim = f"{'rwop' if mode == 'ReadWriteOncePod' else 'rwo'}-{name}"
            self.inventory += volume(claim, mode)
            spec["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]
        return spec

    def room(self, spec: Object, gpus: int, share: int) -> int:
        """About how many pods of a template fit on the empty nodes; a guess that saves cases that could not start."""
        wanted = spec.get("nodeSelector", {})
        nodes = [
            each
            for each in self.nodes
            if all(each["metadata"]["labels"].get(key) == value for key, value in wanted.items())
            and int(each["status"]["allocatable"].get(GPU, "0")) >= gpus
        ]
        cpu = int(spec["containers"][0].get("resources", {}).get("requests", {}).get("cpu", "0"))
        fits = [
            min(
                int(each["status"]["allocatable"].get(GPU, "0")) // gpus if gpus else 9,
                int(each["status"]["allocatable"]["cpu"]) // cpu if cpu else 9,
            )
            for each in nodes
        ]
        anti = spec.get("affinity", {}).get("podAntiAffinity")
        together = spec.get("affinity", {}).get("podAffinity")
        if any("ReadWriteOncePod" in str(each) for each in self.inventory) and "volumes" in spec:
            return 1
        if anti and "zone" in str(anti):
            return len({each["metadata"]["labels"]["topology.kubernetes.io/zone"] for each in nodes})
        if anti or "ports" in spec["containers"][0]:
            return len(nodes)
        if together or "volumes" in spec:
            return max(fits, default=1)
        return min(sum(fits), max(1, share // max(1, gpus)) if gpus else 9)

    def selector(self) -> dict[str, str]:
        r = self.r
        chosen = r.choice(self.nodes)["metadata"]["labels"]
        key = r.choice(("kubernetes.io/hostname", "kubernetes.io/hostname", "topology.kubernetes.io/zone", "disk"))
        return {key: chosen[key]}

    def priority(self) -> str:
        name = self.r.choices(("low", "high", "polite"), (40, 40, 20))[0]
        self.classes.add(name)
        return name

    def changed(self, before: Object) -> Object:
        r = self.r
        after: Object = merged(before, SECOND)
        spec = after["spec"]["template"]["spec"]
        kind = r.random()
        if kind < 0.08:
            spec["nodeSelector"] = self.selector()
        elif kind < 0.12:
            spec.pop("nodeSelector", None)
        elif kind < 0.20:
            spec["containers"][0]["resources"] = {"limits": {GPU: str(r.choice((1, 2)))}}
        elif kind < 0.28:
            spec["priorityClassName"] = self.priority()
        elif kind < 0.31:
            spec["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 8080}]
        return after

    def fillers(self) -> None:
        for index in range(self.r.choice((1, 2))):
            place = self.r.choice(self.nodes)
            spec = pod_spec(
                1 if GPU in place["status"]["allocatable"] else 0, cpu="1", nodeName=place["metadata"]["name"]
            )
            if self.r.random() < 0.5:
                spec["priorityClassName"] = self.priority()
            metadata = {"name": f"filler-{index}", "namespace": "default", "labels": {"app": "filler"}}
            self.inventory.append({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})

    def quota(self, old: list[Object]) -> None:
        r = self.r
        if r.random() >= 0.12:
            return
        used = {"pods": 0, f"requests.{GPU}": 0}
        for each in old:
            count = each["spec"].get("replicas") or each["spec"].get("parallelism") or len(self.nodes)
            limits = each["spec"]["template"]["spec"]["containers"][0].get("resources", {}).get("limits", {})
            used["pods"] += count
            used[f"requests.{GPU}"] += count * int(limits.get(GPU, 0))
        fillers = [each for each in self.inventory if each["kind"] == "Pod"]
        used["pods"] += len(fillers)
        used[f"requests.{GPU}"] += len(fillers)
        key = r.choice(sorted(used))
        hard = {key: str(used[key] + r.choice((0, 0, 1, 2)))}
        metadata = {"name": "limits", "namespace": "default"}
        self.inventory.append(
            {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata, "spec": {"hard": hard}}
        )

    def budget(self) -> None:
        r = self.r
        if r.random() < 0.10:
            metadata = {"name": "guard", "namespace": "default"}
            spec = {"maxUnavailable": r.choice((0, 1)), "selector": {"matchLabels": {"app": r.choice("ab")}}}
            self.inventory.append(
                {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": metadata, "spec": spec}
            )
