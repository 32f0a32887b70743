"""Will it ever end: what the explorer says of rollouts."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.checks import routes
from kubelint_gpu.checks.company import crowding
from kubelint_gpu.checks.draft import Draft, Proposal
from kubelint_gpu.checks.finding import Related
from kubelint_gpu.checks.growing import at_most, growing, placed_of
from kubelint_gpu.checks.pins import wider_selector
from kubelint_gpu.checks.places import clues
from kubelint_gpu.checks.registry import rule
from kubelint_gpu.checks.remedies import no_surge, recreate, within_a_revision
from kubelint_gpu.checks.spreading import unspreadable
from kubelint_gpu.checks.stakes import holders, scarce
from kubelint_gpu.checks.standstill import ended, is_trapped, kept, shortage, spoken_for, standstill
from kubelint_gpu.checks.unit import Subject, Unit
from kubelint_gpu.checks.wording import amount, counted
from kubelint_gpu.kube.admission import extended_resources
from kubelint_gpu.kube.requests import pod_requests
from kubelint_gpu.kube.rolling import DaemonSetStrategy, DeploymentStrategy
from kubelint_gpu.rollout.deployment import slots_needed
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


def _stuck(unit: Unit, code: str) -> Iterator[Draft]:
    for subject, found in ended(unit, Verdict.STUCK):
        if not spoken_for(subject) and _code(found.waiting) == code:
            yield standstill(unit, subject, found, code, proposals=_proposals(unit, subject, code))


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
    for subject, one in ended(unit, Verdict.MAY_STICK):
        if not spoken_for(subject):
            yield standstill(unit, subject, one, "KLG107", proposals=_proposals(unit, subject, "KLG107"))
    for subject in unit.subjects:
        found = unit.judgements.get(id(subject))
        if found is not None and found.verdict is Verdict.UNDECIDED:
            yield Draft(
                "KLG107",
                subject.manifest.place(routes.strategy(subject.manifest), "key"),
                f"whether the rollout ends is undecided: {_unseen(found)}",
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
        if judgement.placed >= judgement.wanted or unit.may_outgrow(subject):
            continue
        if isinstance(subject.workload.strategy, DaemonSetStrategy):
            yield from _daemon_pods_pending(unit, subject, judgement)
            continue
        placed, pools = placed_of(unit, subject, judgement), at_most(unit, subject)
        if placed >= judgement.wanted:
            continue
        if "Job" in subject.workload.kind or not subject.places_pods or is_trapped(subject, judgement):
            # Jobs may queue, and of a trap another rule speaks
            continue
        if crowding(unit, subject) is not None or unspreadable(unit, subject) is not None:
            # the rules for anti-affinity and spreading speak of it
            continue
        manifest = subject.manifest
        beside = judgement.alone >= judgement.wanted
        text, why = shortage(unit, subject, judgement, placed) if not beside else (None, "")
        replicas = f"{placed} of {counted(judgement.wanted, 'replica')}"
        grown = f" even with {pools}" if pools else ""
        told = (
            f"as few as {replicas} can run, where the other workloads applied with it are placed first"
            if beside
            else f"only {replicas} can run{grown}: {why}"
        )
        yield Draft(
            "KLG109",
            manifest.place(routes.replicas(manifest)),
            f"{told}; this is missing capacity, not a rollout deadlock",
            manifest,
            cause="replicas",
            certainty="certain" if unit.complete else "possible",
            scheduler=text,
            related=(
                *clues(unit, subject, scarce(subject), sorted(judgement.eligible)),
                *holders(unit, subject, scarce(subject), judgement.eligible),
                *growing(unit, subject),
            ),
        )


def _daemon_pods_pending(unit: Unit, subject: Subject, judgement: Judgement) -> Iterator[Draft]:
    """A DaemonSet makes a pod for a node whatever it has left; without GPUs among its requests nothing is said."""
    resource = scarce(subject)
    if "/" not in resource:
        return
    manifest = subject.manifest
    asked = [manifest.place(route) for route in routes.requests(manifest, resource)]
    nodes = counted(judgement.wanted, "node")
    yield Draft(
        "KLG109",
        asked[0] if asked else manifest.place(("spec",), "key"),
        f"its pod finds room on only {judgement.placed} of the {nodes} for which one is made: "
        "on the others it stays Pending, and a rolling update that comes to one of them waits for ever",
        manifest,
        cause="daemon pods",
        certainty="certain" if unit.complete else "possible",
        severity="warning",
        help=("select only the nodes that have what the pod asks for",),
        related=clues(unit, subject, resource, sorted(judgement.eligible)),
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
            f"{_running(workload.replicas)}: {kept(strategy, workload.replicas)}",
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


def _proposals(unit: Unit, subject: Subject, code: str) -> tuple[Proposal, ...]:
    manifest, replicas = subject.manifest, subject.workload.replicas
    if not isinstance(subject.workload.strategy, DeploymentStrategy):
        return ()
    apart = (within_a_revision(manifest),) if code == "KLG103" else ()
    return (no_surge(manifest, replicas), recreate(manifest, replicas), *apart, *wider_selector(unit, subject))


def _unseen(found: Judgement) -> str:
    if found.unknown:
        return f"{found.unknown} are not looked at"
    return f"{found.states} states were looked at and there are more"


def _running(replicas: int) -> str:
    return "replica that runs" if replicas == 1 else f"{replicas} replicas that run"
