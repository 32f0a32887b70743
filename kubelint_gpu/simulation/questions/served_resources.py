"""Extended resources that a DeviceClass serves, as the claims that the scheduler creates for them.

Such a claim belongs to the pod and is deleted with it, like a claim from a template: rollouts treat both alike.
If devices are not known, claims keep no pod off a node, and make no workloads compete.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.meta import Meta
from kubelint_gpu.kube.objects.pod import Container, Pod, PodSpec
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.scheduler import Snapshot, behaviour
from kubelint_gpu.simulation.growth import Growth
from kubelint_gpu.simulation.prepare.coupling import nodes_beside_anybody
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import Value, replace

if TYPE_CHECKING:
    from kubelint_gpu.kube.dra.claim import ResourceClaimTemplate

_Specified = TypeVar("_Specified", Workload, Pod)
_TEMPLATE = "resourceClaimTemplateName"
SERVED_BOTH_WAYS = "devices that serve on some nodes what a device plugin serves on others"


def with_claims_for_resources(
    transitions: Sequence[Transition], cluster: Cluster, growth: Sequence[Growth] = ()
) -> tuple[Sequence[Transition], Cluster, Sequence[Growth]]:
    """The arguments with a claim in place of each resource that DRA serves on every node of a pod.

    A resource that device plugins serve on some of these nodes stays, beside an entry that names no claim. A resource
    that a quota charges stays, too, and every node gets enough of it. If devices are not known, claims are removed. Of
    equal templates the first one stands for all.
    """
    if not cluster.devices_known:
        bare = _with_specs(
            transitions, cluster, lambda spec, _: replace(spec, resource_claims=()) if spec.resource_claims else spec
        )
        return *bare, growth
    transitions, cluster = _with_first_templates(transitions, cluster)
    made = _Claims(cluster, growth) if cluster.device_classes else None
    if made is None or not made.every:
        return transitions, cluster, growth
    found, served = _with_specs(transitions, cluster, made.spec)
    if not made.templates and not any(ways.both for ways in made.known.values()):
        return transitions, cluster, growth
    templates = (*cluster.claim_templates, *made.templates.values())
    nodes = tuple(node.with_plenty(made.charged) for node in cluster.nodes)
    growth = [replace(one, template=one.template.with_plenty(made.charged)) for one in growth]
    return found, replace(served, nodes=nodes, claim_templates=templates), growth


def _with_first_templates(transitions: Sequence[Transition], cluster: Cluster) -> tuple[Sequence[Transition], Cluster]:
    """The arguments with one name for equal claim templates, except for names that may distinguish revisions."""
    changing: list[Workload | Pod] = list(cluster.pods)
    for one in transitions:
        changing += [] if one.old is one.new else [one.old, one.new]
    kept = {(one.meta.namespace, entry.get(_TEMPLATE)) for one in changing for entry in one.spec.resource_claims}
    first: dict[object, str] = {}
    names: dict[tuple[str, object], str] = {}
    for template in cluster.claim_templates:
        key = template.meta.namespace, template.meta.name
        if key not in kept:
            names[key] = first.setdefault((template.meta.namespace, template.spec), template.meta.name)

    def named(spec: PodSpec, namespace: str) -> PodSpec:
        claims = [
            FrozenMap({**entry, _TEMPLATE: names.get((namespace, entry[_TEMPLATE]), entry[_TEMPLATE])})
            if _TEMPLATE in entry
            else entry
            for entry in spec.resource_claims
        ]
        return replace(spec, resource_claims=tuple(claims)) if claims else spec

    return _with_specs(transitions, cluster, named) if len(first) < len(names) else (transitions, cluster)


def _with_specs(
    transitions: Sequence[Transition], cluster: Cluster, changed: Callable[[PodSpec, str], PodSpec]
) -> tuple[Sequence[Transition], Cluster]:
    """The arguments with each pod spec replaced by `changed(spec, namespace)`."""

    def with_spec(one: _Specified) -> _Specified:
        spec = changed(one.spec, one.meta.namespace)
        return one if spec is one.spec else replace(one, spec=spec)

    found = []
    for one in transitions:
        new = with_spec(one.new)
        found.append(replace(one, new=new, old=new if one.old is one.new else with_spec(one.old)))
    return found, replace(cluster, pods=tuple(map(with_spec, cluster.pods)))


def served_both_ways(
    transitions: Sequence[Transition], cluster: Cluster, growth: Sequence[Growth] = ()
) -> frozenset[int]:
    """The positions of workloads for which the node decides whether a claim is created, if quotas count claims."""
    from kubelint_gpu.kube.dra.device_class import is_charged_for_claims

    counted = any(is_charged_for_claims(key) for quota in cluster.quotas for key in quota.hard)
    if not counted or not cluster.devices_known or not cluster.device_classes:
        return frozenset()
    made = _Claims(cluster, growth)

    def is_mixed(workload: Workload) -> bool:
        return made.ways(workload.spec, workload.meta.namespace).both

    return frozenset(number for number, one in enumerate(transitions) if is_mixed(one.new) or is_mixed(one.old))


class _Ways(Value):
    """For a pod: the mixed resources that DRA serves on all its nodes, and whether it may get them either way."""

    by_devices: frozenset[str] = frozenset()
    both: bool = False


class _Claims:
    """The claim templates that stand for resources of pods, created when needed."""

    def __init__(self, cluster: Cluster, growth: Sequence[Growth] = ()) -> None:
        from kubelint_gpu.scheduler.plugins.dynamic_resources.features import served_by_classes

        self.every = served_by_classes(cluster)
        nodes = (*cluster.nodes, *(one.template for one in growth))
        self.plugged = {name for node in nodes for name, amount in node.allocatable.items() if amount}
        self.served = {name: found for name, found in self.every.items() if name not in self.plugged}
        self._charging = {name for name in self.every for one in cluster.quotas if f"requests.{name}" in one.hard}
        self.charged = self._charging & self.served.keys()
        self._cluster = cluster
        self._pod_level = behaviour(cluster.version).pod_level_resources
        self.known: dict[tuple[str, PodSpec], _Ways] = {}
        self._growing = {name for one in growth for name, amount in one.template.allocatable.items() if amount}
        self.templates: dict[tuple[str, object], ResourceClaimTemplate] = {}

    def ways(self, spec: PodSpec, namespace: str) -> _Ways:
        """How the resources of such a pod are served on the nodes that could take it."""
        mixed = self.every.keys() - self.served.keys()
        names = mixed.intersection(pod_requests(spec)) if mixed else mixed
        if not names:
            return _Ways()
        if (namespace, spec) not in self.known:
            takers = nodes_beside_anybody(Pod(Meta("", namespace), spec), self._empty)
            nodes = [info.node for info in self._empty.nodes if info.name in takers]
            lacking = {name for name in names if any(not node.allocatable.get(name, 0) for node in nodes)}
            having = {name for name in names if any(node.allocatable.get(name, 0) for node in nodes)}
            sure = frozenset(lacking - having - self._growing - self._charging)
            self.known[namespace, spec] = _Ways(sure, both=bool(lacking - sure))
        return self.known[namespace, spec]

    @cached_property
    def _empty(self) -> Snapshot:
        return Snapshot.of(replace(self._cluster, pods=()))

    def spec(self, spec: PodSpec, namespace: str) -> PodSpec:
        """The spec with a claim for the resources that DRA serves; unchanged if there are none."""
        from kubelint_gpu.kube.dra.claim import EXTENDED_ENTRY, ResourceClaimTemplate
        from kubelint_gpu.scheduler.plugins.dynamic_resources.claims import asked_resources, special_claim

        ways = self.ways(spec, namespace)
        if ways.both:
            # the filter finds on each node what serves it there
            return replace(spec, resource_claims=(*spec.resource_claims, FrozenMap({"name": EXTENDED_ENTRY})))
        served = {name: self.every[name] for name in (*self.served, *ways.by_devices)}
        names = [name for name, _ in asked_resources(spec, served, pod_level=self._pod_level)]
        asked = frozenset(names) & served.keys()
        if not asked:
            return spec
        claim = special_claim(Pod(Meta("", namespace), spec), asked, served)
        key = (namespace, claim.spec)
        if key not in self.templates:
            name = f"{EXTENDED_ENTRY}-{len(self.templates)}"
            self.templates[key] = ResourceClaimTemplate(Meta(name, namespace), claim.spec)
        entry = FrozenMap({"name": EXTENDED_ENTRY, "resourceClaimTemplateName": self.templates[key].meta.name})
        left_out = asked - self.charged
        return replace(
            spec,
            containers=tuple([_without(one, left_out) for one in spec.containers]),
            init_containers=tuple([_without(one, left_out) for one in spec.init_containers]),
            resource_claims=(*spec.resource_claims, entry),
        )


def _without(container: Container, names: Collection[str]) -> Container:
    """The container without its requests and limits of some resources."""
    return replace(
        container,
        requests=FrozenMap({name: amount for name, amount in container.requests.items() if name not in names}),
        limits=FrozenMap({name: amount for name, amount in container.limits.items() if name not in names}),
    )
