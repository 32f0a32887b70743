"""Will it ever end: what the explorer says of rollouts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kubelint_gpu.checks import routes
from kubelint_gpu.checks.draft import Draft, Proposal
from kubelint_gpu.checks.finding import Related, Step
from kubelint_gpu.checks.places import clues
from kubelint_gpu.checks.registry import rule
from kubelint_gpu.checks.remedies import no_surge, recreate
from kubelint_gpu.checks.unit import Subject, Unit
from kubelint_gpu.checks.wording import amount, counted, owner_name, some
from kubelint_gpu.kube.admission import extended_resources
from kubelint_gpu.kube.requests import pod_requests
from kubelint_gpu.kube.rolling import DeploymentStrategy
from kubelint_gpu.rollout.deployment import resolve, slots_needed
from kubelint_gpu.rollout.explorer import Verdict
from kubelint_gpu.rollout.judgement import Judgement
from kubelint_gpu.rollout.replay import Holder, Lack, Waiting

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
        draft = _draft(unit, subject, judgement, waiting, "KLG107")
        yield replace(draft, message=draft.message.replace("the rollout never ends", "the rollout may never end", 1))
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
        manifest = subject.manifest
        beside = judgement.alone >= judgement.wanted
        text, lacks = unit.shortage(subject, judgement.placed) if not beside else (None, "")
        why = "the other workloads applied with it take the rest" if beside else lacks
        yield Draft(
            "KLG109",
            manifest.place(routes.replicas(manifest)),
            f"only {judgement.placed} of {counted(judgement.wanted, 'replica')} can run: {why}; "
            "this is missing capacity, not a rollout deadlock",
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
    strategy = workload.strategy
    trace = judgement.trace
    assert trace is not None  # noqa: S101 - asked by the caller
    nodes = [lack.node for lack in waiting.lacks]
    resource = waiting.lacks[0].resource if waiting.lacks else ""
    place = manifest.place(routes.strategy(manifest), "key")
    kept = _kept(strategy, workload.replicas) if isinstance(strategy, DeploymentStrategy) else ""
    label = _label(strategy, workload.replicas) if isinstance(strategy, DeploymentStrategy) else ""
    return Draft(
        code,
        place,
        f"the rollout never ends: {_wants(waiting, workload.key)}, and the old "
        f"{'pod is' if workload.replicas == 1 else 'pods are'} kept until the new one is available",
        manifest,
        cause="rollout",
        certainty="certain" if unit.complete else "possible",
        scheduler=waiting.scheduler or waiting.refusal or None,
        related=(Related(place, label), *clues(unit, subject, resource, nodes)),
        trace=tuple(Step(number, step.actor, step.message) for number, step in enumerate(trace.steps, 1)),
        cycle=(*_waits(waiting, workload.key), kept),
        proposals=_proposals(subject),
    )


def _proposals(subject: Subject) -> tuple[Proposal, ...]:
    replicas = subject.workload.replicas
    return (no_surge(subject.manifest, replicas), recreate(subject.manifest, replicas))


def _wants(waiting: Waiting, mine: str) -> str:
    """What the new pod waits for, and who holds it."""
    new = "the new pod" if waiting.owner == mine else f"a pod of {owner_name(waiting.owner)}"
    if waiting.refusal:
        return f"{new} is not created, because the quota is used up by the old one"
    if not waiting.lacks:
        return f"{new} finds no node"
    first = waiting.lacks[0]
    nodes = some([lack.node for lack in waiting.lacks])
    held = _held_by(waiting.lacks, mine)
    if first.resource:
        each = amount(first.resource, first.needed)
        left = f" ({amount(first.resource, first.free)} free)" if first.free else ""
        return f"{new} waits for {each} on {nodes}{left}, held by {held}"
    what = {
        "NodePorts": "a host port",
        "InterPodAffinity": "a place that anti-affinity leaves",
        "PodTopologySpread": "a place that the topology spread constraint leaves",
    }.get(first.plugin, "a volume")
    return f"{new} waits for {what} on {nodes}, held by {held}"


def _held_by(lacks: tuple[Lack, ...], mine: str) -> str:
    names: list[str] = []
    old = sum(holder.count for lack in lacks for holder in lack.holders if _is_old(holder, mine))
    if old:
        names.append("the old pod" if old == 1 else f"{old} old pods")
    others = {owner_name(h.owner) for lack in lacks for h in lack.holders if h.owner != mine}
    names += sorted(others)
    if any(h.owner == mine and h.new for lack in lacks for h in lack.holders):
        names.append("other new pods")
    return some(names, "other") if names else "nobody that would ever leave"


def _is_old(holder: Holder, mine: str) -> bool:
    return holder.owner == mine and not holder.new


def _waits(waiting: Waiting, mine: str) -> Iterator[str]:
    new = "the new pod" if waiting.owner == mine else f"a pod of {owner_name(waiting.owner)}"
    if waiting.refusal:
        yield f"{new} waits for quota, which the old pod uses"
    for lack in waiting.lacks[:4]:
        held = _held_by((lack,), mine)
        if lack.resource:
            needed, whole = amount(lack.resource, lack.needed), amount(lack.resource, lack.allocatable)
            yield f"{new} waits for {needed} on {lack.node}, which has {whole}, held by {held}"
        else:
            yield f"{new} waits for {lack.node} ({lack.reason}), held by {held}"


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
