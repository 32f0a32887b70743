"""`explain` of a workload for people at a terminal: a block for each moment, in it one for each class of nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.explain.rollout_summary import outlook
from kubelint_gpu.explain.scheduling_moments import SchedulingMoment, assumed_claims
from kubelint_gpu.inventory.view.node_names import abbreviated
from kubelint_gpu.kube.objects.pod import PodSpec
from kubelint_gpu.messages.display import cells
from kubelint_gpu.messages.events import OLD, SIBLING, Own, owner_text, requirement_text, told
from kubelint_gpu.messages.wording import amount, bare, counted, listed, workload_name
from kubelint_gpu.report.content import Options
from kubelint_gpu.report.theme import NARROW, Style, Theme, theme_of
from kubelint_gpu.scheduler.explain.cluster_changes import PodsEnd
from kubelint_gpu.scheduler.explain.explained_class import ExplainedClass
from kubelint_gpu.scheduler.explain.extents import Extent
from kubelint_gpu.scheduler.explain.holders import Holder, Owner
from kubelint_gpu.scheduler.explain.placement_labels import HOSTNAME
from kubelint_gpu.scheduler.explain.what_would_help import GATES, Remedy
from kubelint_gpu.scheduler.plugins import node_name
from kubelint_gpu.scheduler.preemption import NO_VICTIMS, POLICY_NEVER, TERMINATING
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_MOST_CLASSES, _MOST_HOLDERS, _MOST_REMEDIES, _MOST_NAMES = 10, 3, 4, 4
_LABEL = 10
_ABOUT_NODES = ("", node_name.NAME, *GATES)


def render(
    unit: ApplySet, subject: WorkloadCheck, found: Sequence[SchedulingMoment], options: Options
) -> Iterator[str]:
    """The lines."""
    page = _Page(theme_of(options), subject)
    yield from page.head(unit, found[0])
    shown: frozenset[tuple[str, ...]] = frozenset()
    for number, one in enumerate(found, 1):
        yield ""
        yield from page.situation(one, f"{number}. " if len(found) > 1 else "", shown)
        shown = shown.union(tuple(page.row(row)) for row in one.explanation.classes)
    yield from page.verdict(unit)


class _Page:
    """What is the same for all lines: the theme, and whose pods are the old ones."""

    def __init__(self, theme: Theme, subject: WorkloadCheck) -> None:
        self.theme = theme
        self.subject = subject
        workload = subject.workload
        self.mine = Owner(workload.kind, workload.meta.namespace, workload.meta.name)
        self.own = OLD

    def head(self, unit: ApplySet, first: SchedulingMoment) -> Iterator[str]:
        """What is explained."""
        theme, subject, explanation = self.theme, self.subject, first.explanation
        workload, spec = subject.workload, first.explanation.pod.spec
        place = subject.manifest.place(("metadata", "name"))
        yield theme.paint("bold", theme.show(workload_name(workload)))
        yield f"  {theme.paint('frame', '-->')} {theme.show(place.path)}:{place.line}"
        asked = [amount(name, number) for name, number in explanation.requests.items()]
        asked += _claims(spec)
        yield from self.note("asks for", listed(asked) or "nothing", indent=2)
        if not subject.known_class:
            text = f"there is no PriorityClass {spec.priority_class_name}: admission refuses the pod"
            yield from self.note("priority", text, indent=2)
        else:
            policy = ", never preempts" if spec.preemption_policy == "Never" else ""
            name = spec.priority_class_name or "no PriorityClass"
            yield from self.note("priority", f"{spec.priority or 0} ({name}){policy}", indent=2)
        if subject.controller.replaces_lost and not subject.controller.node_bound:
            yield from self.note("replicas", str(workload.replicas), indent=2)
        assumed = assumed_claims(unit, workload)
        if assumed:
            them = "it" if len(assumed) == 1 else "them"
            text = f"{listed(assumed)}, taken to be bound where the pod goes: the inventory does not have {them}"
            yield from self.note("claims", text, indent=2)
        yield from self.note("cluster", _cluster(unit), indent=2)

    def situation(self, found: SchedulingMoment, number: str, shown: frozenset[tuple[str, ...]]) -> Iterator[str]:
        """One moment: which it is, the classes, the scheduler's sentence."""
        theme, explanation = self.theme, found.explanation
        self.own = OLD if found.moment == "rollout" else SIBLING
        total = explanation.fit.total
        fitting = sum(len(row.nodes) for row in explanation.classes if row.fits)
        where = (
            f"fits on {fitting} of {counted(total, 'node')}" if fitting else f"fits on none of {counted(total, 'node')}"
        )
        if explanation.held or explanation.refusal:
            where = f"is {'not looked at' if explanation.held else 'refused by a quota'}, and otherwise {where}"
        text = f"{_moment(found, self.subject)}: {'the new pod' if found.moment == 'rollout' else 'the pod'} {where}"
        lines = theme.wrap(theme.show(text), first=len(number), hang=len(number))
        yield number + theme.paint("bold", lines[0])
        yield from (" " * len(number) + theme.paint("bold", line) for line in lines[1:])
        yield ""
        if self.subject.workload.spec.node_name:
            yield from self.note("note", "spec.nodeName names its node: no scheduler is asked, the kubelet decides", 3)
        if explanation.held:
            yield from self.note("held", explanation.held, 3)
        if explanation.refusal:
            yield from self.note("refused", explanation.refusal, 3)
            yield from self.items("allowed if", [told(explanation.quotas)] if explanation.quotas else [], 3)
        yield from self.rows(explanation.classes, shown)
        yield from self.ending(found)

    def rows(self, classes: Sequence[ExplainedClass], shown: frozenset[tuple[str, ...]]) -> Iterator[str]:
        """The classes that were not shown alike before, as many as can be read."""
        rows = [(row, tuple(self.row(row))) for row in classes]
        fresh = [(row, lines) for row, lines in rows if lines not in shown]
        for _, lines in fresh[:_MOST_CLASSES]:
            yield from lines
        hidden = [row for row, _ in fresh[_MOST_CLASSES:]]
        if hidden:
            nodes = counted(sum(len(row.nodes) for row in hidden), "node")
            classes_text = "1 more class" if len(hidden) == 1 else f"{len(hidden)} more classes"
            yield from self.plain(f"and {classes_text} of {nodes}; --output-format json has all", 3)
        same = sum(len(row.nodes) for row, lines in rows if lines in shown)
        if same:
            yield from self.plain(f"the other {counted(same, 'node')} as above" if fresh else "all as above", 3)

    def row(self, row: ExplainedClass) -> Iterator[str]:
        """One class of nodes."""
        theme = self.theme
        sign = ("✓" if row.fits else "✗") if theme.unicode else ("+" if row.fits else "x")
        names = _names(row.nodes)
        if len(row.nodes) > 1:
            names += f" ({len(row.nodes)} nodes)"
        reason = "fits" if row.status is None else ", ".join(row.status.reasons)
        lines = theme.wrap(theme.show(f"{names}: {reason}"), first=5, hang=7)
        style: Style = "good" if row.fits else "error"
        head, colon, rest = lines[0].partition(": ")
        yield f"   {theme.paint(style, sign)} {theme.paint('bold', head)}{colon}{rest}"
        yield from (" " * 7 + line for line in lines[1:])
        yield from self.facts(row)

    def facts(self, row: ExplainedClass) -> Iterator[str]:
        """What stands below the name of a class."""
        about_nodes = row.status is not None and row.status.plugin in _ABOUT_NODES
        if not about_nodes:
            free = [_free(row, name) for name in row.lacking or row.allocatable if name != "pods" or row.lacking]
            if row.devices is not None and not row.lacking:
                free.append(_devices(*row.devices))
            if free:
                yield from self.note("free", ", ".join(free) + (" on each" if len(row.nodes) > 1 else ""))
        if row.takes:
            on = f" on {row.nodes[0]}" if len(row.nodes) > 1 else ""
            yield from self.note("takes", f"{_some(row.takes)}{on}")
        if row.unmet:
            yield from self.note("needs", ", ".join(_unmet(row)))
        if row.taints:
            yield from self.note("taints", ", ".join(str(taint) for taint in row.taints) + ", not tolerated")
        if row.holders and not about_nodes:
            yield from self.note("held by", "; ".join(self.holders(row)))
        if row.eviction is not None:
            text = _victims([f"{pod.key} (priority {pod.spec.priority or 0})" for pod in row.eviction.victims])
            text += f" on {row.eviction.node}" if len(row.nodes) > 1 else ""
            if row.eviction.violations:
                text += f"; breaks the PodDisruptionBudget of {row.eviction.violations}"
            yield from self.note("can evict", text)
        elif row.holders and row.status is not None and row.spared == NO_VICTIMS:
            yield from self.note("can evict", "nobody: no pod here has a lower priority")
        elif row.holders and row.status is not None and row.spared in (POLICY_NEVER, TERMINATING):
            yield from self.note("can evict", f"nobody: {row.spared.rstrip('.')}")
        yield from self.items("would fit if", self.remedies(row))

    def holders(self, row: ExplainedClass) -> Iterator[str]:
        """The owners that hold most."""
        for holder in row.holders[:_MOST_HOLDERS]:
            yield _holder(holder, self.mine, self.own, alone=len(row.nodes) == 1)
        more = len(row.holders) - _MOST_HOLDERS
        if more > 0:
            yield counted(more, "other owner")

    def remedies(self, row: ExplainedClass) -> list[str]:
        """What would help, each in a line."""
        several = len(row.nodes) > 1
        single = [remedy for remedy in row.remedies if _is_one_pod(remedy)]
        texts = [_any_of(single, self.mine, self.own, several=several)] if len(single) > 1 else []
        for remedy in row.remedies:
            if len(single) > 1 and remedy in single:
                continue
            on = f" (on {_names(remedy.nodes)})" if several and remedy.nodes != row.nodes else ""
            texts.append(told(remedy.changes, self.mine, self.own) + on)
        if row.joining is not None:
            texts.insert(_MOST_REMEDIES - 1, told((row.joining,), self.mine, self.own))
        if len(texts) > _MOST_REMEDIES:
            texts[_MOST_REMEDIES:] = [f"{len(texts) - _MOST_REMEDIES} more"]
        return texts

    def ending(self, found: SchedulingMoment) -> Iterator[str]:
        """What is said of the attempt as a whole."""
        explanation = found.explanation
        preemption = explanation.preemption
        if explanation.message is None and not found.growing:
            return
        yield ""
        if explanation.message is not None:
            yield from self.note("scheduler", explanation.message, 3)
        if preemption is not None and preemption.succeeds:
            text = f"{_victims([pod.key for pod in preemption.victims])} on {preemption.nominated}"
            ties = len(preemption.alternatives)
            text += f", or as well on {counted(ties, 'other node')}" if ties else ""
            yield from self.note("evicts", text, 3)
        if found.growing:
            pools = "pool " if len(found.growing) == 1 else "pools "
            yield from self.note("autoscaler", f"a node of {pools}{listed(found.growing, 'or')} would take it", 3)

    def verdict(self, unit: ApplySet) -> Iterator[str]:
        """What becomes of the rollout, where there is one."""
        text = outlook(unit, self.subject)
        if text is not None:
            yield ""
            yield from self.note("rollout", text, 3)

    def note(self, title: str, text: str, indent: int = 7) -> Iterator[str]:
        """A fact with its name before it."""
        theme = self.theme
        lead = " " * indent
        hang = indent + max(_LABEL, len(title)) + 2
        if theme.width < NARROW:
            hang = indent + 2
        first = max(hang, indent + len(title) + 2)
        lines = theme.wrap(theme.show(text), first=first, hang=hang)
        yield f"{lead}{theme.paint('frame', title)}{' ' * (first - indent - cells(title))}{lines[0]}"
        yield from (" " * hang + line for line in lines[1:])

    def items(self, title: str, texts: Sequence[str], indent: int = 7) -> Iterator[str]:
        """Several facts of one name."""
        if not texts:
            return
        theme = self.theme
        yield " " * indent + theme.paint("good", title)
        for text in texts:
            lines = theme.wrap(theme.show(text), first=indent + 4, hang=indent + 4)
            yield f"{' ' * (indent + 2)}{theme.paint('frame', theme.bullet)} {lines[0]}"
            yield from (" " * (indent + 4) + line for line in lines[1:])

    def plain(self, text: str, indent: int) -> Iterator[str]:
        """A sentence."""
        yield from (" " * indent + line for line in self.theme.wrap(self.theme.show(text), first=indent, hang=indent))


def _cluster(unit: ApplySet) -> str:
    inventory = unit.world.inventory
    nodes = counted(len(unit.cluster.nodes), "node") + ("" if unit.complete else ", and there may be others")
    version = inventory.kubernetes_version if inventory is not None else None
    files = listed([reading.source.path for reading in unit.world.readings if reading.source is not None])
    pods = sum(len(info.pods) for info in unit.running.nodes)
    parts = [files, nodes, f"{counted(pods, 'running pod') if pods else 'nothing running'}"]
    return ", ".join([*parts, *([f"Kubernetes {version}"] if version else [])])


def _moment(found: SchedulingMoment, subject: WorkloadCheck) -> str:
    beside = [name for name, _ in found.beside]
    own = sum(number for _, number in found.beside)
    names = _names(beside)
    if found.moment == "rollout":
        if not own:
            return "In a rollout, after all old pods are gone"
        placed = "" if found.known or own == 1 else " (the first nodes that take them)"
        return f"In a rollout, beside {'the old pod' if own == 1 else f'{own} old pods'} on {names}{placed}"
    if found.moment == "next-replica":
        return f"As replica {own + 1} of {subject.workload.replicas}, beside {counted(own, 'other')} on {names}"
    return "When it is first created, beside what the inventory says is running"


def _names(nodes: Sequence[str]) -> str:
    found = abbreviated(nodes)
    if len(found) <= _MOST_NAMES:
        return ", ".join(found)
    return f"{', '.join(found[: _MOST_NAMES - 1])} and {len(found) - _MOST_NAMES + 1} more"


def _victims(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMES
    return f"{', '.join(names[:_MOST_NAMES])} and {more} more" if more > 0 else listed(names)


def _free(row: ExplainedClass, resource: str) -> str:
    free, total = row.free[resource], row.allocatable[resource]
    low = bare(resource, free.least)
    text = low if free.least == free.most else f"{low} to {bare(resource, free.most)}"
    return f"{text} of {amount(resource, total.most)}"


def _some(names: Sequence[str]) -> str:
    more = len(names) - _MOST_HOLDERS
    return ", ".join(names[:_MOST_HOLDERS]) + (f" and {counted(more, 'other')}" if more > 0 else "")


def _devices(free: Extent, there: Extent) -> str:
    low = str(free.least) if free.least == free.most else f"{free.least} to {free.most}"
    return f"{low} of {counted(there.most, 'device')}"


def _claims(spec: PodSpec) -> Iterator[str]:
    """Each claim of a pod, with the claim or the template that it names."""
    for entry in spec.resource_claims:
        name, template = entry.get("resourceClaimName"), entry.get("resourceClaimTemplateName")
        yield f"devices of claim {name}" if name is not None else f"devices by template {template}"


def _unmet(row: ExplainedClass) -> Iterator[str]:
    for one in row.unmet:
        actual = one.actual if one.requirement.key != HOSTNAME else ()
        yield requirement_text(one.requirement) + (f" (here {' or '.join(actual)})" if actual else "")


def _holder(holder: Holder, mine: Owner, own: Own, *, alone: bool) -> str:
    number = len(holder.pods)
    if holder.owner == mine:
        text = own.the if number == 1 else own.several(number)
    elif holder.owner.kind == "Pod":
        text = f"pod {holder.owner.namespace}/{holder.owner.name}"
    else:
        text = owner_text(holder.owner) + (f" ({number} pods)" if number > 1 else "")
    if not alone:
        text += f" on {_names(holder.nodes)}"
    amounts = [amount(name, held) for name, held in holder.amounts.items() if name != "pods"]
    facts = [*amounts, f"priority {holder.priority}" + (", lower" if holder.lower else "")]
    if holder.terminating:
        facts.append("being deleted")
    return f"{text}: {', '.join(facts)}"


def _is_one_pod(remedy: Remedy) -> bool:
    change = remedy.changes[0]
    return len(remedy.changes) == 1 and isinstance(change, PodsEnd) and len(change.pods) == 1 and not change.terminating


def _any_of(remedies: Sequence[Remedy], mine: Owner, own: Own, *, several: bool) -> str:
    """`a pod of Job a, Job b or 6 others ends`."""
    owners = []
    for remedy in remedies:
        change = remedy.changes[0]
        if isinstance(change, PodsEnd):
            owner = change.owners[0][0]
            text = f"pod {owner.namespace}/{owner.name}" if owner.kind == "Pod" else owner_text(owner, mine, own)
            owners.append(text + (f" (on {_names(remedy.nodes)})" if several else ""))
    more = len(owners) - _MOST_HOLDERS
    shown = owners[:_MOST_HOLDERS] + ([counted(more, "other owner")] if more > 0 else [])
    return f"a pod of any of these ends: {listed(shown, 'or')}"
