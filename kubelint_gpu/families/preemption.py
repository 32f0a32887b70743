"""Preemption: who hopes for it in vain, who should not have it, and whom it hits in spite of a budget."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.documents import Pointer
from kubelint_gpu.engine.diagnostic import Diagnostic
from kubelint_gpu.engine.registry import rule
from kubelint_gpu.findings.finding import Related
from kubelint_gpu.kube.admission.defaults import extended_resources
from kubelint_gpu.kube.objects.pod import Pod
from kubelint_gpu.kube.objects.priority import NEVER, PREEMPT
from kubelint_gpu.messages.wording import budget_names, counted, listed, owner_name, some, verb, workload_name
from kubelint_gpu.scheduler import Attempt, Candidate, attempt
from kubelint_gpu.scheduler.placement.contention import evicts_on
from kubelint_gpu.simulation.prepare.workload_change import own_pods
from kubelint_gpu.values import replace
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_CLASS = "priorityClassName"
_MOST_RELATED = 4


@rule("KLG304")
def cannot_preempt(unit: ApplySet) -> Iterator[Diagnostic]:
    """A pod that waits for what others hold, whose priority was meant to help and does not."""
    for subject, found in _waiting(unit):
        preemption = found.preemption
        if preemption is None or preemption.succeeds or unit.may_grow_for(subject):
            continue
        spec = subject.workload.spec
        priority, name = spec.priority or 0, spec.priority_class_name
        if spec.preemption_policy == NEVER:
            if not _would_succeed(unit, subject):
                continue
            why = f"class {name} has preemptionPolicy Never, so that nothing is evicted for it"
        elif not preemption.outcomes:
            continue
        else:
            lower = _lower(unit, subject, found)
            if lower:
                why = f"evicting the {counted(len(lower), 'pod')} of lower priority on its nodes is not enough"
            else:
                why = f"no pod on its nodes has a priority below {priority}, that of class {name}"
        manifest = subject.manifest
        yield Diagnostic(
            "KLG304",
            manifest.place(_route(subject)),
            f"its pod waits for room that others hold, and its priority does not help: {why}",
            manifest,
            cause=_CLASS,
            certainty="certain" if unit.complete else "possible",
            scheduler=found.message,
            related=_holders(unit, subject, found),
        )


@rule("KLG305")
def priority_inversion(unit: ApplySet) -> Iterator[Diagnostic]:
    """Work that can wait may evict work that somebody waits for."""
    if not unit.has_nodes:
        return
    ready = [subject for subject in unit.subjects if subject.known_class and subject.places_pods]
    for batch in ready:
        spec = batch.workload.spec
        resources = extended_resources(spec)
        if not batch.controller.runs_to_completion or not resources or spec.preemption_policy == NEVER:
            continue
        for subject in ready:
            serving = subject.workload
            if not subject.controller.rolls or subject.controller.node_bound or not serving.replicas:
                continue
            common = [name for name in extended_resources(serving.spec) if name in resources]
            if not common or (serving.spec.priority or 0) >= (spec.priority or 0):
                continue
            nodes = _fought_over(unit, batch, subject)
            if not nodes:
                continue
            yield Diagnostic(
                "KLG305",
                batch.manifest.place(_route(batch), "value"),
                f"{batch.workload.kind} {batch.workload.meta.name} has priority {spec.priority or 0} and can evict "
                f"pods of {workload_name(serving)}, which has {serving.spec.priority or 0}, for {listed(common)} "
                f"on {some(nodes)}",
                batch.manifest,
                cause=serving.key,
                certainty="certain" if unit.complete else "possible",
                related=(
                    Related(
                        subject.manifest.place(_route(subject)),
                        f"{serving.meta.name} serves and has priority {serving.spec.priority or 0}",
                    ),
                ),
                help=(
                    f"give {serving.meta.name} a class above {spec.priority or 0}",
                    f"give {batch.workload.meta.name} a class below {serving.spec.priority or 0}",
                    f"give {batch.workload.meta.name} a class with preemptionPolicy Never",
                ),
            )


@rule("KLG306")
def preempts_protected(unit: ApplySet) -> Iterator[Diagnostic]:
    """Room can be made only by evicting pods whose disruption budget has nothing left."""
    for subject, found in _waiting(unit):
        preemption = found.preemption
        if preemption is None or not preemption.succeeds or not preemption.violations:
            continue
        chosen = preemption.best[0]
        budgets = _budgets(unit, chosen)
        if not budgets:
            continue
        manifest = subject.manifest
        yield Diagnostic(
            "KLG306",
            manifest.place(_route(subject)),
            f"its pod finds room only by evicting {_names(chosen.victims)} from {chosen.node}, although "
            f"{budget_names(budgets)} {verb('allow', len(budgets))} no disruption: preemption does not keep to it",
            manifest,
            cause="/".join(budgets),
            certainty="certain" if unit.complete else "possible",
            scheduler=found.message,
            related=(*_budget_places(unit, budgets), *_victim_places(unit, chosen)),
        )


def _waiting(unit: ApplySet) -> Iterator[tuple[WorkloadCheck, Attempt]]:
    """The workloads with a class of their own whose pod fits in the empty cluster and not beside what others run."""
    if not unit.has_nodes or not unit.cluster.pods:
        return
    for subject in unit.subjects:
        spec = subject.workload.spec
        if not subject.places_pods or not subject.known_class or not subject.workload.replicas:
            continue
        if not spec.priority_class_name or (spec.priority or 0) <= 0 or not unit.fits_somewhere(subject):
            continue
        if own_pods(subject.workload, unit.cluster.pods):
            # it runs already: what its next pods do is a matter of the rollout
            continue
        found = unit.beside_running(subject)
        if found.fit is not None and not found.fit.schedulable and found.fit.prefilter is None:
            yield subject, found


def _would_succeed(unit: ApplySet, subject: WorkloadCheck) -> bool:
    pod = replace(subject.pod, spec=replace(subject.pod.spec, preemption_policy=PREEMPT))
    found = attempt(pod, unit.running).preemption
    return found is not None and found.succeeds


def _candidates(found: Attempt) -> list[str]:
    """The nodes where fewer pods could help, in the order of names."""
    preemption = found.preemption
    if preemption is None:
        return []
    return sorted(node.name for one in preemption.outcomes for node in one.nodes)


def _lower(unit: ApplySet, subject: WorkloadCheck, found: Attempt) -> list[Pod]:
    priority = subject.workload.spec.priority or 0
    nodes = [node for node in map(unit.running.node, _candidates(found)) if node is not None]
    return [pod for node in nodes for pod in node.pods if (pod.spec.priority or 0) < priority]


def _holders(unit: ApplySet, subject: WorkloadCheck, found: Attempt) -> tuple[Related, ...]:
    wanted = set(extended_resources(subject.workload.spec))
    nodes = [node for node in map(unit.running.node, _candidates(found)) if node is not None]
    if not nodes:
        nodes = list(unit.running.nodes)
    related: dict[Related, None] = {}
    for node in nodes:
        for pod in node.pods:
            declared = unit.world.declared("Pod", pod.meta.name)
            if declared is None or (wanted and not wanted & set(extended_resources(pod.spec))):
                continue
            said = f"{pod.meta.name} is on {node.name} and has priority {pod.spec.priority or 0}"
            related[Related(unit.world.place(declared), said)] = None
    return tuple(related)[:_MOST_RELATED]


def _fought_over(unit: ApplySet, batch: WorkloadCheck, serving: WorkloadCheck) -> list[str]:
    nodes = []
    for subject in (batch, serving):
        found = unit.alone(subject)
        nodes.append(found.fit.fits if found.fit is not None and not found.held else ())
    common = [name for name in nodes[0] if name in nodes[1]]
    if not common or not evicts_on(common[0], batch.pod, serving.pod, serving.workload.replicas, unit.empty):
        return []
    return common


def _names(victims: tuple[Pod, ...]) -> str:
    owners = sorted(
        {
            owner_name(f"{pod.meta.owner.kind}/{pod.meta.namespace}/{pod.meta.owner.name}")
            if pod.meta.owner is not None
            else pod.key
            for pod in victims
        }
    )
    return f"{counted(len(victims), 'pod')} ({some(owners, 'owner')})"


def _budgets(unit: ApplySet, chosen: Candidate) -> list[str]:
    """The budgets that cover the victims and allow nothing, in the order of names."""
    return sorted(
        budget.meta.name
        for budget in unit.cluster.disruption_budgets
        if any(budget.restrains_preemption(pod) for pod in chosen.victims)
    )


def _budget_places(unit: ApplySet, names: list[str]) -> Iterator[Related]:
    for name in names[:_MOST_RELATED]:
        manifest = next((one for one in unit.manifests if one.kind == "PodDisruptionBudget" and one.name == name), None)
        declared = unit.world.declared("PodDisruptionBudget", name)
        said = f"{name} protects them"
        if manifest is not None:
            yield Related(manifest.place(("metadata", "name")), said)
        elif declared is not None:
            yield Related(unit.world.place(declared), said)


def _victim_places(unit: ApplySet, chosen: Candidate) -> Iterator[Related]:
    for pod in chosen.victims[:_MOST_RELATED]:
        declared = unit.world.declared("Pod", pod.meta.name)
        if declared is not None:
            yield Related(
                unit.world.place(declared), f"{pod.meta.name} has priority {pod.spec.priority or 0} and would go"
            )


def _route(subject: WorkloadCheck) -> Pointer:
    base = field_pointers.pod_spec(subject.manifest)
    return (*base, _CLASS) if subject.manifest.present((*base, _CLASS)) else base
