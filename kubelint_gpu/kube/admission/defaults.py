"""What admission adds to a pod before the scheduler sees it, as far as filters look at it.

Behaviour: admission plugins DefaultTolerationSeconds (on by default) and ExtendedResourceToleration (off by default, on
in GKE), kube-apiserver 1.34.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kubelint_gpu.kube.objects.pod import Container, PodSpec
from kubelint_gpu.kube.objects.requests import is_extended
from kubelint_gpu.kube.objects.taints import Toleration
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.values import replace

_LIFECYCLE = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")


def extended_resources(spec: PodSpec) -> tuple[str, ...]:
    """The extended resources that any container of a pod asks for, sorted; a request of zero is none."""
    return tuple(
        sorted(
            {
                name
                for container in (*spec.containers, *spec.init_containers)
                for name, amount in container.requests.items()
                if amount and is_extended(name)
            }
        )
    )


def admitted(
    spec: PodSpec, *, extended_resource_toleration: bool = False, tolerations: Iterable[tuple[str, Toleration]] = ()
) -> PodSpec:
    """The spec with the tolerations that admission adds.

    `tolerations` are those of the cluster's own webhooks, each with the resource that a pod must request to get it
    (empty: every pod gets it).
    """
    added = list(spec.tolerations)
    resources = extended_resources(spec)
    if extended_resource_toleration:
        added += [Toleration(name, "Exists") for name in resources]
    added += [found for resource, found in tolerations if not resource or resource in resources]
    for key in _LIFECYCLE:
        if not any(found.key in ("", key) and found.effect in ("", "NoExecute") for found in spec.tolerations):
            added.append(Toleration(key, "Exists", "", "NoExecute", 300))
    return replace(spec, tolerations=tuple(added))


def without_resources(spec: PodSpec, elsewhere: Callable[[str], bool]) -> PodSpec:
    """The spec without requests for resources that something other than kube-scheduler allocates."""
    containers = (*spec.containers, *spec.init_containers)
    names = frozenset(name for found in containers for name in found.requests if "/" in name and elsewhere(name))
    if not names:
        return spec

    def left(container: Container) -> Container:
        kept = {name: amount for name, amount in container.requests.items() if name not in names}
        return replace(container, requests=FrozenMap(kept))

    return replace(
        spec,
        containers=tuple(left(found) for found in spec.containers),
        init_containers=tuple(left(found) for found in spec.init_containers),
    )
