"""What the linter foretells of admission, beside what the API server made of recorded pods."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from conformance.api_client import Object

if TYPE_CHECKING:
    from kubelint_gpu.kube.objects.cluster import Cluster
    from kubelint_gpu.kube.objects.pod import Container, Pod, PodSpec

_KINDS = ("podAffinity", "podAntiAffinity")
_WHEN = ("requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution")


def compared(records: Sequence[Object]) -> tuple[Counter[str], list[str]]:
    """How often they agree, by what admission did, and each pod about which they do not."""
    counts: Counter[str] = Counter()
    wrong = []
    for record in records:
        differing = list(differences(record))
        what = "refused, with this text" if "error" in record else "admitted, with these values"
        counts[f"{record['id'].partition('-')[0]}: {what if not differing else 'otherwise'}"] += 1
        wrong += [f"{record['id']}: {each}" for each in differing]
    return counts, wrong


def differences(record: Object) -> Iterator[str]:
    """What the linter expects otherwise than it was: the refusal, or parts of the pod that was admitted."""
    given, cluster = question(record)
    refusals, spec = foretold(given, cluster)
    actual = record.get("error")
    if actual not in (refusals or (None,)):
        yield f"the linter says {' or '.join(refusals) or 'admitted'}, the API server {actual or 'admitted'}"
    elif actual is None:
        mine, theirs = _told(spec, given), _told(_pod(record, record["admitted"]).spec, given)
        for name in theirs:
            if mine[name] != theirs[name]:
                yield f"{name}: the linter says {mine[name]}, the API server {theirs[name]}"


def question(record: Object) -> tuple[Pod, Cluster]:
    """The pod of a record before admission, and what the cluster holds that admission looks at."""
    from kubelint_gpu.kube.objects.cluster import read_cluster

    return _pod(record, {}), read_cluster(record.get("given") or (), version=record["kubernetes"])


def foretold(pod: Pod, cluster: Cluster) -> tuple[tuple[str, ...], PodSpec]:
    """The refusal, or nothing, and the pod's spec as the linter takes it to be after admission.

    In the order of the API server: what is filled in, what is computed, the object itself, bounds, quotas.
    Of several quotas that are exceeded the API server names any: there is a text for each.
    """
    from kubelint_gpu.kube.admission.defaults import admitted
    from kubelint_gpu.kube.objects.limit_range import limit_range_refusal, with_defaults
    from kubelint_gpu.kube.objects.priority import UnknownPriorityClass, priority_refusal, resolve_priority
    from kubelint_gpu.kube.objects.quota import quota_refusal
    from kubelint_gpu.kube.objects.runtime_class import runtime_class_refusal, with_runtime_class
    from kubelint_gpu.scheduler import merged
    from kubelint_gpu.values import replace

    ranges = [each for each in cluster.limit_ranges if each.meta.namespace == pod.meta.namespace]
    spec = admitted(with_defaults(pod.spec, ranges))
    try:
        found = resolve_priority(replace(spec, priority=None, preemption_policy=""), cluster.priority_classes)
    except UnknownPriorityClass as unknown:
        return (f'pods "{pod.meta.name}" is forbidden: {unknown}',), spec
    if priority := priority_refusal(spec, cluster.priority_classes):
        return (f'pods "{pod.meta.name}" is forbidden: {priority.text}',), spec
    spec = replace(
        spec, priority=found.value, preemption_policy=found.preemption_policy, priority_class_name=found.name
    )
    if runtime_class := runtime_class_refusal(spec, cluster.runtime_classes):
        return (f'pods "{pod.meta.name}" is forbidden: {runtime_class.text}',), spec
    whole = merged(replace(pod, spec=with_runtime_class(spec, cluster.runtime_classes)))
    if text := _above_limits(whole):
        return (text,), whole.spec
    if limits := limit_range_refusal(whole, ranges):
        return (limits.text,), whole.spec
    alone = (quota_refusal(whole, [quota], ()) for quota in cluster.quotas)
    return tuple(one.text for one in alone if one is not None), whole.spec


def _above_limits(pod: Pod) -> str | None:
    """The text for a request that is above a limit once defaults are filled in."""
    from kubelint_gpu.kube.values.quantity import canonical

    for kind, containers in (("containers", pod.spec.containers), ("initContainers", pod.spec.init_containers)):
        for index, container in enumerate(containers):
            for name, request in sorted(container.requests.items()):
                most = container.limits.get(name, request)
                if request > most:
                    return (
                        f'Pod "{pod.meta.name}" is invalid: spec.{kind}[{index}].resources.requests: Invalid value: '
                        f'"{canonical(request)}": must be less than or equal to {name} limit of {canonical(most)}'
                    )
    return None


def _told(spec: PodSpec, pod: Pod) -> dict[str, Any]:
    """What admission decides of a pod; label keys of spreading are folded into the selectors, wherever they stand."""
    labels = pod.meta.labels
    return {
        "priority": spec.priority,
        "preemptionPolicy": spec.preemption_policy,
        "priorityClassName": spec.priority_class_name,
        "tolerations": sorted(spec.tolerations, key=repr),
        "podAffinity": spec.pod_affinity,
        "podAntiAffinity": spec.pod_anti_affinity,
        "preferred": spec.preferred_pods,
        "nodeSelector": dict(spec.node_selector or {}),
        "overhead": dict(spec.overhead),
        "spreading": [_selects(each, labels) for each in spec.spread],
        "containers": [_amounts(each) for each in (*spec.init_containers, *spec.containers)],
    }


def _selects(constraint: Any, labels: Any) -> Any:
    from kubelint_gpu.kube.values.selectors import Requirement

    more = [Requirement(key, "In", (labels[key],)) for key in constraint.match_label_keys if key in labels]
    selector = constraint.selector.having(more) if constraint.selector is not None else None
    return constraint.topology_key, constraint.max_skew, set(selector.requirements) if selector is not None else None


def _amounts(container: Container) -> Any:
    return container.name, dict(container.requests), dict(container.limits), container.host_ports


def _pod(record: Object, told: Object) -> Pod:
    """The pod of a record, with what the API server says of it in its place."""
    from kubelint_gpu.kube.objects.pod import read_pod

    value = copy.deepcopy(record["pod"])
    spec: Object = {
        **value["spec"],
        **{key: each for key, each in copy.deepcopy(told).items() if "ontainers" not in key},
    }
    for kind in ("initContainers", "containers"):
        for mine, theirs in zip(spec.get(kind) or (), told.get(kind) or (), strict=False):
            mine.update(theirs)
    if told:
        _fold(spec)
    metadata = {"namespace": "default", **value["metadata"]}
    return read_pod({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})


def _fold(spec: Object) -> None:
    """Take away the label keys that the API server has folded into the selectors of affinity terms."""
    for kind in _KINDS:
        for when in _WHEN:
            for entry in ((spec.get("affinity") or {}).get(kind) or {}).get(when) or ():
                term = entry.get("podAffinityTerm", entry)
                for field in ("matchLabelKeys", "mismatchLabelKeys"):
                    term.pop(field, None)
    for constraint in spec.get("topologySpreadConstraints") or ():
        named = {each["key"] for each in (constraint.get("labelSelector") or {}).get("matchExpressions") or ()}
        constraint["matchLabelKeys"] = [key for key in constraint.get("matchLabelKeys") or () if key not in named]
