"""ResourceClaims that only one bare pod uses. They are treated as if generated for it from a template."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.simulation.controllers.controller_of import controller_of
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace

if TYPE_CHECKING:
    from kubelint_gpu.kube.dra.claim import ClaimSpec, ResourceClaimTemplate

_DEVICES, _TEMPLATE = "resourceClaimName", "resourceClaimTemplateName"


def with_lone_claims_made(transitions: Sequence[Transition], cluster: Cluster) -> tuple[list[Transition], Cluster]:
    """The transitions and the cluster with each such claim generated from a template; equal claims share one.

    Claims that are allocated or that a quota may count stay as they are.
    """
    if not cluster.resource_claims or cluster.quotas:
        return list(transitions), cluster
    from kubelint_gpu.kube.dra.claim import ResourceClaimTemplate

    specs = [one.new.spec for one in transitions] + [pod.spec for pod in cluster.pods]
    specs += [one.old.spec for one in transitions if one.old is not one.new]
    named = Counter(str(entry[_DEVICES]) for spec in specs for entry in spec.resource_claims if _DEVICES in entry)
    free = {one.key: one for one in cluster.resource_claims if not (one.allocation or one.reserved_for or one.idle)}
    made: dict[tuple[str, ClaimSpec], ResourceClaimTemplate] = {}
    gone: set[str] = set()

    def entry_of(entry: FrozenMap[str, Any], namespace: str) -> FrozenMap[str, Any]:
        claim = free.get(f"{namespace}/{entry.get(_DEVICES)}")
        if claim is None or claim.meta.terminating or named[claim.meta.name] > 1:
            return entry
        gone.add(claim.key)
        meta = replace(claim.meta, name=f"~{claim.meta.name}")  # as no template is called
        template = made.setdefault((namespace, claim.spec), ResourceClaimTemplate(meta, claim.spec))
        rest = {key: value for key, value in entry.items() if key != _DEVICES}
        return FrozenMap({**rest, _TEMPLATE: template.meta.name})

    found = list(transitions)
    for place, one in enumerate(transitions):
        bare = one.new.spec.resource_claims and not controller_of(one.new).replaces_lost
        if bare and one.new.replicas == 1 and one.old is one.new and not one.existing:
            entries = tuple([entry_of(entry, one.new.meta.namespace) for entry in one.new.spec.resource_claims])
            new = replace(one.new, spec=replace(one.new.spec, resource_claims=entries))
            found[place] = replace(one, new=new, old=new)
    left = tuple(one for one in cluster.resource_claims if one.key not in gone)
    return found, replace(cluster, resource_claims=left, claim_templates=(*cluster.claim_templates, *made.values()))
