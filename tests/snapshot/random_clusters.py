"""Random clusters with one to four workloads, and what one apply changes of them; the same seed gives the same files.

Nothing here is used elsewhere: a change of another generator changes no snapshot.
"""

from __future__ import annotations

import copy
import json
import random
from dataclasses import dataclass

GPU = "nvidia.com/gpu"
HOST, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
SPACE = "serving"
CLASSES = {"low": 100, "high": 10_000, "polite": 10_000}


@dataclass(frozen=True)
class RandomCluster:
    """The files of a case by name, the workloads in `after.yaml`, and how the linter is asked about it."""

    files: dict[str, str]
    workloads: tuple[str, ...]
    options: tuple[tuple[str, ...], ...]


def random_cluster(seed: int) -> RandomCluster:
    return _Draw(random.Random(f"snapshot {seed}")).cluster()


def _text(objects: list[dict]) -> str:
    return "".join(f"---\n{json.dumps(one, indent=1)}\n" for one in objects)


class _Draw:
    def __init__(self, rng: random.Random) -> None:
        self.r = rng
        self.beside: list[dict] = []  # objects of the cluster as kubectl prints them
        self.more: list[dict] = []  # manifests beside the workloads

    def chance(self, share: float) -> bool:
        return self.r.random() < share

    def cluster(self) -> RandomCluster:
        r = self.r
        self.nodes = [self.node(number) for number in range(r.choice([1, 1, 2, 2, 3, 3, 4]))]
        self.total = sum(one["gpus"]["count"] for one in self.nodes if "gpus" in one)
        kinds = ["Deployment", *r.choices(["Deployment", "StatefulSet", "DaemonSet", "Job"], [55, 20, 12, 13], k=3)]
        kinds = r.sample(kinds, r.choice([1, 1, 2, 2, 2, 3, 4]))
        before = [self.workload(kind, "abcd"[number], len(kinds)) for number, kind in enumerate(kinds)]
        after = [self.changed(one) for one in before]
        if self.chance(0.15):
            after.append(self.workload("Deployment", "new", len(kinds) + 1))
        if len(before) > 1 and self.chance(0.1):
            after.pop(0)
        options: list[tuple[str, ...]] = [()]
        options += [("--together",)] * (len(after) > 1 and self.chance(0.5))
        options += [("--against", "before.yaml")] * self.chance(0.5)
        options += [("--against", "before.yaml", "--together")] * (len(after) > 1 and self.chance(0.4))
        files = {
            "inventory.yaml": _text([self.inventory(before), *self.beside]),
            "before.yaml": _text([*before, *self.more]),
            "after.yaml": _text([*after, *self.more]),
        }
        names = tuple(f"{SPACE}/{one['kind']}/{one['metadata']['name']}" for one in after)
        return RandomCluster(files, names, tuple(options))

    # --- the cluster -------------------------------------------------------------------------------------------------
    def node(self, number: int) -> dict:
        r = self.r
        found = {
            "name": f"n{number + 1}",
            "labels": {ZONE: r.choice("ab"), "disk": r.choice(["ssd", "hdd"])},
            "allocatable": {"cpu": r.choice([4, 8, 16]), "memory": "64Gi"},
        }
        if self.chance(0.9):
            found["gpus"] = {"model": "L4", "count": r.choice([1, 1, 2, 2, 4])}
        if self.chance(0.12):
            found["taints"] = [r.choice(["nvidia.com/gpu=present:NoSchedule", "dedicated=lab:NoSchedule"])]
        if self.chance(0.04):
            found["unschedulable"] = True
        return found

    def inventory(self, before: list[dict]) -> dict:
        r = self.r
        found = {
            "apiVersion": "kubelint-gpu/v1",
            "kind": "ClusterInventory",
            "kubernetesVersion": r.choice(["1.31", "1.34", "1.34", "1.36"]),
            "nodes": self.nodes,
            "priorityClasses": [{"name": name, "value": value} for name, value in CLASSES.items()],
        }
        found["priorityClasses"][-1]["preemptionPolicy"] = "Never"
        if self.chance(0.2):
            template = {"allocatable": {"cpu": 8, "memory": "64Gi"}, "gpus": {"model": "L4", "count": r.choice([1, 2])}}
            count = r.choice([0, 1])
            found["pools"] = [{"name": "pool", "count": count, "template": template}]
            if self.chance(0.7):
                found["pools"][0]["autoscaling"] = {"min": 0, "max": count + r.choice([1, 2])}
        if self.chance(0.5):
            found["running"] = self.running(before)
        if self.chance(0.15):
            found["resourceQuotas"] = [{"name": "team", "namespace": SPACE, "hard": self.quota(before)}]
        if self.chance(0.15):
            share = {r.choice(["minAvailable", "maxUnavailable"]): r.choice([0, 1])}
            name = before[0]["metadata"]["name"]
            selector = {"matchLabels": {"app": name}}
            found["podDisruptionBudgets"] = [{"name": "guard", "namespace": SPACE, "selector": selector, **share}]
        if self.chance(0.3):
            found["complete"] = True
        return found

    def running(self, before: list[dict]) -> list[dict]:
        """Pods of the workloads, and of somebody else."""
        r, found = self.r, []
        for one in before:
            if one["kind"] in ("Deployment", "StatefulSet") and self.chance(0.6):
                name, replicas = one["metadata"]["name"], one["spec"].get("replicas", 1)
                owner = (
                    f"ReplicaSet/{SPACE}/{name}-5c9d" if one["kind"] == "Deployment" else f"StatefulSet/{SPACE}/{name}"
                )
                for number in range(r.randint(1, replicas) if replicas else 0):
                    pod = f"{name}-5c9d-{number}" if one["kind"] == "Deployment" else f"{name}-{number}"
                    node = r.choice(self.nodes)
                    gpus = min(self.gpus_of(one), node.get("gpus", {}).get("count", 0))
                    found.append(
                        {
                            "name": pod,
                            "namespace": SPACE,
                            "node": node["name"],
                            "gpus": gpus,
                            "labels": {"app": name},
                            "owner": owner,
                        }
                    )
        if self.chance(0.5):
            node = r.choice(self.nodes)
            gpus = min(1, node.get("gpus", {}).get("count", 0))
            pod = {"name": "notebook", "namespace": "lab", "node": node["name"], "gpus": gpus}
            found.append({**pod, "priority": r.choice([0, 0, 100, 20_000])})
        return found

    def quota(self, before: list[dict]) -> dict:
        pods = sum(one["spec"].get("replicas", 1) for one in before)
        gpus = sum(one["spec"].get("replicas", 1) * self.gpus_of(one) for one in before)
        if self.chance(0.3):
            return {"count/replicasets.apps": self.r.choice([1, 2, 4])}
        return (
            {"pods": pods + self.r.choice([0, 1])}
            if self.chance(0.4)
            else {f"requests.{GPU}": gpus + self.r.choice([0, 1])}
        )

    # --- the workloads -----------------------------------------------------------------------------------------------
    @staticmethod
    def gpus_of(one: dict) -> int:
        limits = one["spec"]["template"]["spec"]["containers"][0].get("resources", {}).get("limits", {})
        return int(limits.get(GPU, 0))

    def workload(self, kind: str, name: str, beside: int) -> dict:
        r = self.r
        gpus = r.choices([0, 1, 2], [12, 73, 15])[0]
        share = max(1, self.total // beside // max(1, gpus))
        replicas = max(1, min(5, share + r.choice([0, 0, 0, 0, -1, 1])))
        spec = self.pod(name, gpus)
        body: dict = {"selector": {"matchLabels": {"app": name}}}
        body["template"] = {"metadata": {"labels": {"app": name}}, "spec": spec}
        version = "apps/v1"
        if kind == "Deployment":
            body |= {"replicas": replicas, **self.strategy()}
        elif kind == "StatefulSet":
            policy = {"podManagementPolicy": r.choice(["OrderedReady", "OrderedReady", "Parallel"])}
            body |= {"replicas": replicas, "serviceName": name, **policy}
            if self.chance(0.3):
                kind_of = r.choice([{"partition": 1}, {"maxUnavailable": 2}, None])
                body["updateStrategy"] = (
                    {"type": "RollingUpdate", "rollingUpdate": kind_of} if kind_of else {"type": "OnDelete"}
                )
        elif kind == "DaemonSet":
            rolling = r.choice([{"maxUnavailable": 1}, {"maxUnavailable": 2}, {"maxSurge": 1, "maxUnavailable": 0}])
            body["updateStrategy"] = {"type": "RollingUpdate", "rollingUpdate": rolling}
        else:
            version = "batch/v1"
            del body["selector"]
            spec["restartPolicy"] = "Never"
            body |= {"parallelism": replicas, "completions": replicas}
        if kind in ("Deployment", "StatefulSet") and self.chance(0.06):
            self.autoscaler(kind, name, replicas)
        return {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": SPACE}, "spec": body}

    def strategy(self) -> dict:
        r = self.r
        if self.chance(0.4):
            return {}
        if self.chance(0.1):
            return {"strategy": {"type": "Recreate"}}
        surge, unavailable = r.choice([0, 1, 1, 2, "25%", "50%"]), r.choice([0, 0, 1, 1, 2, "25%"])
        rolling = {"maxSurge": 1 if surge == unavailable == 0 else surge, "maxUnavailable": unavailable}
        return {"strategy": {"type": "RollingUpdate", "rollingUpdate": rolling}}

    def autoscaler(self, kind: str, name: str, replicas: int) -> None:
        target = {"apiVersion": "apps/v1", "kind": kind, "name": name}
        metric = {
            "type": "Resource",
            "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}},
        }
        spec = {"scaleTargetRef": target, "minReplicas": 1, "maxReplicas": replicas + 2, "metrics": [metric]}
        metadata = {"name": name, "namespace": SPACE}
        self.more.append(
            {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": metadata, "spec": spec}
        )

    def pod(self, name: str, gpus: int) -> dict:
        r = self.r
        container: dict = {"name": "main", "image": "registry.example.com/main:1", "resources": {}}
        if gpus:
            container["resources"]["limits"] = {GPU: gpus}
        if self.chance(0.4):
            container["resources"]["requests"] = {"cpu": r.choice([1, 2, 3])}
        spec: dict = {"containers": [container]}
        if self.chance(0.25):
            spec["nodeSelector"] = self.selector()
        if self.chance(0.4):
            spec["priorityClassName"] = r.choice(list(CLASSES))
        if self.chance(0.5):
            spec["tolerations"] = [{"key": GPU, "operator": "Exists"}]
        own = {"matchLabels": {"app": name}}
        feature, key = r.random(), r.choice([HOST, HOST, ZONE])
        revision = {"matchLabelKeys": ["pod-template-hash"]} if self.chance(0.3) else {}
        if feature < 0.10:
            container["ports"] = [{"containerPort": 80, "hostPort": r.choice([8080, 8080, 9090])}]
        elif feature < 0.22:
            term = {"labelSelector": own, "topologyKey": key, **revision}
            spec["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
        elif feature < 0.34:
            rule = {"maxSkew": r.choice([1, 1, 2]), "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule"}
            spec["topologySpreadConstraints"] = [{**rule, "labelSelector": own, **revision}]
        elif feature < 0.40:
            near = {"matchLabels": {"app": r.choice(["a", name])}}
            term = {"labelSelector": near, "topologyKey": key}
            spec["affinity"] = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
        elif feature < 0.50:
            self.claim(name, r.choice(["ReadWriteOncePod", "ReadWriteOnce"]))
            spec["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": f"data-{name}"}}]
        elif feature < 0.53:
            spec["nodeName"] = r.choice(self.nodes)["name"]
        return spec

    def selector(self) -> dict:
        node = self.r.choice(self.nodes)
        labels = {**node["labels"], HOST: node["name"]}
        key = self.r.choice([HOST, HOST, ZONE, "disk"])
        return {key: labels[key]}

    def claim(self, name: str, mode: str) -> None:
        amount, claim = {"storage": "1Gi"}, {"name": f"data-{name}", "namespace": SPACE}
        volume = {"capacity": amount, "accessModes": [mode], "storageClassName": "", "claimRef": claim}
        volume["csi"] = {"driver": "disk.example.com", "volumeHandle": name}
        wanted = {"accessModes": [mode], "storageClassName": "", "volumeName": f"pv-{name}"}
        wanted["resources"] = {"requests": amount}
        bound = {"phase": "Bound"}
        self.beside += [
            {
                "apiVersion": "v1",
                "kind": "PersistentVolume",
                "metadata": {"name": f"pv-{name}"},
                "spec": volume,
                "status": bound,
            },
            {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": claim, "spec": wanted, "status": bound},
        ]

    def changed(self, before: dict) -> dict:
        """What is applied: often another image, sometimes other needs or replicas, sometimes nothing new."""
        r, after = self.r, copy.deepcopy(before)
        spec = after["spec"]["template"]["spec"]
        if after["kind"] == "Job" or self.chance(0.25):
            return after
        spec["containers"][0]["image"] = "registry.example.com/main:2"
        if self.chance(0.1):
            spec["nodeSelector"] = self.selector()
        if self.chance(0.1):
            spec["containers"][0]["resources"]["limits"] = {GPU: r.choice([1, 2])}
        if self.chance(0.1):
            spec["priorityClassName"] = r.choice(list(CLASSES))
        if "replicas" in after["spec"] and self.chance(0.2):
            after["spec"]["replicas"] = max(0, after["spec"]["replicas"] + r.choice([-1, 1, 2]))
        return after
