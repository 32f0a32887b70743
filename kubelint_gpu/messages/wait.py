"""What a rollout that never ends waits for, which pods hold it, and how that happens, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.findings.finding import Step
from kubelint_gpu.kube.objects.storage import READ_WRITE_ONCE_POD
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.messages.why_fewer import refused
from kubelint_gpu.messages.wording import (
    about,
    amount,
    bare,
    counted,
    foremost,
    listed,
    named_ports,
    owner_name,
    said,
    some,
)
from kubelint_gpu.scheduler.attempt import GATED
from kubelint_gpu.scheduler.plugins import (
    inter_pod_affinity,
    node_volume_limits,
    pod_topology_spread,
    volume_restrictions,
)
from kubelint_gpu.simulation.search.trace import Blocker, Trace, Waiting
from kubelint_gpu.values import Value

_MOST, _FEW = 4, 2
OWN = "its other pods"


class Wait(Value):
    """A pod that waits for ever at the end of a rollout of `workload`.

    `claims` are the names of the claims that only one pod, or the pods of one node, can use. `named` says that the text
    must name the workload, because it is about several; `standing` that nothing rolls out, and `only` that it wants no
    other pod then.
    """

    workload: Workload
    waiting: Waiting
    claims: tuple[str, ...] = ()
    named: bool = False
    standing: bool = False
    only: bool = False

    @property
    def who(self) -> str:
        """A name for the waiting pod."""
        owner = self.waiting.owner
        if owner != self.workload.key:
            return f"a pod of {owner_name(owner)}"
        if self.standing:
            return "it" if self.only else "the next one"
        if self.waiting.pod and not self.waiting.new:
            return f"pod {self.waiting.pod}"
        if self.named:
            return f"the new pod of {owner_name(owner)}"
        return f"the new {_role(owner)}pod"

    @property
    def clause(self) -> str:
        """What the pod waits for and which pods hold it, as a clause of the finding's message."""
        if self.waiting.refusal:
            return f"{self._refused_one} is refused {refused(self.waiting.refusal)}"
        if self.waiting.unready:
            return f"{self.who} on {self.waiting.unready} is not ready"
        if self.waiting.scheduler == GATED:
            return f"{self.who} waits until its scheduling gates are lifted"
        if not self.waiting.lacks:
            _, _, reasons = self.lacking.partition(": ")
            if not reasons and any("resourceClaimName" in one for one in self.workload.spec.resource_claims):
                reasons = "its claim is reserved for as many pods as it can be"
            return f"{self.who} finds no node{f' ({reasons})' if reasons else ''}"
        groups = _groups(self.waiting.lacks)
        apart = self._kept_off(groups[0]) if len(groups) == 1 else ""
        if apart:
            return apart
        told = [self._sought(group) for group in groups[:2]]
        rest = sum(len(group) for group in groups[2:])
        if rest:
            told.append(f"for any of {counted(rest, 'further node')}")
        return f"{self.who} waits {'; or it waits '.join(told)}"

    def sentences(self) -> Iterator[str]:
        """Yield the first half of the circle, node by node: which pod waits for which."""
        if self.waiting.refusal:
            counts = "a claim" if self.waiting.lacks_claim else "a pod"
            told = f"{self._refused_one} is refused {refused(self.waiting.refusal)}"
            yield f"{told}; {counts} counts towards the quota until it is gone"
            return
        lacks = sorted(self.waiting.lacks, key=lambda lack: not _pods_in_the_way([lack], self.workload.key, new=False))
        yield from dict.fromkeys(f"{self.who} waits {self._sought((lack,), whole=True)}" for lack in lacks[:_MOST])
        if len(lacks) > _MOST:
            yield f"the same holds for {counted(len(lacks) - _MOST, 'further node')}"

    @property
    def _refused_one(self) -> str:
        """What a quota refuses: the pod, or one of its claims."""
        return f"a claim of {self.who}" if self.waiting.lacks_claim else self.who

    @property
    def lacking(self) -> str:
        """What is wrong with which nodes, in the scheduler's words, for one step of the trace."""
        reasons: dict[str, list[str]] = {}
        for first in self.waiting.lacks:
            # the scheduler asks a node up to its first no
            for lack in (one for one in (first, *first.also) if one.plugin == first.plugin):
                reasons.setdefault(lack.reason, []).append(lack.node)
        if not reasons:
            return self.waiting.scheduler.partition(". ")[0]
        return ", ".join(said(reason, some(nodes)) for reason, nodes in reasons.items())

    def _sought(self, lacks: Sequence[Blocker], *, whole: bool = False) -> str:
        """`for 1 nvidia.com/gpu on gpu-1, held by the old pod`; with `whole` also the allocatable amount."""
        first = lacks[0]
        nodes = some([lack.node for lack in lacks])
        columns = list(zip(*((lack, *lack.also) for lack in lacks), strict=True))
        places = [one for one in columns[1:] if one[0].held == "place"]
        holders = held_by(
            [lack for one in columns if one not in places for lack in one], self.workload.key, standing=self.standing
        )
        held = f", held by {holders}" if holders else ""
        parts = [
            f"{amount(one[0].resource, one[0].needed)}{_free(one, whole=whole)}" for one in columns if one[0].resource
        ]
        if first.held == "port":
            parts.insert(0, _ports(lacks))
        if parts:
            of_one_pod = any(one[0].plugin == volume_restrictions.NAME for one in columns)
            behind = f" and for {self._of_one_pod}" if of_one_pod else ""
            wanted = f"{listed(parts)} on {nodes}"
            if len(parts) == 1 and first.resource:
                wanted = f"{amount(first.resource, first.needed)} on {nodes}{_free(lacks, whole=whole)}"
            return f"for {wanted}{behind}{held}{self._further(places)}"
        return self._sought_beside_amounts(lacks, nodes, holders, places)

    def _sought_beside_amounts(
        self, lacks: Sequence[Blocker], nodes: str, holders: str, places: Sequence[Sequence[Blocker]]
    ) -> str:
        """`for device gpu-3 on gpu-1, held by the old pod`: what is no amount of a resource and no port."""
        first, held = lacks[0], f", held by {holders}" if holders else ""
        if first.held == "place":
            return f"for a place on {nodes}, {_kept_away(first, holders)}"
        if first.plugin == "VolumeAttach" and self.claims:
            return f"on {nodes} for {_claims(self.claims)}, attached to the node of {holders or self._old}"
        if first.plugin == volume_restrictions.NAME and self.claims:
            return f"for {self._of_one_pod}, used by {holders or self._old}{self._further(places)}"
        things = list(dict.fromkeys(name for lack in lacks for name in lack.things))
        if things:
            rest = len(things) - _FEW
            names = listed([*things[:_FEW], counted(rest, "other")] if rest > 1 else things)
            return f"for device {names} on {nodes}{held}" if rest < 0 else f"for devices on {nodes} ({names}){held}"
        if first.held == "device":
            have = "have" if " and " in holders or holders[:1].isdigit() else "has"
            return f"for {nodes} ({about(first.reason)}){f' while {holders} {have} the claim' if holders else ''}"
        wanted = f"a volume on {nodes}" if first.held == "volume" and not holders else nodes
        wanted = f"a place for its volumes on {nodes}" if first.plugin == node_volume_limits.NAME else wanted
        return f"for {wanted} ({about(first.reason)}){held}"

    def _kept_off(self, lacks: Sequence[Blocker]) -> str:
        """Which pods keep it away from some nodes, as a clause; empty if it lacks anything else."""
        holders = held_by(lacks, self.workload.key, standing=self.standing)
        if not holders or any(lack.also for lack in lacks):
            return ""
        return _kept_apart(lacks[0], holders, self.who, f" {some([lack.node for lack in lacks])}")

    def _further(self, places: Sequence[Sequence[Blocker]]) -> str:
        """The place that it would lack if nothing else were in the way."""
        told = [_kept_away(one[0], held_by(one, self.workload.key, standing=self.standing)) for one in places]
        return f", and for a place {listed(told)}" if told else ""

    @property
    def _of_one_pod(self) -> str:
        """The claims that one pod at a time can use."""
        return _claims([name for name in self.claims if READ_WRITE_ONCE_POD in name] or self.claims)

    @property
    def _old(self) -> str:
        return "the old pod" if self.workload.replicas == 1 else "the old pods"


def story(trace: Trace, wait: Wait, kept: str, then: str = "nothing moves any more") -> tuple[Step, ...]:
    """The steps of a trace; the last one is of the controller that keeps the old pods."""
    # of pods of one owner that wait for the same the first one tells what they lack
    short = {(one.owner, one.scheduler): Wait(wait.workload, one).lacking for one in reversed(trace.waiting)}
    found = [
        (
            one.actor,
            f"{one.message}: {short.get((one.about, one.scheduler), one.scheduler)}" if one.scheduler else one.message,
            one.about,
        )
        for one in trace.steps
    ]
    for waiting in trace.waiting:
        found += [
            (f"kubelet on {lack.node}", f"cannot start {_pods(waiting)}: {lack.reason}", f"Node/{lack.node}")
            for lack in waiting.lacks
            if lack.plugin == "VolumeAttach"
        ]
    found.append((f"{wait.workload.kind} controller", f"{kept}: {then}", wait.workload.key))
    return tuple(Step(number, actor, said, about=about) for number, (actor, said, about) in enumerate(found, 1))


def every(lacks: Sequence[Blocker]) -> list[Blocker]:
    """Everything that is lacking; several things on one node are separate entries."""
    return [one for lack in lacks for one in (lack, *lack.also)]


def held_by(lacks: Sequence[Blocker], mine: str, *, standing: bool = False) -> str:
    """The holders of something on some nodes; empty if there are none.

    Its own pods are called old ones, or just others if it is `standing`.
    """
    names: list[str] = []
    holders = [holder for lack in lacks for holder in lack.holders]
    old, role = _pods_in_the_way(lacks, mine, new=False), _role(mine)
    if old:
        names.append(OWN if standing else f"the old {role}pod" if old == 1 else f"{old} old {role}pods")
    names += sorted({_holder_name(holder.owner, mine) for holder in holders if holder.owner != mine})
    fresh = _pods_in_the_way(lacks, mine, new=True)
    if fresh:
        # ordinals that keep their template may have been there before
        kept = not old and mine.startswith("StatefulSet/")
        one, more = ("pod of its own", "pods of its own") if kept else ("new pod", "new pods")
        names.append(f"another {one}" if fresh == 1 else f"{fresh} other {more}")
    return foremost(names)


def _role(owner: str) -> str:
    """Return `worker ` for pods of one template of several, else an empty text."""
    role = owner.partition(" (")[2].rstrip(")")
    return f"{role} " if role else ""


def _holder_name(owner: str, mine: str) -> str:
    """The name of a holder: pods of the same object are named by their role."""
    same = owner.partition(" (")[0] == mine.partition(" (")[0]
    return f"its {_role(owner)}pods" if same else owner_name(owner)


def _pods_in_the_way(lacks: Sequence[Blocker], mine: str, *, new: bool) -> int:
    """Return how many old or new pods of a workload hold the lacking resources; each pod counts once."""
    found: dict[str, int] = {}
    for lack in lacks:
        here: dict[str, int] = {}
        for holder in lack.holders:
            if holder.owner == mine and holder.new == new:
                node = holder.node or lack.node
                here[node] = here.get(node, 0) + holder.count
        for node, count in here.items():
            found[node] = max(count, found.get(node, 0))
    return sum(found.values())


def _ports(lacks: Sequence[Blocker]) -> str:
    """The ports that others use on some nodes."""
    ports = sorted({int(port) for lack in lacks if lack.held == "port" for port in lack.things})
    return named_ports(ports) if ports else "a host port"


def _claims(names: Sequence[str]) -> str:
    return f"{'claim' if len(names) == 1 else 'claims'} {listed(names)}" if names else "a claim that one pod can use"


def _groups(lacks: Sequence[Blocker]) -> list[tuple[Blocker, ...]]:
    """Group nodes that lack the same thing, in the order of the first of each."""
    found: dict[tuple[object, ...], list[Blocker]] = {}
    for lack in lacks:
        also = tuple((one.plugin, one.resource, one.needed) for one in lack.also)
        found.setdefault((lack.plugin, lack.resource, lack.needed, lack.reason, also), []).append(lack)
    return [tuple(group) for group in found.values()]


def _free(lacks: Sequence[Blocker], *, whole: bool) -> str:
    """How much of the resource is left; empty if nothing is."""
    first = lacks[0]
    if whole:
        return f" ({bare(first.resource, first.free)} of {bare(first.resource, first.allocatable)} free)"
    free = {lack.free for lack in lacks}
    if free == {0}:
        return ""
    most = "" if len(free) == 1 else "at most "
    return f" ({most}{bare(first.resource, max(free))} free)"


def _kept_apart(lack: Blocker, holders: str, who: str, nodes: str = "") -> str:
    """Which pods keep a pod away from nodes, as a clause; empty if it lacks anything else."""
    on = nodes and f" on{nodes}"
    if lack.plugin == pod_topology_spread.NAME:
        return f"the topology spread constraint leaves {who} no room beside {holders}{on}"
    if lack.reason == inter_pod_affinity.EXISTING_REASON:
        return f"the anti-affinity of {holders} keeps {who} away{nodes and f' from{nodes}'}"
    if lack.reason == inter_pod_affinity.ANTI_AFFINITY_REASON:
        return f"its anti-affinity keeps {who} apart from {holders}{on}"
    return ""


def _kept_away(lack: Blocker, holders: str) -> str:
    apart = _kept_apart(lack, holders or "others", "it")
    if apart:
        return f"where {apart}"
    if lack.reason == inter_pod_affinity.AFFINITY_REASON:
        return "where no pod runs that its affinity asks for"
    return f"which {about(lack.reason)} because of {holders or 'others'}"


def _pods(waiting: Waiting) -> str:
    word = "new pod" if waiting.new else "pod"
    return f"the {word}" if waiting.count == 1 else counted(waiting.count, word)
