"""Nodes that cannot be drained."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.checks import routes
from kubelint_gpu.checks.draft import Draft, Proposal
from kubelint_gpu.checks.finding import Related
from kubelint_gpu.checks.manifest import Manifest
from kubelint_gpu.checks.places import clues
from kubelint_gpu.checks.registry import rule
from kubelint_gpu.checks.stakes import scarce
from kubelint_gpu.checks.subject import Subject
from kubelint_gpu.checks.unit import Unit
from kubelint_gpu.checks.wording import counted, listed, some, workload_name
from kubelint_gpu.documents import Pointer
from kubelint_gpu.documents.edits import Edit, replace_scalar
from kubelint_gpu.kube.rolling import DaemonSetStrategy, JobStrategy
from kubelint_gpu.rollout.drain import Drained, drain

_SHARES = ("minAvailable", "maxUnavailable")


@rule("KLG112")
def drain_blocked(unit: Unit) -> Iterator[Draft]:
    """The pods of a node have no other place, and a budget lets none of them go."""
    budgets = unit.cluster.disruption_budgets if unit.has_nodes else ()
    ready = [subject for subject in unit.subjects if _stays(unit, subject)]
    if not any(budget.selects(subject.pod) for budget in budgets for subject in ready):
        return
    blocked: dict[str, list[Drained]] = {}
    for found in drain([subject.workload for subject in ready], unit.cluster):
        if found.blocked:
            blocked.setdefault(found.owner, []).append(found)
    for subject in ready:
        if subject.workload.key in blocked and not unit.may_grow_for(subject):
            yield _draft(unit, subject, blocked[subject.workload.key])


def _stays(unit: Unit, subject: Subject) -> bool:
    strategy = subject.workload.strategy
    if isinstance(strategy, (DaemonSetStrategy, JobStrategy)) or not subject.workload.replicas:
        return False
    return subject.places_pods and subject.known_class and unit.fits_somewhere(subject)


def _draft(unit: Unit, subject: Subject, found: Sequence[Drained]) -> Draft:
    names = sorted({name for one in found for name in one.budgets})
    manifest, route = _budget(unit, subject, names)
    known = [one.node for one in found if one.known]
    where = f"draining {some(known, word='or')}" if known else "draining a node with its pods"
    most = max(one.pods - one.elsewhere for one in found)
    whole = max(one.pods for one in found)
    pods = "its pod finds" if whole == 1 else f"{most} of {counted(whole, 'pod')} find"
    resource = scarce(subject)
    allows = f"{'PodDisruptionBudget' if len(names) == 1 else 'PodDisruptionBudgets'} {listed(names)}"
    whom = "" if manifest is subject.manifest else f" of {workload_name(subject.workload)}"
    return Draft(
        "KLG112",
        manifest.place(route),
        f"{where}{whom} never ends: {pods} no room on another node, and {allows} allows no eviction",
        manifest,
        cause=subject.workload.key,
        certainty="certain" if unit.complete else "possible",
        related=(
            *(
                (Related(subject.manifest.place(routes.replicas(subject.manifest)), _replicas(subject)),)
                if manifest is not subject.manifest
                else _declared(unit, names)
            ),
            *clues(unit, subject, resource, [one.node for one in found]),
        ),
        proposals=_proposals(manifest, route) if manifest is not subject.manifest else (),
    )


def _replicas(subject: Subject) -> str:
    return f"{counted(subject.workload.replicas, 'replica')}, all under the budget"


def _budget(unit: Unit, subject: Subject, names: Sequence[str]) -> tuple[Manifest, Pointer]:
    """The budget's line if it is among the manifests, else the number of replicas."""
    for manifest in unit.manifests:
        same = (manifest.namespace or "default") == subject.workload.meta.namespace
        if manifest.kind == "PodDisruptionBudget" and manifest.name in names and same:
            found = [("spec", key) for key in _SHARES if manifest.present(("spec", key))]
            return manifest, found[0] if found else ("spec",)
    return subject.manifest, routes.replicas(subject.manifest)


def _declared(unit: Unit, names: Sequence[str]) -> Iterator[Related]:
    for name in names:
        declared = unit.world.declared("PodDisruptionBudget", name)
        if declared is not None:
            yield Related(unit.world.place(declared), f"{name} covers its pods and allows no disruption")


def _proposals(manifest: Manifest, route: Pointer) -> tuple[Proposal, ...]:
    if route[-1] not in _SHARES:
        return ()

    def edits() -> list[Edit]:
        value = replace_scalar(manifest.item, route, "1")
        if route[-1] == "maxUnavailable":
            return [value]
        return [Edit(manifest.path, manifest.item.locate(route, "key"), "maxUnavailable"), value]

    return (Proposal("set maxUnavailable: 1, which lets a drain take one pod at a time", "unsafe", edits),)
