"""Pods: every field that kube-scheduler, preemption or a rollout looks at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubelint_gpu.kube.objects.affinity import (
    PodAffinityTerm,
    PreferredNodeTerm,
    PreferredPodTerm,
    SpreadConstraint,
    read_affinity,
    read_spread_constraints,
)
from kubelint_gpu.kube.objects.meta import Meta, named, read_meta
from kubelint_gpu.kube.objects.taints import Toleration, read_toleration
from kubelint_gpu.kube.values.errors import InvalidObject
from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap, freeze
from kubelint_gpu.kube.values.selectors import NodeSelector
from kubelint_gpu.values import Value

if TYPE_CHECKING:
    from kubelint_gpu.kube.dra.claim import Allocation

DEFAULT_SCHEDULER = "default-scheduler"


class HostPort(Value):
    """A port that a container uses on its node."""

    port: int
    protocol: str = "TCP"
    ip: str = "0.0.0.0"  # noqa: S104 - what an empty hostIP means


class Container(Value):
    """A container; amounts are thousandths of a unit, requests default to limits.

    `sidecar` is an init container with `restartPolicy: Always`.
    `claims` names claims of the pod, each with one of its requests, or "" for all of them.
    """

    name: str = ""
    image: str = ""
    requests: FrozenMap[str, int] = EMPTY
    limits: FrozenMap[str, int] = EMPTY
    host_ports: tuple[HostPort, ...] = ()
    sidecar: bool = False
    environment: FrozenMap[str, str] = EMPTY
    claims: tuple[tuple[str, str], ...] = ()


class Volume(Value):
    """A volume of a pod: its source's field name (`persistentVolumeClaim`, `ephemeral` …) and that source."""

    name: str
    kind: str
    source: FrozenMap[str, Any] = EMPTY


class PodSpec(Value):
    """`spec` of a pod.

    `node_selector` is None if the field is absent. `added_affinity` is the affinity that the scheduler's profile adds
    (`NodeAffinityArgs.addedAffinity`). `priority` is what admission computed, None before admission;
    `preemption_policy` likewise ("" before). `resources` is None without pod-level resources.
    """

    node_name: str = ""
    node_selector: FrozenMap[str, str] | None = None
    node_affinity: NodeSelector | None = None
    added_affinity: NodeSelector | None = None
    preferred_nodes: tuple[PreferredNodeTerm, ...] = ()
    pod_affinity: tuple[PodAffinityTerm, ...] = ()
    pod_anti_affinity: tuple[PodAffinityTerm, ...] = ()
    preferred_pods: tuple[PreferredPodTerm, ...] = ()
    tolerations: tuple[Toleration, ...] = ()
    spread: tuple[SpreadConstraint, ...] = ()
    containers: tuple[Container, ...] = ()
    init_containers: tuple[Container, ...] = ()
    overhead: FrozenMap[str, int] = EMPTY
    resources: Container | None = None
    host_network: bool = False
    priority: int | None = None
    priority_class_name: str = ""
    preemption_policy: str = ""
    scheduler_name: str = DEFAULT_SCHEDULER
    scheduling_gates: tuple[str, ...] = ()
    volumes: tuple[Volume, ...] = ()
    resource_claims: tuple[FrozenMap[str, Any], ...] = ()
    restart_policy: str = "Always"
    runtime_class_name: str = ""
    termination_grace_period_seconds: int = 30
    active_deadline_seconds: int | None = None


UNTOLD_PRIORITY = 2**31 - 1
"""The priority of a pod of which only its claims tell: no admitted pod has it, and nobody preempts it."""
PodIdentifier = tuple[str, str, str]
"""Namespace, name and uid of a pod."""


class Pod(Value):
    """A pod.

    `start_time` is the RFC 3339 text of `status.startTime`, empty if it has none. `unready` says that its condition
    Ready exists and is not True: without the condition nothing is known. `preempted` says that it is terminating
    because the scheduler preempted it. `actual` holds the allocated resources of container statuses, for pods resized
    in place. `claim_statuses` names the claim that was created for each entry of `resourceClaims`; None if none is
    needed. `allocations` are the devices of the claims of a pod that this program put on a node, by `namespace/name`.
    """

    meta: Meta
    spec: PodSpec
    phase: str = "Pending"
    start_time: str = ""
    ready: bool = False
    preempted: bool = False
    nominated_node_name: str = ""
    statuses: tuple[ContainerStatus, ...] = ()
    resize_infeasible: bool = False
    unready: bool = False
    claim_statuses: FrozenMap[str, str | None] = EMPTY
    allocations: tuple[tuple[str, Allocation], ...] = ()

    @property
    def key(self) -> str:
        """`namespace/name`."""
        return f"{self.meta.namespace}/{self.meta.name}"

    @property
    def identifier(self) -> PodIdentifier:
        """Namespace, name and uid, which identify it in a cluster."""
        return (self.meta.namespace, self.meta.name, self.meta.uid)

    @property
    def is_claim(self) -> bool:
        """Whether it is no real pod but stands for an allocated claim that no pod uses."""
        return bool(self.allocations) and not self.spec.containers and self.meta.owner is not None

    @property
    def finished(self) -> bool:
        """Whether its containers ended for good: such a pod holds no resources."""
        return self.phase in ("Succeeded", "Failed")


class ContainerStatus(Value):
    """What the kubelet allocated to a container and what it runs with, in thousandths; None if not reported."""

    name: str
    allocated: FrozenMap[str, int] | None = None
    requests: FrozenMap[str, int] | None = None


def read_pod(value: Any, problems: list[InvalidObject] | None = None) -> Pod:
    """A `v1.Pod`.

    Raises:
        InvalidObject: a field has a value the API server would refuse (only without a list for `problems`).
    """
    fields = Fields(value, (), problems)
    try:
        if not isinstance(value, dict):
            fields.report((), "must be a Pod", value)
        status = fields.down("status")
        conditions = list(status.children("conditions"))
        return Pod(
            meta=read_meta(fields.down("metadata")),
            spec=read_pod_spec(fields.down("spec")),
            phase=status.text("phase", "Pending"),
            start_time=status.text("startTime"),
            ready=any(c.text("type") == "Ready" and c.text("status") == "True" for c in conditions),
            unready=any(c.text("type") == "Ready" and c.text("status") in ("False", "Unknown") for c in conditions),
            preempted=any(
                c.text("type") == "DisruptionTarget"
                and c.text("status") == "True"
                and c.text("reason") == "PreemptionByScheduler"
                for c in conditions
            ),
            nominated_node_name=status.text("nominatedNodeName"),
            statuses=tuple(
                _status(child)
                for key in ("containerStatuses", "initContainerStatuses")
                for child in status.children(key)
                if "resources" in child or "allocatedResources" in child
            ),
            claim_statuses=FrozenMap(
                {
                    child.text("name"): child.text("resourceClaimName") or None
                    for child in status.children("resourceClaimStatuses")
                }
            )
            if "resourceClaimStatuses" in status
            else EMPTY,
            resize_infeasible=status.text("resize") == "Infeasible"
            or any(c.text("type") == "PodResizePending" and c.text("reason") == "Infeasible" for c in conditions),
        )
    except InvalidObject as error:
        raise named(error, value) from None


def read_pod_spec(fields: Fields) -> PodSpec:
    """A `v1.PodSpec`, with what API defaulting adds (requests from limits, host ports of the host network).

    Raises:
        InvalidObject: a field has a value the API server would refuse.
    """
    affinity = read_affinity(fields.child("affinity"))
    host_network = fields.boolean("hostNetwork")
    pod_level = fields.child("resources")
    return PodSpec(
        node_name=fields.name("nodeName"),
        node_selector=fields.labels("nodeSelector", known=True) if "nodeSelector" in fields else None,
        node_affinity=affinity.nodes,
        preferred_nodes=affinity.preferred_nodes,
        pod_affinity=affinity.pods,
        pod_anti_affinity=affinity.anti_pods,
        preferred_pods=affinity.preferred_pods,
        tolerations=tuple(read_toleration(child) for child in fields.children("tolerations")),
        spread=read_spread_constraints(fields),
        containers=tuple(_container(child, host_network, False) for child in fields.children("containers")),
        init_containers=tuple(_container(child, host_network, True) for child in fields.children("initContainers")),
        overhead=fields.quantities("overhead"),
        resources=None
        if pod_level is None
        else Container(requests=pod_level.quantities("requests"), limits=pod_level.quantities("limits")),
        host_network=host_network,
        priority=fields.optional_integer("priority"),
        priority_class_name=fields.name("priorityClassName"),
        preemption_policy=fields.choice("preemptionPolicy", ("PreemptLowerPriority", "Never"), ""),
        scheduler_name=fields.name("schedulerName") or DEFAULT_SCHEDULER,
        scheduling_gates=tuple(child.text("name") for child in fields.children("schedulingGates")),
        volumes=tuple(_volume(child) for child in fields.children("volumes")),
        resource_claims=tuple(freeze(child.value) for child in fields.children("resourceClaims")),
        restart_policy=fields.choice("restartPolicy", ("Always", "OnFailure", "Never"), "Always"),
        runtime_class_name=fields.name("runtimeClassName"),
        termination_grace_period_seconds=fields.integer("terminationGracePeriodSeconds", 30, maximum=2**63 - 1),
        active_deadline_seconds=fields.optional_integer("activeDeadlineSeconds", 1, 2**63 - 1),
    )


def _container(fields: Fields, host_network: bool, init: bool) -> Container:
    resources = fields.down("resources")
    limits = resources.quantities("limits")
    requests = resources.quantities("requests")
    if any(name not in requests for name in limits):
        requests = FrozenMap({**requests, **{name: amount for name, amount in limits.items() if name not in requests}})
    sidecar = init and fields.text("restartPolicy") == "Always"
    ports = []
    for child in fields.children("ports"):
        host = child.integer("hostPort", 0, 0, 65535)
        inside = child.integer("containerPort", 0, 0, 65535)
        protocol = child.choice("protocol", ("TCP", "UDP", "SCTP"), "TCP")
        number = host or (inside if host_network else 0)
        if number and (sidecar or not init):
            ports.append(HostPort(number, protocol, child.text("hostIP") or "0.0.0.0"))  # noqa: S104 - its default
    return Container(
        name=fields.text("name"),
        image=fields.text("image"),
        requests=requests,
        limits=limits,
        host_ports=tuple(ports),
        sidecar=sidecar,
        environment=FrozenMap(
            {child.text("name"): child.text("value") for child in fields.children("env") if "value" in child}
        )
        if "env" in fields
        else EMPTY,
        claims=tuple((child.text("name"), child.text("request")) for child in resources.children("claims"))
        if "claims" in resources
        else (),
    )


def _volume(fields: Fields) -> Volume:
    for kind, source in fields.value.items():
        if kind != "name" and isinstance(source, dict):
            if kind == "persistentVolumeClaim" and isinstance(source.get("claimName"), str):
                fields.down(kind).name("claimName")
            return Volume(fields.text("name"), kind, freeze(source))
    return Volume(fields.text("name"), "emptyDir")


def _status(fields: Fields) -> ContainerStatus:
    resources = fields.child("resources")
    return ContainerStatus(
        fields.text("name"),
        fields.quantities("allocatedResources") if "allocatedResources" in fields else None,
        resources.quantities("requests") if resources is not None else None,
    )
