"""Objects that a quota refuses when they are applied, and CronJobs whose finished Jobs exhaust a quota."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.analysis.ended_jobs import PODS, TTL
from kubelint_gpu.documents import editing
from kubelint_gpu.engine.api import ApplySet, Diagnostic, FixCandidate, Pointer, Related, WorkloadCheck, field_pointers
from kubelint_gpu.evidence.declared_lines import quota_limits, quota_state
from kubelint_gpu.kube.objects.quota import OBJECT_KEYS, ResourceQuota
from kubelint_gpu.kube.values.quantity import ONE, canonical
from kubelint_gpu.messages.why_fewer import quota_amount
from kubelint_gpu.messages.wording import counted, workload_name
from kubelint_gpu.simulation.controllers.job import History, is_full, job_of, left_for_good, objects_of_pods
from kubelint_gpu.simulation.prepare.workload_change import own_pods
from kubelint_gpu.values import Value
from kubelint_gpu.workspace.workload_check import WorkloadKey

_JOBS = "count/jobs.batch"
_SUCCEEDED: Pointer = ("spec", "successfulJobsHistoryLimit")
_FAILED: Pointer = ("spec", "failedJobsHistoryLimit")
_KEPT = ((_SUCCEEDED, 3), (_FAILED, 1))


def quotas_of(unit: ApplySet) -> list[ResourceQuota]:
    """The quotas that count objects, sorted by name."""
    return sorted((one for one in unit.cluster.quotas if not one.scopes), key=lambda one: one.meta.name)


def refused_objects(unit: ApplySet) -> Iterator[Diagnostic]:
    """Findings about workloads that the API server refuses, because a quota has no room for objects of their kind.

    Only creation counts. A Job is assumed to be created; any other workload is assumed to exist unless known otherwise.
    """
    said: set[WorkloadKey] = set()
    for quota in quotas_of(unit):
        for kind, keys in OBJECT_KEYS.items():
            for key in keys:
                for subject, used, there in _refused(unit, quota, kind, key):
                    if subject.key not in said:
                        said.add(subject.key)
                        yield _refusal(unit, subject, quota, key, used, there)


def is_refused(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether a quota refuses the object itself."""
    keys = OBJECT_KEYS.get(subject.workload.kind, ())
    return any(
        subject is one
        for quota in quotas_of(unit)
        for key in keys
        for one, _, _ in _refused(unit, quota, subject.workload.kind, key)
    )


def _refused(
    unit: ApplySet, quota: ResourceQuota, kind: str, key: str
) -> Iterator[tuple[WorkloadCheck, int, list[str]]]:
    """Yield the workloads of a kind that a quota refuses, each with the usage at that time and the known users.

    The usage is in thousandths; a user is the key of a workload.
    """
    if key not in quota.hard:
        return
    mine: dict[str, WorkloadCheck] = {}
    for subject in unit.subjects:
        workload = subject.workload
        if workload.kind == kind and not workload.custom and workload.meta.namespace == quota.meta.namespace:
            mine.setdefault(workload.key, subject)
    there = [one for one in mine.values() if _exists(unit, one)]
    room, status = quota.hard[key], quota.used.get(key, 0) if quota.used is not None else 0
    # more than the quota ever let be created are not there
    absent = there[max(room, status) // ONE :]
    used = max((len(there) - len(absent)) * ONE, status)
    users = [one.workload.key for one in there if one not in absent]
    for subject in mine.values():
        if subject in there and subject not in absent:
            continue
        if used + ONE > room:
            yield subject, used, users
        else:
            used += ONE
            users = [*users, subject.workload.key]


def _exists(unit: ApplySet, subject: WorkloadCheck) -> bool:
    if unit.before_of(subject) is not None or own_pods(subject.workload, unit.cluster.pods):
        return True
    return subject.workload.kind != "Job" and subject.manifest.object not in unit.made


def _refusal(
    unit: ApplySet, subject: WorkloadCheck, quota: ResourceQuota, key: str, used: int, users: Sequence[str]
) -> Diagnostic:
    manifest, kind = subject.manifest, subject.workload.kind
    # a Job that is there already may be among those that the status counts
    counted_before = quota.used.get(key, 0) if quota.used is not None else 0
    certain = kind != "Job" or manifest.object in unit.made or not counted_before
    return Diagnostic(
        "KLG105",
        manifest.place(("metadata", "name")),
        f"{'' if certain else 'unless it is there already, '}the API server refuses to create this {kind}: "
        f"quota {quota.meta.name} allows {quota_state(quota, key, used, owners=users)}",
        manifest,
        cause=f"object {key}",
        certainty="certain" if certain else "possible",
        related=tuple(quota_limits(unit, quota.meta.namespace, quota.meta.name, (key,))),
        help=("a Job that has ended counts until it is deleted",) if kind == "Job" else (),
    )


class _Runs(Value, eq=False):
    """A CronJob and the objects that it keeps."""

    subject: WorkloadCheck
    history: History


def full_histories(unit: ApplySet) -> Iterator[Diagnostic]:
    """Findings about CronJobs that stop starting runs, because the Jobs that they keep exhaust a quota."""
    for quota in quotas_of(unit):
        for key in (_JOBS, PODS):
            if key in quota.hard:
                yield from _full(unit, quota, key)


def _full(unit: ApplySet, quota: ResourceQuota, key: str) -> Iterator[Diagnostic]:
    mine = [
        one
        for one in unit.subjects
        if one.workload.meta.namespace == quota.meta.namespace and not one.workload.custom and one.workload.replicas
    ]
    runs = [found for one in mine for found in _runs(one, key)]
    stays = sum(_objects(one, key) for one in mine if one.workload.kind == "Job" and _ttl(one) is None)
    room = quota.hard[key] // ONE - stays
    never = [one for one in runs if one.history.each > room]
    runs = [one for one in runs if one not in never]
    for one in never if key == _JOBS else ():
        yield _never(unit, one.subject, quota, key)
    histories = [one.history for one in runs]
    if not runs or not is_full(histories, room, failures=True):
        return
    certain = is_full(histories, room, failures=False)
    yield _stopping(unit, runs, quota, key, room, certain=certain)


def _runs(subject: WorkloadCheck, key: str) -> Iterator[_Runs]:
    job = job_of(subject.workload)
    if job is None or not job.scheduled or _ttl(subject) is not None:
        return
    kept = [field_pointers.at(subject.manifest, route) for route, _ in _KEPT]
    numbers = [default if value is None else value for value, (_, default) in zip(kept, _KEPT, strict=True)]
    succeeded, failed = (one if isinstance(one, int) and not isinstance(one, bool) else 0 for one in numbers)
    yield _Runs(subject, History(max(0, succeeded), max(0, failed), _objects(subject, key)))


def _objects(subject: WorkloadCheck, key: str) -> int:
    job = job_of(subject.workload)
    return objects_of_pods(job.strategy) if key == PODS and job is not None else 1


def _ttl(subject: WorkloadCheck) -> object:
    return field_pointers.at(subject.manifest, (*subject.workload.template_pointer[:-1], TTL))


def _never(unit: ApplySet, subject: WorkloadCheck, quota: ResourceQuota, key: str) -> Diagnostic:
    manifest = subject.manifest
    return Diagnostic(
        "KLG105",
        manifest.place(("metadata", "name")),
        f"no run ever starts: its Job is refused by quota {quota.meta.name}, which allows "
        f"{quota_amount(canonical(quota.hard[key]), key)}",
        manifest,
        cause=f"runs {key}",
        related=tuple(quota_limits(unit, quota.meta.namespace, quota.meta.name, (key,))),
    )


def _stopping(
    unit: ApplySet, runs: Sequence[_Runs], quota: ResourceQuota, key: str, room: int, *, certain: bool
) -> Diagnostic:
    first, *others = [one.subject for one in runs]
    manifest = first.manifest
    failed = "" if certain else ", one of them in vain"
    beside = f" and {counted(len(others), 'other CronJob')}" if others else ""
    kept = left_for_good([one.history for one in runs], failures=not certain)
    what = counted(kept, "Job") if key == _JOBS else f"{counted(kept, 'pod')} of Jobs"
    lasts = "finds room for its pods" if key == PODS else "starts"
    place = next((route for route, _ in _KEPT if manifest.present(route)), ("spec",))
    return Diagnostic(
        "KLG105",
        manifest.place(place, "key"),
        f"once enough runs have ended{failed}, no further one {lasts}: the CronJob{beside} would keep {what} that "
        f"{'has' if kept == 1 else 'have'} ended, and quota {quota.meta.name} allows "
        f"{quota_amount(canonical(quota.hard[key]), key)}{_apart(quota, key, room)}",
        manifest,
        cause=f"history {key}",
        moment="later",
        certainty="certain" if certain else "possible",
        related=(
            *(
                Related(
                    manifest.place(route),
                    f"so many Jobs that {'succeeded' if route == _SUCCEEDED else 'failed'} are kept",
                )
                for route, _ in _KEPT
                if manifest.present(route)
            ),
            *(
                Related(one.manifest.place(("metadata", "name")), f"{workload_name(one.workload)}, too")
                for one in others
            ),
            *quota_limits(unit, quota.meta.namespace, quota.meta.name, (key,)),
        ),
        help=("ttlSecondsAfterFinished in the jobTemplate deletes each Job some time after it has ended",),
        proposals=() if others else tuple(_fewer(first, runs[0].history, room)),
    )


def _apart(quota: ResourceQuota, key: str, room: int) -> str:
    taken = quota.hard[key] // ONE - room
    return f", of which Jobs beside it take {taken}" if taken else ""


def _fewer(subject: WorkloadCheck, history: History, room: int) -> Iterator[FixCandidate]:
    """Yield a fix that keeps fewer Jobs; failed ones are kept as before if there is room for them."""
    most = room // history.each - 1
    if most < 0:
        return
    failed = min(history.failed, most)
    succeeded = min(history.succeeded, most - failed)
    manifest = subject.manifest

    def edits() -> list[editing.Edit]:
        found = []
        for route, number in ((_SUCCEEDED, succeeded), (_FAILED, failed)):
            before = history.succeeded if route == _SUCCEEDED else history.failed
            if number == before:
                continue
            if manifest.present(route):
                found.append(editing.replace_scalar(manifest.item, route, str(number)))
            else:
                found.append(editing.set_key(manifest.item, ("spec",), str(route[-1]), number, before="jobTemplate"))
        return found

    title = f"keep {counted(succeeded, 'Job')} that succeeded and {failed} that failed"
    yield FixCandidate(f"{title}; the pods and logs of older ones go earlier", "unsafe", edits)
