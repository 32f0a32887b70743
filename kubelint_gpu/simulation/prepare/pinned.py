"""Workloads whose template names a node: no scheduler is involved, and the kubelet admits or fails their pods.

A failed pod is replaced until one is admitted, which is the same as if it waited for the node. A bare Pod is not
replaced, and a Job's pod only a few times; what other pods may lack because of them is the same.
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
    """The workload in a form for which the scheduler admits its pods exactly if the kubelet of the named node does.

    Fields that only the scheduler looks at are removed; so is an extended resource that the node does not know.
    A DaemonSet's controller checks taints and affinity itself before it creates a pod for the node.
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
