"""Affinity between pods and nodes, between pods and pods, and topology spreading."""

from __future__ import annotations

from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.kube.values.selectors import (
    LabelSelector,
    NodeSelector,
    NodeSelectorTerm,
    read_label_selector,
    read_node_selector,
    read_node_selector_term,
)
from kubelint_gpu.values import Value

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


class PodAffinityTerm(Value):
    """A required term of pod affinity or anti-affinity.

    `selector` None matches no pod; `namespace_selector` None is absent, an empty one means all namespaces.
    """

    topology_key: str
    selector: LabelSelector | None = None
    namespaces: tuple[str, ...] = ()
    namespace_selector: LabelSelector | None = None
    match_label_keys: tuple[str, ...] = ()
    mismatch_label_keys: tuple[str, ...] = ()


class PreferredNodeTerm(Value):
    """A preferred node affinity term; it never rejects a node."""

    weight: int
    term: NodeSelectorTerm


class PreferredPodTerm(Value):
    """A preferred pod affinity term, or with `anti` an anti-affinity one; it never rejects a node."""

    weight: int
    term: PodAffinityTerm
    anti: bool


class SpreadConstraint(Value):
    """A topology spread constraint; `selector` None matches no pod."""

    topology_key: str
    max_skew: int
    do_not_schedule: bool
    selector: LabelSelector | None = None
    min_domains: int = 1
    honor_affinity: bool = True
    honor_taints: bool = False
    match_label_keys: tuple[str, ...] = ()


class Affinity(Value):
    """`spec.affinity`."""

    nodes: NodeSelector | None = None
    preferred_nodes: tuple[PreferredNodeTerm, ...] = ()
    pods: tuple[PodAffinityTerm, ...] = ()
    anti_pods: tuple[PodAffinityTerm, ...] = ()
    preferred_pods: tuple[PreferredPodTerm, ...] = ()


NO_AFFINITY = Affinity()


def read_affinity(fields: Fields | None) -> Affinity:
    """A `v1.Affinity`. Raises InvalidObject if a term has a value the API server would refuse."""
    if fields is None:
        return NO_AFFINITY
    node = fields.down("nodeAffinity")
    required = node.child(REQUIRED)
    pod, anti = fields.down("podAffinity"), fields.down("podAntiAffinity")
    return Affinity(
        nodes=None if required is None else read_node_selector(required),
        preferred_nodes=tuple(
            PreferredNodeTerm(
                child.integer("weight", 1, 1, 100), read_node_selector_term(child.down("preference"), preferred=True)
            )
            for child in node.children(_PREFERRED)
        ),
        pods=tuple(_pod_term(child) for child in pod.children(REQUIRED)),
        anti_pods=tuple(_pod_term(child) for child in anti.children(REQUIRED)),
        preferred_pods=tuple(
            PreferredPodTerm(child.integer("weight", 1, 1, 100), _pod_term(child.down("podAffinityTerm")), side is anti)
            for side in (pod, anti)
            for child in side.children(_PREFERRED)
        ),
    )


def _pod_term(fields: Fields) -> PodAffinityTerm:
    topology_key = fields.name("topologyKey")
    if not topology_key:
        fields.report(("topologyKey",), "can not be empty", fields.value.get("topologyKey"))
    return PodAffinityTerm(
        topology_key=topology_key,
        selector=read_label_selector(fields.child("labelSelector")),
        namespaces=fields.texts("namespaces"),
        namespace_selector=read_label_selector(fields.child("namespaceSelector")),
        match_label_keys=fields.texts("matchLabelKeys"),
        mismatch_label_keys=fields.texts("mismatchLabelKeys"),
    )


def read_spread_constraints(fields: Fields) -> tuple[SpreadConstraint, ...]:
    """`spec.topologySpreadConstraints`.

    Raises:
        InvalidObject: a constraint has a value the API server would refuse.
    """
    found = []
    for child in fields.children("topologySpreadConstraints"):
        topology_key = child.name("topologyKey")
        if not topology_key:
            child.report(("topologyKey",), "can not be empty", child.value.get("topologyKey"))
        if "maxSkew" not in child:
            child.report(("maxSkew",), "must be greater than zero, not absent")
        action = child.choice("whenUnsatisfiable", ("DoNotSchedule", "ScheduleAnyway"), "")
        if not action:
            child.report(("whenUnsatisfiable",), "must be DoNotSchedule or ScheduleAnyway")
        found.append(
            SpreadConstraint(
                topology_key=topology_key,
                max_skew=child.integer("maxSkew", 1, 1),
                do_not_schedule=action == "DoNotSchedule",
                selector=read_label_selector(child.child("labelSelector")),
                min_domains=child.integer("minDomains", 1, 1),
                honor_affinity=child.choice("nodeAffinityPolicy", ("Honor", "Ignore"), "Honor") == "Honor",
                honor_taints=child.choice("nodeTaintsPolicy", ("Honor", "Ignore"), "Ignore") == "Honor",
                match_label_keys=child.texts("matchLabelKeys"),
            )
        )
    return tuple(found)
