"""Rollouts whose new ReplicaSet or ControllerRevision a quota refuses, so that no new pod is ever created."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.analysis.certainty import may_adopt
from kubelint_gpu.analysis.decided import noted
from kubelint_gpu.analysis.predecessors import is_made
from kubelint_gpu.analysis.transitions import transitions_in
from kubelint_gpu.builders.object_quota import is_refused, quotas_of
from kubelint_gpu.engine.api import ApplySet, Diagnostic, WorkloadCheck, field_pointers
from kubelint_gpu.evidence.declared_lines import quota_limits, quota_state
from kubelint_gpu.kube.objects.quota import ResourceQuota
from kubelint_gpu.kube.values.quantity import ONE
from kubelint_gpu.simulation.hypotheses import NEXT_ROLLOUT, QUOTA, REVISION_QUOTA
from kubelint_gpu.simulation.search.verdict import Verdict, of_verdict
from kubelint_gpu.values import Value

_OWNERS = {"ReplicaSet": ("Deployment", "ReplicaSet"), "ControllerRevision": ("StatefulSet", "DaemonSet")}


class RefusedRevision(Value):
    """A ReplicaSet or ControllerRevision that a quota refuses; `used` is the former usage, in thousandths.

    `first` says that it is the first one, so that no pod of the workload ever runs. If not `certain`, it is only
    refused if objects of other workloads are created first. `kept` says that the workload might have an object of this
    very template from an earlier rollout.
    """

    subject: WorkloadCheck
    quota: ResourceQuota
    used: int
    first: bool = False
    certain: bool = True
    kept: bool = False

    @property
    def key(self) -> str:
        """The key of the quota."""
        return _key(self.kind)

    @property
    def kind(self) -> str:
        """The kind of the object: ReplicaSet or ControllerRevision."""
        return self.subject.controller.revision_kind

    @property
    def ends(self) -> str:
        """The end of the rollout, as a predicate."""
        if self.subject.controller.recreates and not self.first:
            return f"{'never ends' if self.certain else 'may never end'} once the old pods are gone"
        return "never begins" if self.certain else "may never begin"


def refused_revisions(unit: ApplySet) -> Iterator[Diagnostic]:
    """Findings about workloads whose object for a template a quota refuses."""
    for found in revisions_refused(unit):
        yield _never_runs(unit, found) if found.first else _never_rolls(unit, found)


def revisions_refused(unit: ApplySet) -> Iterator[RefusedRevision]:
    """Yield rollouts for which a quota refuses the new object, and workloads that do not even get the first.

    The old object stays when its pods are gone, so that no order of events helps. Without a ControllerRevision a sync
    ends before any pod is created (Deployment, StatefulSet and DaemonSet controllers, 1.34).
    """
    for kind in _OWNERS:
        quotas = [quota for quota in quotas_of(unit) if _key(kind) in quota.hard]
        wanting = [one for one in unit.subjects if _wants_one(unit, one, kind)] if quotas else []
        for subject in wanting:
            if subject.controller.revision_kind == kind:
                refused = (_refused(unit, quota, subject, wanting) for quota in quotas)
                for found in [found for found in refused if found is not None][:1]:
                    now = found.first or not is_made(unit, subject)
                    answer = Verdict.STUCK if found.certain else Verdict.MAY_STICK
                    row = of_verdict(answer, REVISION_QUOTA if now else NEXT_ROLLOUT, QUOTA)
                    noted(unit).setdefault(subject.key, {})[row] = None
                    yield found


def _wants_one(unit: ApplySet, subject: WorkloadCheck, kind: str) -> bool:
    """Whether the workload creates an object of this kind for a template, or is a new one itself."""
    transition, controller = transitions_in(unit).get(subject.key), subject.controller
    if transition is None or controller.paused or is_refused(unit, subject):
        return False
    if subject.workload.kind == kind:
        return not transition.existing
    return controller.revision_kind == kind and transition.rolls


def _refused(
    unit: ApplySet, quota: ResourceQuota, subject: WorkloadCheck, wanting: Sequence[WorkloadCheck]
) -> RefusedRevision | None:
    """The refusal for a workload, at the latest after all other `wanting` workloads have their objects; else None."""
    key, namespace = _key(subject.controller.revision_kind), quota.meta.namespace
    if subject.workload.meta.namespace != namespace:
        return None
    used, room = _used(unit, quota, subject.controller.revision_kind), quota.hard[key]
    others = sum(
        one is not subject and one.workload.meta.namespace == namespace and _stays(unit, one) for one in wanting
    )
    made = is_made(unit, subject)
    if not made and room < ONE and (quota.used is None or not quota.used.get(key, 0)):
        return RefusedRevision(subject, quota, 0, first=True)
    if used + (1 + others) * ONE > room:
        kept = _may_be_kept(unit, subject, quota, used)
        certain = used + ONE > room and not kept
        return RefusedRevision(subject, quota, used, first=made, certain=certain, kept=kept)
    if made and used + (2 + others) * ONE > room:
        return RefusedRevision(subject, quota, used + (1 + others) * ONE)
    return None


def _may_be_kept(unit: ApplySet, subject: WorkloadCheck, quota: ResourceQuota, used: int) -> bool:
    """Whether an object of an earlier rollout with the same template may exist, which is reused.

    That is so if there are more objects than workloads, and it keeps its own. A new workload may adopt another one's.
    """
    if is_made(unit, subject):
        return may_adopt(unit, subject)
    transition = transitions_in(unit)[subject.key]
    limit = field_pointers.at(subject.manifest, ("spec", "revisionHistoryLimit"))
    owners = _owners(unit, quota, subject.controller.revision_kind)
    return transition.known and limit != 0 and used > len(owners) * ONE


def _stays(unit: ApplySet, subject: WorkloadCheck) -> bool:
    """Whether its rollout begins now and leaves one object more."""
    transition = transitions_in(unit)[subject.key]
    limit = field_pointers.at(subject.manifest, ("spec", "revisionHistoryLimit"))
    return not transition.existing or (transition.known and limit != 0)


def _key(kind: str) -> str:
    return f"count/{kind.lower()}s.apps"


def _used(unit: ApplySet, quota: ResourceQuota, kind: str) -> int:
    """The minimum usage of the quota before the apply: one object for each workload, in thousandths."""
    return max(len(_owners(unit, quota, kind)) * ONE, quota.used.get(_key(kind), 0) if quota.used is not None else 0)


def _owners(unit: ApplySet, quota: ResourceQuota, kind: str) -> set[str]:
    """Return the workloads in the quota's namespace that have an object of a kind before the apply."""
    return {
        transition.new.key
        for transition in transitions_in(unit).values()
        if transition.existing
        and transition.new.kind in _OWNERS[kind]
        and transition.new.meta.namespace == quota.meta.namespace
    }


def _never_runs(unit: ApplySet, found: RefusedRevision) -> Diagnostic:
    """The finding that a workload does not even get its first template."""
    manifest = found.subject.manifest
    return Diagnostic(
        "KLG105",
        manifest.place(("metadata", "name")),
        f"no pod of it {'ever runs' if found.certain else 'may ever run'}: its first {_refused_by(unit, found)}",
        manifest,
        cause=f"first {found.kind}",
        certainty="certain" if found.certain else "possible",
        related=tuple(quota_limits(unit, found.quota.meta.namespace, found.quota.meta.name, (found.key,))),
    )


def _never_rolls(unit: ApplySet, found: RefusedRevision) -> Diagnostic:
    """The finding that a rollout stops, now or after this change has created the workload."""
    manifest, kind, later = found.subject.manifest, found.kind, is_made(unit, found.subject)
    rollout = "this change starts it, and the next rollout" if later else "the rollout"
    kept = f"the old {kind} is kept until the rollout is complete"
    return Diagnostic(
        "KLG105",
        manifest.place(field_pointers.strategy(manifest), "key"),
        f"{rollout} {found.ends}: the new {_refused_by(unit, found)}, and {kept}",
        manifest,
        cause=f"new {kind}",
        certainty="certain" if found.certain else "possible",
        severity="warning" if later else None,
        moment="next" if later else "now",
        related=tuple(quota_limits(unit, found.quota.meta.namespace, found.quota.meta.name, (found.key,))),
        help=(f"leave room for the new {kind} and for the old ones that revisionHistoryLimit keeps",),
    )


def _refused_by(unit: ApplySet, found: RefusedRevision) -> str:
    users = _owners(unit, found.quota, found.kind) - {found.subject.workload.key}
    state = quota_state(found.quota, found.key, found.used, owners=users)
    first = found.used + ONE <= found.quota.hard[found.key]
    others = f", where the {found.kind}s of others are made first" if first and not found.certain else ""
    others = f", unless one of them is of this template from an earlier rollout{others}" if found.kept else others
    return f"{found.kind} is refused by quota {found.quota.meta.name}, which allows {state}{others}"
