"""Gangs: pods that start together or not at all, and that are never as many as their required minimum.

Behaviour: the gang plugin of Volcano and its PodGroup controller, which makes a group of the pods of each ReplicaSet
(`scheduling.volcano.sh/group-min-member`); Coscheduling of scheduler-plugins; KAI; `schedulingPolicy.minAvailable` of
the Kubeflow operators, and `calculateMinAvailable` of MPI operator 0.6.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.analysis.gang_members import at_once
from kubelint_gpu.analysis.scaling import replicas_of
from kubelint_gpu.engine.api import ApplySet, Diagnostic, Manifest, Pointer, Related, WorkloadCheck, field_pointers
from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.objects.collective import pod_groups
from kubelint_gpu.kube.objects.pod import DEFAULT_SCHEDULER
from kubelint_gpu.kube.objects.workload import api_group
from kubelint_gpu.messages.wording import counted, listed, workload_name
from kubelint_gpu.simulation.controllers.controller import Controller

_GROUPS = ("scheduling.volcano.sh", "scheduling.x-k8s.io", "scheduling.run.ai")
_MEMBERS: Pointer = ("spec", "minMember")
_OF_JOB: Pointer = ("spec", "minAvailable")
_OF_POLICY: Pointer = ("spec", "runPolicy", "schedulingPolicy", "minAvailable")
_OF_OWNER: Pointer = ("metadata", "annotations", "scheduling.volcano.sh/group-min-member")
_LAUNCHER: Pointer = ("spec", "launcherCreationPolicy")
_DIGITS = 10
_NEVER = ": no pod of it is ever placed"


def unmet_minimums(unit: ApplySet) -> Iterator[Diagnostic]:
    """Findings about pod groups, and objects whose pods form one, that never have their minimum of pods."""
    for parts in grouped(((one.manifest.path, one.manifest.object), one) for one in unit.subjects).values():
        yield from _of_object(unit, parts)
    groups = [one for one in unit.manifests if one.kind == "PodGroup" and api_group(one.item.value) in _GROUPS]
    named = ((one.workload.meta.namespace, name, one) for one in unit.subjects for name in pod_groups(one.workload))
    of_group = grouped(((space, name), one) for space, name, one in named) if groups else {}
    for manifest in groups:
        members = of_group.get((manifest.namespace or "default", manifest.name), [])
        names = listed(sorted({workload_name(one.workload) for one in members}))
        if members:
            pods = sum(_most(unit, one) for one in members)
            yield from _unmet(manifest, _MEMBERS, pods, "its members are", f" ({names}){_NEVER}", members)


def _of_object(unit: ApplySet, parts: Sequence[WorkloadCheck]) -> Iterator[Diagnostic]:
    manifest, pods = parts[0].manifest, sum(_most(unit, one) for one in parts)
    if api_group(manifest.item.value) == "batch.volcano.sh":
        yield from _unmet(manifest, _OF_JOB, pods, "its tasks have", ": the webhook of Volcano refuses it")
    elif parts[0].workload.custom:
        has = "its replica specs have"
        if field_pointers.at(manifest, _LAUNCHER) == "WaitForWorkersReady":
            first = [one for one in parts if "Launcher" not in one.workload.template_pointer]
            pods, has = sum(_most(unit, one) for one in first), "before the launcher is made there are"
            if _is_gang(manifest, first) and not manifest.present(_OF_POLICY):
                yield _unmet_by_default(manifest, pods, has)
        yield from _unmet(manifest, _OF_POLICY, pods, has)
    elif parts[0].workload.spec.scheduler_name == "volcano":
        told = list(_unmet(manifest, _OF_OWNER, pods, "it has"))
        yield from told or _of_owner(manifest, parts[0].controller, pods)


def _is_gang(manifest: Manifest, parts: Sequence[WorkloadCheck]) -> bool:
    """Whether a gang scheduler places the pods of an MPIJob."""
    others = any(one.workload.spec.scheduler_name != DEFAULT_SCHEDULER for one in parts)
    return others or manifest.present(_OF_POLICY[:-1])


def _unmet_by_default(manifest: Manifest, workers: int, has: str) -> Diagnostic:
    """The finding about a default minimum: the launcher and all workers."""
    return Diagnostic(
        "KLG113",
        manifest.place(_LAUNCHER),
        f"minAvailable is {workers + 1} by default, the workers and the launcher, and {has} at most "
        f"{counted(workers, 'pod')}{_NEVER}",
        manifest,
        cause=f"minimum {_OF_POLICY[-1]}",
        certainty="possible",
        severity="warning",
        help=(f"set minAvailable: {workers} under runPolicy.schedulingPolicy, or leave launcherCreationPolicy out",),
    )


def _of_owner(manifest: Manifest, controller: Controller, pods: int) -> Iterator[Diagnostic]:
    if controller.ordered:
        yield from _unmet(manifest, _OF_OWNER, 1, "as it is OrderedReady it has", f" until that is ready{_NEVER}")
    elif controller.has_replica_sets and not controller.recreates:
        new = controller.surge(pods) + controller.unavailable(pods)
        has, end = "a new ReplicaSet, a group of its own, has", " until one of them is ready: no rollout of it ends"
        yield from _unmet(manifest, _OF_OWNER, new, has, end)


def _most(unit: ApplySet, subject: WorkloadCheck) -> int:
    return max(at_once(subject), replicas_of(unit, subject)[1])


def _unmet(
    manifest: Manifest, route: Pointer, pods: int, has: str, end: str = _NEVER, members: Sequence[WorkloadCheck] = ()
) -> Iterator[Diagnostic]:
    written = str(field_pointers.at(manifest, route))
    if written.isdecimal() and len(written) < _DIGITS and int(written) > pods:
        yield Diagnostic(
            "KLG113",
            manifest.place(route),
            f"{route[-1]} is {written}, and {has} at most {counted(pods, 'pod')}{end}",
            manifest,
            cause=f"minimum {route[-1]}",
            certainty="certain" if route == _OF_JOB else "possible",
            severity="error" if route == _OF_JOB else "warning",
            related=tuple(
                Related(one.replicas_place, f"{counted(at_once(one), 'pod')} of the group") for one in members
            ),
        )
