"""ResourceQuotas on resource claims: a pod whose claims are refused exists, but waits.

A generated claim counts until its pod is gone, with or without devices. A claim that pods name counts while it exists.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kubelint_gpu.kube.dra.claim import EXTENDED_ENTRY, ResourceClaimTemplate
from kubelint_gpu.kube.dra.device_class import DeviceClass, claim_charge, is_charged_for_claims
from kubelint_gpu.kube.dra.pod_claims import pod_claims
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.quota import CLAIMS, Excess, QuotaRefusal, ResourceQuota
from kubelint_gpu.scheduler.plugins.dynamic_resources.features import served_by_classes
from kubelint_gpu.simulation.controllers.reconciler import PodType
from kubelint_gpu.simulation.controllers.rollout_state import UNBOUND, Content

Charge = Mapping[str, int]


class ClaimQuotas:
    """The quotas that count claims, the `charges` of each kind's claims, and the usage of pods that stay."""

    def __init__(self, cluster: Cluster, kinds: Sequence[PodType]) -> None:
        templates = {template.key: template for template in cluster.claim_templates}
        served = served_by_classes(cluster)
        self._kinds = kinds
        self.charges = [_charges(kind.pod, templates, served) for kind in kinds]
        keys = {key for quota in cluster.quotas for key in quota.hard if is_charged_for_claims(key, served)}
        self._quotas = [quota for quota in cluster.quotas if not keys.isdisjoint(quota.hard)]
        self._stays: dict[str, dict[str, int]] = {}
        for claim in cluster.resource_claims:
            if claim.meta.owner is None:
                self._stay(claim.meta.namespace, claim_charge(claim.spec, served))
        for pod in cluster.pods:
            if pod.spec.node_name and not pod.finished:
                for _, charge in _charges(pod, templates, served):
                    self._stay(pod.meta.namespace, charge)

    def _stay(self, namespace: str, charge: Charge) -> None:
        _add(self._stays.setdefault(namespace, {}), charge, 1)

    def refusal(self, kind: int, nodes: Sequence[Content]) -> QuotaRefusal | None:
        """How a quota refuses a claim of one more pod of a kind; None if all its claims can be created."""
        pod, mine = self._kinds[kind].pod, self.charges[kind]
        quotas = [quota for quota in self._quotas if quota.meta.namespace == pod.meta.namespace] if mine else []
        if not quotas:
            return None
        used = dict(self._stays.get(pod.meta.namespace, {}))
        for content in nodes:
            for other, phase, count in content:
                if other >= 0 and phase not in UNBOUND:
                    there = self._kinds[other].pod
                    for _, charge in self.charges[other] if there.meta.namespace == pod.meta.namespace else ():
                        _add(used, charge, count)
        for name, charge in mine:
            for quota in quotas:
                over = _excess(quota, charge, used)
                if over:
                    return QuotaRefusal(f"{pod.meta.name}-…-{name}-…", quota.meta.name, over, kind=CLAIMS)
            _add(used, charge, 1)
        return None


def _charges(
    pod: Pod, templates: Mapping[str, ResourceClaimTemplate], served: Mapping[str, DeviceClass]
) -> tuple[tuple[str, Charge], ...]:
    """The charge of each claim that is generated for a pod, by its name in the pod."""
    found = []
    for one in pod_claims(pod):
        template = templates.get(f"{pod.meta.namespace}/{one.template}") if one.template is not None else None
        if template is not None:
            found.append((one.name, claim_charge(template.spec, {} if one.name == EXTENDED_ENTRY else served)))
    return tuple(found)


def _add(used: dict[str, int], charge: Charge, count: int) -> None:
    for key, amount in charge.items():
        used[key] = used.get(key, 0) + amount * count


def _excess(quota: ResourceQuota, charge: Charge, used: Charge) -> tuple[Excess, ...]:
    keys = sorted(key for key in quota.hard if charge.get(key))
    return tuple(
        Excess(key, charge[key], used.get(key, 0), quota.hard[key])
        for key in keys
        if used.get(key, 0) + charge[key] > quota.hard[key]
    )
