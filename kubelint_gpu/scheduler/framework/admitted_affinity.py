"""What the API server writes into a pod's affinity when the pod is created.

Source: `applyMatchLabelKeysAndMismatchLabelKeys` of pkg/registry/core/pod/strategy.go, 1.33.
"""

from __future__ import annotations

from collections.abc import Mapping

from kubelint_gpu.kube.objects.affinity import PodAffinityTerm
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.values.selectors import Requirement
from kubelint_gpu.values import replace


def merged(pod: Pod) -> Pod:
    """The pod with `matchLabelKeys` and `mismatchLabelKeys` of its pod affinity folded into the selectors.

    Keys for which the pod has no label are ignored, and a term without a selector stays without one.
    The API server does this when a pod is created; a pod that is built from a template needs it.
    """
    spec = pod.spec
    terms = (*spec.pod_affinity, *spec.pod_anti_affinity, *(one.term for one in spec.preferred_pods))
    if not any(term.match_label_keys or term.mismatch_label_keys for term in terms):
        return pod
    labels = pod.meta.labels
    return replace(
        pod,
        spec=replace(
            spec,
            pod_affinity=tuple(_merged(term, labels) for term in spec.pod_affinity),
            pod_anti_affinity=tuple(_merged(term, labels) for term in spec.pod_anti_affinity),
            preferred_pods=tuple(replace(one, term=_merged(one.term, labels)) for one in spec.preferred_pods),
        ),
    )


def _merged(term: PodAffinityTerm, labels: Mapping[str, str]) -> PodAffinityTerm:
    if term.selector is None:
        return term
    more = [Requirement(key, "In", (labels[key],)) for key in term.match_label_keys if key in labels]
    more += [Requirement(key, "NotIn", (labels[key],)) for key in term.mismatch_label_keys if key in labels]
    return replace(term, selector=term.selector.having(more), match_label_keys=(), mismatch_label_keys=())
