"""Nodes and pods with GPUs."""

from __future__ import annotations

from plugin_objects import node, pod

from kubelint_gpu.scheduler import Snapshot, fit, read_cluster, read_pod
from kubelint_gpu.scheduler.explain.cluster_changes import (
    ChangedCluster,
    after,
)
from kubelint_gpu.scheduler.explain.explanation import explain
from kubelint_gpu.values import replace

GPU = "nvidia.com/gpu"


def gpu_node(name, gpus, **more):
    found = node(name, **more)
    found["status"]["allocatable"][GPU] = str(gpus)
    return found


def gpu_pod(name="incoming", gpus=1, on=None, owner=None, priority=0, **spec):
    containers = [{"name": "main", "resources": {"limits": {GPU: str(gpus)}}}]
    meta = {}
    if owner is not None:
        kind, _, owned_by = owner.partition("/")
        meta = {"ownerReferences": [{"kind": kind, "name": owned_by, "controller": True}]}
    return pod(name, on, meta=meta, containers=containers, priority=priority, **spec)


def explained(incoming, *objects, version="1.34"):
    return explain(read_pod(incoming), Snapshot.of(read_cluster(objects, version=version)))


def kinds(found):
    return [tuple(type(change).__name__ for change in remedy.changes) for remedy in found.remedies]


def confirmed(explanation, snapshot):
    """Every remedy, made true from the ground up: the whole cluster is filtered anew, with other snapshots."""
    count = 0
    for found in explanation.classes:
        joining = [((found.joining,), found.joining.node.name)] if found.joining is not None else []
        for changes, name in [(remedy.changes, remedy.nodes[0]) for remedy in found.remedies] + joining:
            simulation = ChangedCluster(snapshot, name)
            for change in changes:
                simulation = after(simulation, change)
            pods = [
                replace(one, spec=replace(one.spec, node_name=info.name))
                for info in simulation.snapshot.nodes
                for one in info.pods
            ]
            nodes = tuple(info.node for info in simulation.snapshot.nodes)
            anew = Snapshot.of(replace(snapshot.cluster, nodes=nodes, pods=tuple(pods)))
            assert name in fit(explanation.pod, anew, by_class=False).fits, changes
            count += 1
    return count
