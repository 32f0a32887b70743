"""Custom resources whose change needs pods of old and new at once: whether the cluster has room for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil

from kubelint_gpu.documents import Item
from kubelint_gpu.engine.diagnostic import Diagnostic
from kubelint_gpu.findings.finding import Place, Related
from kubelint_gpu.kube.admission.defaults import extended_resources
from kubelint_gpu.kube.kinds.custom_rollout import CustomRollout, custom_rollout
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.meta import Meta
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.messages.wording import amount, counted, listed
from kubelint_gpu.simulation.growth import fully_grown
from kubelint_gpu.simulation.prepare.volumes import with_bound_claims
from kubelint_gpu.simulation.prepare.workload_change import created_pod
from kubelint_gpu.simulation.questions.beyond_inventory import further_nodes
from kubelint_gpu.simulation.questions.packing import gathered
from kubelint_gpu.values import dataclass, replace
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_SURE = 20  # the characters of a long name that a controller keeps for certain where it makes another one of it


@dataclass(frozen=True, slots=True)
class _Custom:
    """A custom resource: what its change needs, and its pod templates that have pods."""

    rollout: CustomRollout
    subjects: tuple[WorkloadCheck, ...]

    def pods(self, *, changing: bool) -> list[int]:
        """How many pods of each template must run at once."""
        share = self.rollout.share if changing else 1
        return [ceil(subject.workload.replicas * share) for subject in self.subjects]


def custom_deadlocks(unit: ApplySet) -> Iterator[Diagnostic]:
    """Changes that never end, because all pods run and there is no room for the new ones that must come first."""
    for custom in _customs(unit) if unit.has_nodes else ():
        manifest = custom.subjects[0].manifest
        before = unit.before.get(manifest.object)
        stays = before is not None and before.item.value == manifest.item.value
        if stays or custom.rollout.share == 1 or _missing(unit, custom, changing=False) is not None:
            continue
        placed = _missing(unit, custom, changing=True)
        if placed is None:
            continue
        rollout, wanted = custom.rollout, custom.pods(changing=True)
        certain = rollout.exact and _is_certain(unit, custom, changing=True)
        yield Diagnostic(
            "KLG101",
            _place(custom),
            f"a change of its pods {'never ends' if certain else 'may never end'}: {rollout.why}, so "
            f"{_pods(custom, wanted)} must run at once, and the nodes have room for {_at_most(placed)} of "
            f"{sum(wanted)}",
            manifest,
            cause="custom rollout",
            certainty="certain" if certain else "possible",
            related=_asked(custom),
            help=(rollout.remedy,) if rollout.remedy else (),
        )


def custom_pods_pending(unit: ApplySet) -> Iterator[Diagnostic]:
    """Pods of a custom resource that cannot all run, whatever changes."""
    for custom in _customs(unit) if unit.has_nodes else ():
        placed = _missing(unit, custom, changing=False)
        if placed is None or not all(unit.fits_somewhere(subject) for subject in custom.subjects):
            continue
        wanted = custom.pods(changing=False)
        manifest = custom.subjects[0].manifest
        yield Diagnostic(
            "KLG109",
            manifest.place(("spec", "replicas") if manifest.present(("spec", "replicas")) else ("spec",), "key"),
            f"{_at_most(placed)} of {counted(sum(wanted), 'pod')} can run at once ({_pods(custom, wanted)}); "
            f"{custom.rollout.rest}",
            manifest,
            cause="custom replicas",
            certainty="certain" if custom.rollout.exact and _is_certain(unit, custom, changing=False) else "possible",
            related=_asked(custom),
        )


def custom_rooms(unit: ApplySet) -> Iterator[Diagnostic]:
    """What a change needs beyond the pods that run, where no inventory says whether it is there."""
    for custom in _customs(unit) if unit.world.inventory is None else ():
        rollout = custom.rollout
        if rollout.share == 1 or not _asked(custom):
            continue
        yield Diagnostic(
            "KLG114",
            _place(custom),
            f"a change of its pods needs room for {_pods(custom, custom.pods(changing=True))} at once, "
            f"{sum(custom.pods(changing=True)) - sum(custom.pods(changing=False))} more than run: {rollout.why}",
            custom.subjects[0].manifest,
            cause="custom room",
            related=_asked(custom),
            help=("give --inventory to learn whether the cluster has that room", *filter(None, [rollout.remedy])),
        )


def _customs(unit: ApplySet) -> Iterator[_Custom]:
    groups: dict[Item, list[WorkloadCheck]] = {}
    for subject in unit.subjects:
        if subject.workload.custom and subject.workload.replicas:
            groups.setdefault(subject.manifest.item, []).append(subject)
    for members in groups.values():
        item = members[0].manifest.item
        whole = all(template.readable for template in unit.templates if template.item is item)
        rollout = custom_rollout(item.value) if whole else None
        if rollout is not None and all(subject.places_pods for subject in members):
            yield _Custom(rollout, tuple(members))


def _missing(
    unit: ApplySet, custom: _Custom, *, changing: bool, further: Sequence[Node] = ()
) -> tuple[int, ...] | None:
    """How many pods of each template run at best, with `further` nodes; None where all may."""
    if any(unit.alone(subject).held for subject in custom.subjects):
        return None
    wanted = custom.pods(changing=changing)
    cluster = _cluster(unit, custom.subjects, sum(wanted))
    found = gathered(
        [(subject.workload, number) for subject, number in zip(custom.subjects, wanted, strict=True)],
        replace(cluster, nodes=(*cluster.nodes, *further)),
    )
    return found if found is not None and sum(found) < sum(wanted) else None


def _is_certain(unit: ApplySet, custom: _Custom, *, changing: bool) -> bool:
    """Whether no node beyond the inventory makes room for more."""
    if all(unit.is_closed_to(subject) for subject in custom.subjects):
        return True
    wanted = custom.pods(changing=changing)
    pods = [created_pod(subject.workload, "new") for subject in custom.subjects]
    users = [(subject.workload.meta.namespace, subject.workload.spec) for subject in custom.subjects]
    found = further_nodes(pods, with_bound_claims(unit.cluster, users), sum(wanted))
    if any(taken is None for taken in found.takes) or all(found.takes):
        return False
    now = _missing(unit, custom, changing=changing)
    return now is not None and _missing(unit, custom, changing=changing, further=found.nodes) == now


def _cluster(unit: ApplySet, subjects: Sequence[WorkloadCheck], most: int) -> Cluster:
    """The cluster with all that may be of use, and the running pods that are in the way for certain.

    Some may be its own, and those of lower priority may be evicted.
    """
    least = min(subject.workload.spec.priority or 0 for subject in subjects)
    meta = subjects[0].workload.meta
    stay = [pod for pod in unit.cluster.pods if (pod.spec.priority or 0) >= least and not _may_own(meta, pod)]
    return replace(fully_grown(unit.cluster, unit.growth, most), pods=tuple(stay))


def _may_own(meta: Meta, pod: Pod) -> bool:
    """Whether a pod may be of a custom resource, whose controller names what owns the pods after it."""
    owner = pod.meta.owner
    return pod.meta.namespace == meta.namespace and (owner is None or owner.name.startswith(meta.name[:_SURE]))


def _pods(custom: _Custom, numbers: Sequence[int]) -> str:
    """`2 pods with 8 nvidia.com/gpu and 1 pod without any`."""
    counts: dict[str, int] = {}
    for subject, number in zip(custom.subjects, numbers, strict=True):
        spec = subject.workload.spec
        requests = pod_requests(spec)
        asked = listed([amount(name, requests[name]) for name in extended_resources(spec)])
        counts[asked] = counts.get(asked, 0) + number
    named = [
        f"{counted(number, 'pod')} with {asked}" for asked, number in sorted(counts.items(), reverse=True) if asked
    ]
    rest = counts.get("", 0)
    return listed(
        [*named, f"{counted(rest, 'pod')} without any"] if rest and named else named or [counted(rest, "pod")]
    )


def _at_most(placed: Sequence[int]) -> str:
    return f"no more than {sum(placed)}" if any(placed) else "none"


def _place(custom: _Custom) -> Place:
    manifest = custom.subjects[0].manifest
    pointer = custom.rollout.pointer
    while len(pointer) > 1 and not manifest.present(pointer):
        pointer = pointer[:-1]
    return manifest.place(pointer, "key")


def _asked(custom: _Custom) -> tuple[Related, ...]:
    found = []
    for subject in custom.subjects:
        requests = pod_requests(subject.workload.spec)
        for name in extended_resources(subject.workload.spec):
            number = counted(subject.workload.replicas, "pod")
            told = f"{number} of this template, each with {amount(name, requests[name])}"
            found += [
                Related(subject.manifest.place(route), told)
                for route in field_pointers.requests(subject.manifest, name)
            ]
    return tuple(found)
