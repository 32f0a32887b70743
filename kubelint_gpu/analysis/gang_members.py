"""Jobs, and similar custom resources, that do nothing until all their pods run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.findings.finding import Place, Related
from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.kinds.custom_gang import CustomGang, custom_gangs
from kubelint_gpu.kube.objects.collective import KUEUE, QUEUE, is_started_whole, nodes_waited_for, sign_of_waiting
from kubelint_gpu.kube.objects.pod import DEFAULT_SCHEDULER
from kubelint_gpu.kube.objects.workload import Workload, api_group
from kubelint_gpu.messages.wording import counted, workload_name
from kubelint_gpu.simulation.controllers.job import job_of
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_COUNTS = ("replicas", "parallelism")


class Team(Value, eq=False):
    """Pods of one object that all wait for each other.

    Attributes:
        subjects: its pod templates.
        workloads: the same with as many pods as it needs.
        custom: what is known about its kind; None for a Job.
    """

    subjects: tuple[WorkloadCheck, ...]
    workloads: tuple[Workload, ...]
    custom: CustomGang | None = None

    @property
    def key(self) -> str:
        """`kind/namespace/name`, which is different for the Jobs of one JobSet."""
        return self.workloads[0].key

    @property
    def name(self) -> str:
        """`Job research/pretrain`."""
        return workload_name(self.workloads[0])

    @property
    def pods(self) -> int:
        """How many pods it needs."""
        return sum(one.replicas for one in self.workloads)

    @property
    def surely(self) -> bool:
        """Whether its pods certainly wait for each other: its kind says so, or its program waits for enough nodes."""
        return self.custom is not None or nodes_waited_for(self.largest.manifest.item.value) >= self.pods

    @property
    def repeated(self) -> bool:
        """Whether a CronJob starts it again and again."""
        job = job_of(self.workloads[0])
        return job is not None and job.scheduled

    @property
    def whole(self) -> bool:
        """Whether a mechanism starts its pods together or not at all."""
        custom = self.custom is not None and self.custom.whole
        return custom or is_started_whole(self.largest.manifest.item.value)

    @property
    def largest(self) -> WorkloadCheck:
        """The template with most of its pods."""
        numbers = [one.replicas for one in self.workloads]
        return self.subjects[numbers.index(max(numbers))]

    @property
    def place(self) -> Place:
        """The place of the number of its pods, or of the template with most of them."""
        subject = self.largest
        if self.custom is None:
            return field_pointers.replicas_place(subject.manifest)
        if self.custom.whole:
            return subject.manifest.place(self.custom.where)
        pointer = subject.workload.template_pointer
        written = [(*pointer[:-1], key) for key in _COUNTS if subject.manifest.present((*pointer[:-1], key))]
        return subject.manifest.place(written[0]) if written else subject.manifest.place(pointer, "key")

    @property
    def signs(self) -> Iterator[Related]:
        """Yield the places that show that its pods wait for each other."""
        manifest = self.subjects[0].manifest
        if self.custom is not None:
            yield Related(manifest.place(self.custom.where, "key"), self.custom.why)
            return
        sign = sign_of_waiting(manifest.item.value)
        if sign is not None:
            place = manifest.place(sign, "key") if sign[-1] in ("command", "args") else manifest.place(sign)
            yield Related(place, "its pods wait for each other")


def team_of(subject: WorkloadCheck) -> Team:
    """The team of a Job whose pods wait for each other."""
    return Team((subject,), (subject.workload,))


def at_once(subject: WorkloadCheck) -> int:
    """Return how many pods of a template run at once, even if the workload is suspended at first."""
    job = job_of(subject.workload)
    if job is None:
        return subject.workload.replicas
    return min(job.strategy.parallelism, job.strategy.completions or job.strategy.parallelism)


def admitted_at_once(subject: WorkloadCheck) -> int:
    """Return how many pods Kueue admits together; one by one for a Deployment or StatefulSet."""
    return at_once(subject) if subject.workload.custom or job_of(subject.workload) is not None else 1


def how_long(stuck: Sequence[Team]) -> str:
    """`for ever`, or until the first deadline of some Jobs."""
    found = []
    for team in stuck:
        seconds = [one.workload.spec.active_deadline_seconds for one in team.subjects]
        jobs = [job for one in team.subjects if (job := job_of(one.workload)) is not None]
        seconds += [job.strategy.active_deadline_seconds for job in jobs]
        if team.custom is not None:
            seconds.append(team.custom.deadline)
        found += [(one, team.workloads[0].meta.name) for one in seconds if one is not None]
    if not found:
        return "for ever"
    first, name = min(found, key=lambda one: one[0])
    which = name if len(stuck) > 1 else "it"
    return f"until {which} fails after {counted(first, 'second')} (activeDeadlineSeconds)"


def custom_teams(unit: ApplySet) -> Iterator[Team]:
    """Yield the custom resources that need all their pods, while the default scheduler places them one by one."""
    objects = grouped((subject.manifest.item, subject) for subject in unit.subjects if subject.workload.custom)
    for members in objects.values():
        by_pointer = {one.workload.template_pointer: one for one in members}
        gangs = custom_gangs(members[0].manifest.item.value)
        for number, found in enumerate(gangs):
            parts = [(by_pointer.get(pointer), count) for pointer, count in found.parts if count]
            whole = [(one, count) for one, count in parts if one is not None and _is_placed_singly(unit, one, found)]
            if len(whole) < len(parts) or sum(count for _, count in whole) < 2:
                continue
            workloads = [replace(one.workload, replicas=count) for one, count in whole]
            if len(gangs) > 1:
                workloads = [_apart(one, found, number) for one in workloads]
            yield Team(tuple(one for one, _ in whole), tuple(workloads), found)


def _apart(workload: Workload, found: CustomGang, number: int) -> Workload:
    """One of several Jobs of a JobSet, with its own name."""
    return replace(
        workload, kind="Job", meta=replace(workload.meta, name=f"{workload.meta.name}-{found.name}-{number}")
    )


def _is_placed_singly(unit: ApplySet, subject: WorkloadCheck, gang: CustomGang) -> bool:
    if not subject.admitted or not subject.places_pods or not (subject.placed_here or gang.whole):
        return False
    if subject.workload.spec.scheduler_name != DEFAULT_SCHEDULER or unit.alone(subject).held:
        return False
    return unit.fits_somewhere(subject) or unit.may_grow_for(subject)


def waits_for_all(unit: ApplySet, subject: WorkloadCheck, *, queued: bool = False) -> bool:
    """Whether the pods of a Job need each other, and the scheduler places them one by one.

    With `queued`, also if a queue or a pod group starts them together: these ignore ResourceQuotas and nodes.
    """
    workload, written = subject.workload, subject.manifest.item.value
    if workload.replicas < 2 or not subject.admitted or not subject.places_pods or workload.custom:
        return False
    job = job_of(workload)
    if job is None or (job.strategy.completions or 0) > job.strategy.parallelism:
        return False
    if workload.spec.scheduler_name != DEFAULT_SCHEDULER or unit.alone(subject).held:
        return False
    if is_started_whole(written) and not queued:
        return False
    return sign_of_waiting(written) is not None


def has_queues(unit: ApplySet) -> bool:
    """Whether Kueue is in use: an object of its API exists, or pods have its labels."""
    objects = (*unit.manifests, *unit.surroundings())
    labels = {label for pod in unit.cluster.pods for label in pod.meta.labels if label != QUEUE}
    return any(api_group(one.item.value) == KUEUE for one in objects) or any(one.startswith(KUEUE) for one in labels)


def resumed(subject: WorkloadCheck) -> WorkloadCheck:
    """The Job after it is resumed, if a mechanism suspends it until it can start it whole."""
    job = job_of(subject.workload)
    if job is None or not job.strategy.suspend or not is_started_whole(subject.manifest.item.value):
        return subject
    replicas = job.strategy.completions or job.strategy.parallelism
    return replace(subject, workload=replace(subject.workload, replicas=replicas))
