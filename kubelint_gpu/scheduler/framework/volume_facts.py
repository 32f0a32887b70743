"""The facts of filters that look at volumes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.scheduler.framework.facts import (
    Blockers,
    Facts,
    Held,
    Slots,
    Token,
    Tokens,
    never,
    no_slots,
    nobody,
    nothing,
)
from kubelint_gpu.values import replace

_CLAIMS = ("persistentVolumeClaim", "ephemeral")


def has_claims(pod: Pod) -> bool:
    """Whether the pod has volumes that use claims."""
    return any(volume.kind in _CLAIMS for volume in pod.spec.volumes)


def has_volumes(pod: Pod) -> bool:
    """Whether the pod has volumes of any kind that a filter can look at."""
    return bool(pod.spec.volumes)


def share_volumes(pod: Pod, other: Pod) -> bool:
    """Whether two pods name the same volume."""
    return bool(pod.spec.volumes and other.spec.volumes) and not set(pod.spec.volumes).isdisjoint(other.spec.volumes)


def volume_facts(
    *,
    asks: Callable[[Pod], bool] = has_claims,
    excludes: Callable[[Pod, Pod], bool] = never,
    blockers: Blockers | None = None,
    token: Tokens | None = None,
    slots: Slots = no_slots,
) -> Facts:
    """The facts of a filter about volumes; `token` distinguishes nodes, besides the volumes of their pods."""
    return Facts(
        Held.VOLUME,
        asks=asks,
        heeds=never,
        excludes=excludes,
        local=lambda pod, _unique: not has_claims(pod),
        refusing=nobody,
        pod_labels=nothing,
        token=_token if token is None else _with_pods(token),
        blockers=blockers,
        slots=slots,
        spared=lambda spec: replace(spec, volumes=()),
    )


def _token(pods: Sequence[Pod], _wide: bool, _cluster: Cluster) -> Token | None:
    """A node with a pod that stays and has volumes is equal to no other."""
    if not any(pod.spec.volumes for pod in pods):
        return None
    return lambda node, placed: node.name if any(pod.spec.volumes for pod in placed) else None


def _with_pods(token: Tokens) -> Tokens:
    def found(pods: Sequence[Pod], wide: bool, cluster: Cluster) -> Token | None:
        by_pods, other = _token(pods, wide, cluster), token(pods, wide, cluster)
        if by_pods is None or other is None:
            return None
        return lambda node, placed: (by_pods(node, placed), other(node, placed))

    return found
