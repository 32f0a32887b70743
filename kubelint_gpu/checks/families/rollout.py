"""Will it ever end: what the explorer says of rollouts."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.checks import routes
from kubelint_gpu.checks.company import crowding
from kubelint_gpu.checks.draft import Draft, Proposal
from kubelint_gpu.checks.finding import Related
from kubelint_gpu.checks.places import clues
from kubelint_gpu.checks.registry import rule
from kubelint_gpu.checks.remedies import no_surge, recreate, within_a_revision
from kubelint_gpu.checks.spreading import unspreadable
from kubelint_gpu.checks.stakes import exclusive_claims, stakes
from kubelint_gpu.checks.unit import Subject, Unit
from kubelint_gpu.checks.wait import Wait, story
from kubelint_gpu.checks.wording import amount, counted
from kubelint_gpu.kube.admission import extended_resources
from kubelint_gpu.kube.requests import pod_requests
from kubelint_gpu.kube.rolling import DeploymentStrategy
from kubelint_gpu.kube.workload import Workload
from kubelint_gpu.rollout.deployment import resolve, slots_needed
from kubelint_gpu.rollout.explorer import Verdict
from kubelint_gpu.rollout.judgement import Judgement
from kubelint_gpu.rollout.trace import Waiting
from kubelint_gpu.values import replace

_PORTS = ("NodePorts",)
_PLACES = ("InterPodAffinity", "PodTopologySpread")
_VOLUMES = ("VolumeRestrictions", "VolumeBinding", "VolumeZone", "NodeVolumeLimits", "VolumeAttach")


def _code(waiting: Waiting) -> str:
    """Which rule a rollout that never ends belongs to: what the old pods hold."""
    if waiting.refusal:
        return "KLG105"
    plugin = waiting.lacks[0].plugin if waiting.lacks else ""
    if plugin in _PORTS:
        return "KLG102"
    if plugin in _PLACES:
        return "KLG103"
    return "KLG104" if plugin in _VOLUMES else "KLG101"


def _judged(unit: Unit, verdict: Verdict) -> Iterator[tuple[Subject, Judgement, Waiting]]:
    """The rollouts with a verdict, each with the pod that waits at the end of the shortest run."""
    for subject in unit.subjects:
        judgement = unit.judgements.get(id(subject))
        if judgement is None or judgement.verdict is not verdict or unit.may_grow_for(subject):
            continue
        trace = judgement.trace
        if trace is not None and trace.waiting:
            mine = [one for one in trace.waiting if one.owner == subject.workload.key]
            yield subject, judgement, (mine or list(trace.waiting))[0]


def _stuck(unit: Unit, code: str) -> Iterator[Draft]:
    for subject, judgement, waiting in _judged(unit, Verdict.STUCK):
        if _code(waiting) == code:
            yield _draft(unit, subject, judgement, waiting, code)


@rule("KLG101")
def rollout_deadlock(unit: Unit) -> Iterator[Draft]:
    """The new pod waits for what the old pods hold, and they are kept until it is available."""
    return _stuck(unit, "KLG101")


@rule("KLG102")
def rollout_deadlock_port(unit: Unit) -> Iterator[Draft]:
    """The same over a host port."""
    return _stuck(unit, "KLG102")


@rule("KLG103")
def rollout_deadlock_affinity(unit: Unit) -> Iterator[Draft]:
    """The same over a place under anti-affinity or spreading."""
    return _stuck(unit, "KLG103")


@rule("KLG104")
def rollout_deadlock_volume(unit: Unit) -> Iterator[Draft]:
    """The same over a volume."""
    return _stuck(unit, "KLG104")


@rule("KLG105")
def rollout_deadlock_quota(unit: Unit) -> Iterator[Draft]:
    """The same over a quota: the new pod is not even created."""
    return _stuck(unit, "KLG105")


@rule("KLG107")
def rollout_may_stick(unit: Unit) -> Iterator[Draft]:
    """Some order of events, or some placement, gets stuck."""
    for subject, judgement, waiting in _judged(unit, Verdict.MAY_STICK):
        yield _draft(unit, subject, judgement, waiting, "KLG107")
    for subject in unit.subjects:
        found = unit.judgements.get(id(subject))
        if found is not None and found.verdict is Verdict.UNDECIDED:
            yield Draft(
                "KLG107",
                subject.manifest.place(routes.strategy(subject.manifest), "key"),
                f"whether the rollout ends is undecided: {found.states} states were looked at and there are more",
                subject.manifest,
                cause="undecided",
                severity="note",
                certainty="possible",
                undecided=True,
            )


@rule("KLG109")
def scale_up_pending(unit: Unit) -> Iterator[Draft]:
    """Not all replicas can run at once, whatever is rolled out."""
    for subject in unit.subjects:
        judgement = unit.judgements.get(id(subject))
        if judgement is None or not judgement.eligible or judgement.verdict is not None:
            continue
        if judgement.placed >= judgement.wanted or unit.may_grow_for(subject):
            continue
        if "Job" in subject.workload.kind:
            continue
        if crowding(unit, subject) is not None or unspreadable(unit, subject) is not None:
            # the rules for anti-affinity and spreading speak of it
            continue
        manifest = subject.manifest
        beside = judgement.alone >= judgement.wanted
        text, lacks = unit.shortage(subject, judgement.placed) if not beside else (None, "")
        replicas = f"{judgement.placed} of {counted(judgement.wanted, 'replica')}"
        told = (
            f"as few as {replicas} can run, where the other workloads applied with it are placed first"
            if beside
            else f"only {replicas} can run: {lacks}"
        )
        yield Draft(
            "KLG109",
            manifest.place(routes.replicas(manifest)),
            f"{told}; this is missing capacity, not a rollout deadlock",
            manifest,
            cause="replicas",
            certainty="certain" if unit.complete else "possible",
            scheduler=text,
            related=clues(unit, subject, _scarce(subject), sorted(judgement.eligible)),
        )


@rule("KLG114")
def rollout_needs_room(unit: Unit) -> Iterator[Draft]:
    """Without an inventory: how many places a rollout needs, and of what kind."""
    if unit.world.inventory is not None:
        return
    for subject in unit.subjects:
        workload, strategy, manifest = subject.workload, subject.workload.strategy, subject.manifest
        if not isinstance(strategy, DeploymentStrategy) or not workload.replicas or strategy.paused:
            continue
        resources = extended_resources(workload.spec)
        needed = slots_needed(strategy, workload.replicas)
        if not resources or needed <= workload.replicas or not subject.places_pods:
            continue
        requests = pod_requests(workload.spec)
        each = " and ".join(amount(name, requests[name]) for name in resources)
        where = [
            routes.key_values(manifest, route) for route in routes.selectors(manifest) if route[-2] == "nodeSelector"
        ]
        nodes = f" on nodes with {', '.join(where)}" if where else ""
        yield Draft(
            "KLG114",
            manifest.place(routes.strategy(manifest), "key"),
            f"a rollout needs {counted(needed, 'place')} with {each}{nodes}, one more than the "
            f"{counted(workload.replicas, 'replica')} that run: {_kept(strategy, workload.replicas)}",
            manifest,
            cause="room",
            related=tuple(
                Related(manifest.place(route), f"each pod takes {amount(name, requests[name])}")
                for name in resources
                for route in routes.requests(manifest, name)
            ),
            help=("give --inventory to learn whether the cluster has that place",),
            proposals=(replace(no_surge(manifest, workload.replicas), must_prove=False, safety="unsafe"),),
        )


def _draft(unit: Unit, subject: Subject, judgement: Judgement, waiting: Waiting, code: str) -> Draft:
    manifest, workload = subject.manifest, subject.workload
    trace, may = judgement.trace, code == "KLG107"
    assert trace is not None  # noqa: S101 - asked by the caller
    place = manifest.place(routes.strategy(manifest), "key")
    wait = Wait(workload, waiting, tuple(_exclusive(unit, subject)))
    kept, keeps, label = _keeping(workload)
    why = (_kept(workload.strategy, workload.replicas),) if isinstance(workload.strategy, DeploymentStrategy) else ()
    certain = unit.complete and not may
    beyond = "" if unit.complete else "unless there are nodes beyond the inventory, "
    return Draft(
        code,
        place,
        f"{beyond}the rollout {'may never end' if may else 'never ends'}: {wait.clause}, and {kept}",
        manifest,
        cause="rollout",
        certainty="certain" if certain else "possible",
        severity="warning" if may and unit.complete else None,
        scheduler=waiting.scheduler or None,
        related=(*((Related(place, label),) if label else ()), *stakes(unit, subject, waiting)),
        trace=story(trace, wait, keeps),
        cycle=(*wait.sentences(), *why),
        proposals=_proposals(subject, code),
    )


def _exclusive(unit: Unit, subject: Subject) -> list[str]:
    return [f"{name} ({mode})" for name, mode in exclusive_claims(unit, subject).items()]


def _keeping(workload: Workload) -> tuple[str, str, str]:
    """That the old pods stay, as a clause and as what the controller does, and the numbers behind it."""
    strategy, replicas = workload.strategy, workload.replicas
    if not isinstance(strategy, DeploymentStrategy):
        return f"the {workload.kind} controller goes on only when it is available", "waits for that pod", ""
    found = resolve(strategy, replicas)
    pods = counted(replicas, "pod")
    if found.unavailable:
        clause = f"no more than {found.unavailable} of {pods} may be unavailable"
        return clause, f"keeps {found.unavailable} of {pods} away and no more", _label(strategy, replicas)
    old, are = ("the old pod", "is") if replicas == 1 else ("the old pods", "are")
    until = "until the new one is available"
    return f"{old} {are} kept {until}", f"keeps {old} {until}", _label(strategy, replicas)


def _proposals(subject: Subject, code: str) -> tuple[Proposal, ...]:
    manifest, replicas = subject.manifest, subject.workload.replicas
    if not isinstance(subject.workload.strategy, DeploymentStrategy):
        return ()
    apart = (within_a_revision(manifest),) if code == "KLG103" else ()
    return (no_surge(manifest, replicas), recreate(manifest, replicas), *apart)


def _kept(strategy: DeploymentStrategy, replicas: int) -> str:
    """Why the old pods stay."""
    found = resolve(strategy, replicas)
    if found.unavailable == 0:
        return f"{_number(strategy, replicas)}: no old pod may go before a new one is available"
    return f"no more than {found.unavailable} of {replicas} may be unavailable ({_number(strategy, replicas)})"


def _number(strategy: DeploymentStrategy, replicas: int) -> str:
    found = resolve(strategy, replicas)
    written = strategy.max_unavailable
    rounding = f" ({written} of {counted(replicas, 'replica')}, rounded down)" if written.percent else ""
    return f"maxUnavailable is {found.unavailable}{rounding}"


def _label(strategy: DeploymentStrategy, replicas: int) -> str:
    found = resolve(strategy, replicas)
    default = "by default " if strategy == DeploymentStrategy(paused=strategy.paused) else ""
    return f"{counted(replicas, 'replica')}: {default}maxSurge is {found.surge} and maxUnavailable {found.unavailable}"


def _scarce(subject: Subject) -> str:
    """The resource to point at where replicas do not all fit: an extended one if there is any."""
    resources = extended_resources(subject.workload.spec)
    return resources[0] if resources else "cpu"
