"""PodDisruptionBudgets: how many pods may be disrupted at once.

Behaviour: disruption controller and preemption of kube-scheduler, 1.36.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from kubelint_gpu.kube.objects.meta import Meta, read_meta, reader
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.values.fields import Fields, described
from kubelint_gpu.kube.values.selectors import LabelSelector, read_label_selector
from kubelint_gpu.patterns import pattern
from kubelint_gpu.values import Value

_PERCENT = pattern(r"[0-9]{1,9}%", re.ASCII)


class Share(Value):
    """A number of pods, or with `percent` a percentage of the expected ones."""

    amount: int
    percent: bool = False

    def of(self, total: int) -> int:
        """The number of pods among `total`; a percentage is rounded up."""
        return -(-self.amount * total // 100) if self.percent else self.amount

    def __str__(self) -> str:
        return f"{self.amount}%" if self.percent else str(self.amount)


class PodDisruptionBudget(Value):
    """A PodDisruptionBudget.

    `selector` None is absent; `disruptions_allowed` is None if the object has no status.
    `disrupted_pods` are the names of pods that already count as gone.
    """

    meta: Meta
    selector: LabelSelector | None = None
    min_available: Share | None = None
    max_unavailable: Share | None = None
    disruptions_allowed: int | None = None
    disrupted_pods: tuple[str, ...] = ()

    def selects(self, pod: Pod) -> bool:
        """Whether the eviction API counts the pod under this budget; an empty selector covers the namespace."""
        return (
            self.selector is not None
            and pod.meta.namespace == self.meta.namespace
            and self.selector.matches(pod.meta.labels)
        )

    def restrains_preemption(self, pod: Pod) -> bool:
        """Whether preemption counts evicting the pod against this budget.

        An empty selector covers nothing here, and a pod without labels has no budget.
        """
        return (
            self.selector is not None
            and bool(self.selector.requirements)
            and bool(pod.meta.labels)
            and pod.meta.name not in self.disrupted_pods
            and self.selects(pod)
        )


def allowed_disruptions(budget: PodDisruptionBudget, pods: Iterable[Pod], alike: Iterable[tuple[Pod, int]] = ()) -> int:
    """How many more pods the budget allows to disrupt: by its status, or else estimated from the pods.

    `alike` are further pods, as (pod, number of such pods).

    The estimate expects all unfinished pods under the budget, and counts those as healthy that run and are not being
    deleted: readiness is rarely written if the status of the budget is not.
    """
    if budget.disruptions_allowed is not None:
        return budget.disruptions_allowed
    counted = ((pod, count) for found in (((pod, 1) for pod in pods), alike) for pod, count in found)
    under = [(pod, count) for pod, count in counted if not pod.finished and budget.selects(pod)]
    healthy = sum(count for pod, count in under if (pod.ready or pod.phase == "Running") and not pod.meta.terminating)
    expected = sum(count for _, count in under)
    if budget.max_unavailable is not None:
        desired = expected - budget.max_unavailable.of(expected)
    elif budget.min_available is not None:
        desired = budget.min_available.of(expected)
    else:
        desired = 1
    return max(0, healthy - max(0, desired))


@reader
def read_disruption_budget(fields: Fields) -> PodDisruptionBudget:
    """A `policy/v1 PodDisruptionBudget`."""
    spec, status = fields.down("spec"), fields.down("status")
    least, most = _share(spec, "minAvailable"), _share(spec, "maxUnavailable")
    if least is not None and most is not None:
        spec.report((), "minAvailable and maxUnavailable cannot be both set")
    return PodDisruptionBudget(
        meta=read_meta(fields.down("metadata")),
        selector=read_label_selector(spec.child("selector")),
        min_available=least,
        max_unavailable=most,
        disruptions_allowed=status.optional_integer("disruptionsAllowed"),
        disrupted_pods=tuple(sorted(str(name) for name in status.down("disruptedPods").value)),
    )


def _share(fields: Fields, key: str) -> Share | None:
    value = fields.value.get(key)
    if value is None:
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        amount = fields.integer(key, 0, 0)
        return Share(amount)
    if isinstance(value, str) and _PERCENT().fullmatch(value):
        amount = int(value[:-1])
        if amount <= 100:
            return Share(amount, percent=True)
    fields.report((key,), f"must be a number of pods or a percentage of at most 100%, not {described(value)}", value)
    return None
