"""LimitRanges: default amounts that admission fills in for a namespace, and the limits that it enforces.

Behaviour: admission plugin LimitRanger (plugin/pkg/admission/limitranger) and defaulting of LimitRanges, 1.34.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kubelint_gpu.kube.objects.meta import Meta, read_meta, reader
from kubelint_gpu.kube.objects.pod import Container, Pod, PodSpec
from kubelint_gpu.kube.objects.requests import beyond_pod, pod_amounts, pod_limits, with_own_requests
from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap
from kubelint_gpu.kube.values.quantity import canonical
from kubelint_gpu.values import Value, replace

Amounts = Mapping[str, int]


class Limit(Value):
    """One entry of a LimitRange, for containers or for whole pods; amounts are thousandths.

    `default` are limits and `default_request` requests for containers without their own.
    """

    kind: str
    least: FrozenMap[str, int] = EMPTY
    most: FrozenMap[str, int] = EMPTY
    default: FrozenMap[str, int] = EMPTY
    default_request: FrozenMap[str, int] = EMPTY
    ratio: FrozenMap[str, int] = EMPTY


class LimitRange(Value):
    """A LimitRange with API defaults."""

    meta: Meta
    limits: tuple[Limit, ...] = ()


def with_defaults(spec: PodSpec, ranges: Iterable[LimitRange]) -> PodSpec:
    """The spec with the defaults of the namespace's LimitRanges, which admission applies sorted by name."""
    for found in sorted(ranges, key=lambda found: found.meta.name):
        limits: dict[str, int] = {}
        requests: dict[str, int] = {}
        for limit in found.limits:
            if limit.kind == "Container":
                limits |= limit.default
                requests |= limit.default_request
        if limits or requests:
            spec = replace(
                with_own_requests(spec),
                containers=tuple(_completed(container, limits, requests) for container in spec.containers),
                init_containers=tuple(_completed(container, limits, requests) for container in spec.init_containers),
            )
    return spec


class LimitRangeRefusal(Value):
    """The limits of a LimitRange that a pod violates."""

    pod: str
    broken: tuple[str, ...]

    @property
    def text(self) -> str:
        """The text with which admission refuses the pod."""
        told = self.broken[0] if len(self.broken) == 1 else f"[{', '.join(self.broken)}]"
        return f'pods "{self.pod}" is forbidden: {told}'


def limit_range_refusal(pod: Pod, ranges: Iterable[LimitRange]) -> LimitRangeRefusal | None:
    """The limits that a pod violates; None if it violates none. The pod must already have its defaults."""
    mine = (found for found in ranges if found.meta.namespace == pod.meta.namespace)
    for found in sorted(mine, key=lambda found: found.meta.name):
        broken = tuple(dict.fromkeys(text for limit in found.limits for text in _broken(limit, pod.spec)))
        if broken:
            return LimitRangeRefusal(pod.meta.name, broken)
    return None


def claim_refusal(storage: int, found: LimitRange) -> str:
    """The limit that a claim for this much storage, in thousandths of a byte, violates; empty if none."""
    told = ""
    for limit in found.limits:
        least, most = limit.least.get("storage", storage), limit.most.get("storage", storage)
        bound = ("minimum", least) if storage < least else ("maximum", most)
        if limit.kind == "PersistentVolumeClaim" and not least <= storage <= most:
            rule = f"{bound[0]} storage usage per {limit.kind} is {canonical(bound[1])}"
            told = told or f"{rule}, but request is {canonical(storage)}"
    return told


@reader
def read_limit_range(fields: Fields) -> LimitRange:
    """A `v1.LimitRange`."""
    return LimitRange(
        meta=read_meta(fields.down("metadata")),
        limits=tuple(_limit(child) for child in fields.down("spec").children("limits")),
    )


def _limit(fields: Fields) -> Limit:
    """An entry, with the defaults that follow from its limits; the API server stores amounts below zero, too."""
    kind = fields.text("type")
    least, most, default, default_request, ratio = (
        fields.quantities(part, below_zero=True)
        for part in ("min", "max", "default", "defaultRequest", "maxLimitRequestRatio")
    )
    if kind == "Container":
        default = FrozenMap({**most, **default})
        default_request = FrozenMap({**least, **default, **default_request})
    return Limit(kind, least, most, default, default_request, ratio)


def _completed(container: Container, limits: Amounts, requests: Amounts) -> Container:
    return replace(
        container,
        limits=FrozenMap({**limits, **container.limits}),
        requests=FrozenMap({**requests, **container.requests}),
    )


def _broken(limit: Limit, spec: PodSpec) -> Iterator[str]:
    if limit.kind == "Container":
        for container in (*spec.containers, *spec.init_containers):
            yield from _violations(limit, container.requests, container.limits)
            for name, most in sorted(limit.default.items()):
                asked = container.requests.get(name, 0)
                if container.limits.get(name) == most < asked <= limit.most.get(name, asked):
                    # the API server validates the pod once its defaults are there
                    told = f"{name} limit per {limit.kind} is {canonical(most)} by default"
                    yield f"{told}, but request is {canonical(asked)}"
        for part, name, _, why in beyond_pod(spec):
            given = (limit.default if part == "limits" else limit.default_request).get(name)
            every = (getattr(one, part).get(name) for one in (*spec.containers, *spec.init_containers))
            if given is not None and given in every:
                whose = "it" if part == "limits" else "that of the whole pod"
                yield f"{name} {part[:-1]} per {limit.kind} is {canonical(given)} by default, but {whose} {why}"
    elif limit.kind == "Pod":
        bare = replace(spec, overhead=EMPTY)
        yield from _violations(limit, pod_amounts(bare), pod_limits(bare))


def _violations(limit: Limit, requests: Amounts, limits: Amounts) -> Iterator[str]:
    ask, stop = ("request", requests, 1), ("limit", limits, -1)
    for word, bounds, both in (("minimum", limit.least, (ask, stop)), ("maximum", limit.most, (stop, ask))):
        what, amounts, sign = both[0]
        for name, bound in sorted(bounds.items()):
            rule = f"{word} {name} usage per {limit.kind} is {canonical(bound)}"
            beyond = [(one, has[name]) for one, has, _ in both if sign * has.get(name, bound) < sign * bound]
            if name not in amounts:
                yield f"{rule}.  No {what} is specified"
            elif beyond:
                yield f"{rule}, but {beyond[0][0]} is {canonical(beyond[0][1])}"
    for name, bound in sorted(limit.ratio.items()):
        rule = f"{name} max limit to request ratio per {limit.kind} is {canonical(bound)}"
        request, most = requests.get(name, 0), limits.get(name, 0)
        if not request:
            yield f"{rule}, but no request is specified or request is 0"
        elif not most:
            yield f"{rule}, but no limit is specified or limit is 0"
        elif most * 1000 > bound * request:
            yield f"{rule}, but provided ratio is {_ratio(most, request)}"


def _ratio(limit: int, request: int) -> str:
    millionths = (limit * 2_000_000 + request) // (2 * request)
    return f"{millionths // 1_000_000}.{millionths % 1_000_000:06d}"
