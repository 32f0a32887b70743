"""Workloads whose template names a node: nobody schedules their pods, and the kubelet takes them or fails them.

A pod that it fails is replaced by another, until one is taken: that it waits for the node comes to the same.
That of a bare Pod is not, and a Job's is for a few times only: what others may lack because of them is the same.
Behaviour: pkg/kubelet/lifecycle/predicate.go, pkg/controller/replicaset and pkg/controller/daemon, 1.34.
"""

from __future__ import annotations

from collections.abc import Mapping

from kubelint_gpu.kube.admission.defaults import without_resources
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.requests import is_extended
from kubelint_gpu.kube.objects.taints import Toleration
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.kube.values.selectors import NodeSelector, NodeSelectorTerm, Requirement
from kubelint_gpu.simulation.controllers.controller_of import controller_of
from kubelint_gpu.values import replace

_NAME = "metadata.name"


def names_node(workload: Workload, nodes: Mapping[str, Node]) -> bool:
    """Whether its template names one of the nodes."""
    return not workload.custom and workload.spec.node_name in nodes


def as_admitted(workload: Workload, nodes: Mapping[str, Node]) -> Workload:
    """The workload in the form in which its pods find room where the kubelet of the named node takes them.

    What only the scheduler looks at is left out; so is an extended resource that the node does not know.
    A DaemonSet's controller looks at taints and affinity itself before it makes a pod for the node.
    """
    spec = workload.spec
    if not names_node(workload, nodes):
        return workload
    only = Requirement(_NAME, "In", (spec.node_name,))
    terms = spec.node_affinity.terms if spec.node_affinity is not None else (NodeSelectorTerm(),)
    known = nodes[spec.node_name].allocatable
    everywhere = () if controller_of(workload).node_bound else (Toleration(operator="Exists", effect="NoSchedule"),)
    return replace(
        workload,
        spec=replace(
            without_resources(spec, lambda name: is_extended(name) and name not in known),
            node_name="",
            node_affinity=NodeSelector(tuple(replace(term, fields=(*term.fields, only)) for term in terms)),
            tolerations=(*spec.tolerations, *everywhere),
            pod_affinity=(),
            pod_anti_affinity=(),
            spread=(),
            preemption_policy="Never",
        ),
    )
