"""Objects for tests of rollouts, as short as they can be."""

from __future__ import annotations

from kubelint_gpu.kube.objects.workload import read_workload
from kubelint_gpu.scheduler import read_cluster
from kubelint_gpu.simulation.questions.rollouts import judge
from kubelint_gpu.simulation.transition import Transition

GPU = "nvidia.com/gpu"


def node(name, gpus=1, zone="a", **labels):
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, "zone": zone, **labels}},
        "status": {"allocatable": {"cpu": "16", "memory": "64Gi", "pods": "110", GPU: str(gpus)}},
    }


def template(name, gpus=1, **spec):
    resources = {"limits": {GPU: str(gpus)}} if gpus else {}
    container = {"name": "c", "image": "i", "resources": resources}
    if "port" in spec:
        port = spec.pop("port")
        container["ports"] = [{"containerPort": port, "hostPort": port}]
    return {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container], "priority": 0, **spec}}


def workload(kind, name="w", replicas=1, gpus=1, *, update=None, more=None, **spec):
    body = {"selector": {"matchLabels": {"app": name}}, "template": template(name, gpus, **spec), **(more or {})}
    if kind != "DaemonSet":
        body["replicas"] = replicas
    if update is not None:
        body["strategy" if kind == "Deployment" else "updateStrategy"] = update
    found = {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name, "namespace": "d"}, "spec": body}
    return read_workload(found)


def deployment(name="w", replicas=1, gpus=1, surge="25%", unavailable="25%", **spec):
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}
    return workload("Deployment", name, replicas, gpus, update=rolling, **spec)


def recreated(name="w", replicas=1, gpus=1, **spec):
    return workload("Deployment", name, replicas, gpus, update={"type": "Recreate"}, **spec)


def job(name, pods, gpus=1, **more):
    return read_workload(
        {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": name, "namespace": "d"},
            "spec": {
                "parallelism": pods,
                "completions": pods,
                "template": {**template(name, gpus, restartPolicy="Never")},
                **more,
            },
        }
    )


def pod(name, node_name, gpus=1, *, owner=None, labels=None, priority=0, **spec):
    body = template(name, gpus, **spec)
    meta = {"name": name, "namespace": "d", "labels": labels or {"app": name}}
    if owner:
        meta["ownerReferences"] = [{"kind": owner[0], "name": owner[1], "controller": True, "uid": "u"}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": meta,
        "spec": {**body["spec"], "nodeName": node_name, "priority": priority},
        "status": {"phase": "Running"},
    }


def quota(gpus, used=None):
    key = f"requests.{GPU}"
    found = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "q", "namespace": "d"},
        "spec": {"hard": {key: str(gpus)}},
    }
    return {**found, "status": {"used": {key: str(used)}}} if used is not None else found


def budget(name, app, **limits):
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": "d"},
        "spec": {"selector": {"matchLabels": {"app": app}}, **limits},
    }


def claim(name, mode):
    return [
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": name, "namespace": "d"},
            "spec": {"accessModes": [mode], "volumeName": f"pv-{name}", "resources": {"requests": {"storage": "1Gi"}}},
            "status": {"phase": "Bound"},
        },
        {
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": f"pv-{name}"},
            "spec": {
                "accessModes": [mode],
                "capacity": {"storage": "1Gi"},
                "csi": {"driver": "disk", "volumeHandle": name},
                "claimRef": {"namespace": "d", "name": name},
            },
            "status": {"phase": "Bound"},
        },
    ]


def mounted(name):
    return [{"name": "data", "persistentVolumeClaim": {"claimName": name}}]


def apart(name, key="kubernetes.io/hostname", **more):
    term = {"topologyKey": key, "labelSelector": {"matchLabels": {"app": name}}, **more}
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def spread(name, key="kubernetes.io/hostname", **more):
    selector = {"labelSelector": {"matchLabels": {"app": name}}}
    return [{"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule", **selector, **more}]


def cluster(*objects, version="1.34"):
    flat = [one for found in objects for one in (found if isinstance(found, list) else [found])]
    return read_cluster(flat, version=version)


def same(*workloads):
    return [Transition(one, one) for one in workloads]


def judged(one, *objects, beside=(), version="1.34", **options):
    """The judgement of the first workload, beside others."""
    return judge(same(one, *beside), cluster(*objects, version=version), **options)[0]
