"""`explain` of a workload for people at a terminal: a block for each moment, with one for each class of nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.analysis.decided import decided_of
from kubelint_gpu.explain.explanation_phrases import (
    MOST_HOLDERS,
    any_of,
    claims_texts,
    devices_text,
    failing_text,
    free_text,
    holder_text,
    is_one_pod,
    moment_text,
    names_text,
    some_names,
    unmet_texts,
    victims_text,
)
from kubelint_gpu.explain.rollout_summary import outlook
from kubelint_gpu.explain.scheduling_moments import SchedulingMoment
from kubelint_gpu.kube.objects.meta import Owner
from kubelint_gpu.messages.display import cells
from kubelint_gpu.messages.events import OLD, SIBLING, told
from kubelint_gpu.messages.wording import amount, counted, listed, some, without_class, workload_name
from kubelint_gpu.report.content import Options
from kubelint_gpu.report.theme import NARROW, Style, Theme, theme_of
from kubelint_gpu.report.why import tables
from kubelint_gpu.scheduler.explain.explained_class import ExplainedClass
from kubelint_gpu.scheduler.explain.what_would_help import GATES
from kubelint_gpu.scheduler.plugins import node_name
from kubelint_gpu.scheduler.preemption import NO_VICTIMS, POLICY_NEVER, TERMINATING
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_MOST_CLASSES, _MOST_REMEDIES = 10, 4
_LABEL = 10
_UNDECLARED = (
    "not looked at: the inventory declares none; declare the ResourceSlices and DeviceClasses of the cluster, or "
    "`devices` of its nodes"
)
_ABOUT_NODES = ("", node_name.NAME, *GATES)


def render(
    unit: ApplySet, subject: WorkloadCheck, found: Sequence[SchedulingMoment], options: Options
) -> Iterator[str]:
    """Yield the lines."""
    page = _Page(theme_of(options), subject)
    yield from page.head(unit, found[0])
    shown: frozenset[tuple[str, ...]] = frozenset()
    for number, one in enumerate(found, 1):
        yield ""
        yield from page.situation(one, f"{number}. " if len(found) > 1 else "", shown)
        shown = shown.union(tuple(page.row(row)) for row in one.explanation.classes)
    yield from page.verdict(unit)


class _Page:
    """What all lines share: the theme, and the owner of the old pods."""

    def __init__(self, theme: Theme, subject: WorkloadCheck) -> None:
        self.theme = theme
        self.subject = subject
        workload = subject.workload
        self.mine = Owner(workload.kind, workload.meta.namespace, workload.meta.name)
        self.own = OLD
        self.undeclared = self.failing = False

    def head(self, unit: ApplySet, first: SchedulingMoment) -> Iterator[str]:
        """Yield the heading of an explanation."""
        theme, subject, explanation = self.theme, self.subject, first.explanation
        workload, spec = subject.workload, first.explanation.pod.spec
        place = subject.manifest.place(("metadata", "name"))
        yield theme.paint("bold", theme.show(workload_name(workload)))
        yield f"  {theme.paint('frame', '-->')} {theme.show(place.path)}:{place.line}"
        asked = [amount(name, number) for name, number in explanation.requests.items()]
        asked += claims_texts(spec)
        yield from self.note("asks for", listed(asked) or "nothing", indent=2)
        self.undeclared = bool(spec.resource_claims) and not unit.cluster.devices_known
        if self.undeclared:
            yield from self.note("devices", _UNDECLARED, indent=2)
        if not subject.known_class:
            yield from self.note("priority", without_class(spec.priority_class_name), indent=2)
        else:
            policy = ", never preempts" if spec.preemption_policy == "Never" else ""
            name = spec.priority_class_name or "no PriorityClass"
            yield from self.note("priority", f"{spec.priority or 0} ({name}){policy}", indent=2)
        if subject.refusal is not None:
            yield from self.note("admission", f"refuses the pods: {subject.refusal.text}", indent=2)
        if subject.controller.replaces_lost and not subject.controller.node_bound:
            yield from self.note("replicas", str(workload.replicas), indent=2)
        if subject.manifest.unknown:
            fields = some(subject.manifest.unknown_fields, "field")
            yield from self.note("unknown", f"{fields}: judged with the least that it may demand", indent=2)
        assumed = unit.assumed_claims(workload)
        if assumed:
            them = "it" if len(assumed) == 1 else "them"
            text = f"{listed(assumed)}, assumed to be bound on the pod's node: the inventory does not have {them}"
            yield from self.note("claims", text, indent=2)
        yield from self.note("cluster", _cluster(unit), indent=2)

    def situation(self, found: SchedulingMoment, number: str, shown: frozenset[tuple[str, ...]]) -> Iterator[str]:
        """Yield one moment: its name, the classes, and the scheduler's message."""
        theme, explanation = self.theme, found.explanation
        self.own = OLD if found.moment == "rollout" else SIBLING
        total = explanation.fit.total
        fitting = found.takers
        nodes = counted(total, "node")
        where = f"fits on {fitting or 'none'} of {nodes}{failing_text(found)}"
        if fitting and self.undeclared:
            where = f"may fit on {fitting} of {nodes}, if they have devices for its claims"
        if explanation.fit.unknown is not None:
            where = f"fits, as far as that is known, on none of {nodes}"
        if explanation.held or explanation.refusal:
            where = f"is {'not looked at' if explanation.held else 'refused by a quota'}, and otherwise {where}"
        text = (
            f"{moment_text(found, self.subject)}: {'the new pod' if found.moment == 'rollout' else 'the pod'} {where}"
        )
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
        self.failing = bool(found.failing)
        yield from self.rows(explanation.classes, shown)
        yield from self.ending(found)

    def rows(self, classes: Sequence[ExplainedClass], shown: frozenset[tuple[str, ...]]) -> Iterator[str]:
        """Yield the classes that were not shown in the same form before, up to a readable number."""
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
        takes = row.fits and not self.failing
        sign = ("✓" if takes else "✗") if theme.unicode else ("+" if takes else "x")
        names = names_text(row.nodes)
        if len(row.nodes) > 1:
            names += f" ({len(row.nodes)} nodes)"
        fits = "fits" if takes else "would fit without the error"
        if self.undeclared:
            fits = "has room for the pod, devices aside"
        reason = fits if row.status is None else ", ".join(row.status.reasons)
        lines = theme.wrap(theme.show(f"{names}: {reason}"), first=5, hang=7)
        style: Style = "good" if takes else "error"
        head, colon, rest = lines[0].partition(": ")
        yield f"   {theme.paint(style, sign)} {theme.paint('bold', head)}{colon}{rest}"
        yield from (" " * 7 + line for line in lines[1:])
        yield from self.facts(row)

    def facts(self, row: ExplainedClass) -> Iterator[str]:
        """Yield the lines below the name of a class."""
        about_nodes = row.status is not None and row.status.plugin in _ABOUT_NODES
        if not about_nodes:
            free = [free_text(row, name) for name in row.lacking or _offered(row) if name != "pods" or row.lacking]
            if row.devices is not None and not row.lacking:
                free.append(devices_text(*row.devices))
            if free:
                yield from self.note("free", ", ".join(free) + (" on each" if len(row.nodes) > 1 else ""))
        if row.takes and not self.failing:
            on = f" on {row.nodes[0]}" if len(row.nodes) > 1 else ""
            yield from self.note("takes", f"{some_names(row.takes)}{on}")
        if row.unmet:
            yield from self.note("needs", ", ".join(unmet_texts(row)))
        if row.taints:
            yield from self.note("taints", ", ".join(str(taint) for taint in row.taints) + ", not tolerated")
        if row.holders and not about_nodes:
            yield from self.note("held by", "; ".join(self.holders(row)))
        if row.eviction is not None:
            text = victims_text([f"{pod.key} (priority {pod.spec.priority or 0})" for pod in row.eviction.victims])
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
        for holder in row.holders[:MOST_HOLDERS]:
            yield holder_text(holder, self.mine, self.own, alone=len(row.nodes) == 1)
        more = len(row.holders) - MOST_HOLDERS
        if more > 0:
            yield counted(more, "other owner")

    def remedies(self, row: ExplainedClass) -> list[str]:
        """The remedies, one on each line."""
        several = len(row.nodes) > 1
        single = [remedy for remedy in row.remedies if is_one_pod(remedy)]
        texts = [any_of(single, self.mine, self.own, several=several)] if len(single) > 1 else []
        for remedy in row.remedies:
            if len(single) > 1 and remedy in single:
                continue
            on = f" (on {names_text(remedy.nodes)})" if several and remedy.nodes != row.nodes else ""
            texts.append(told(remedy.changes, self.mine, self.own) + on)
        if row.joining is not None:
            texts.insert(_MOST_REMEDIES - 1, told((row.joining,), self.mine, self.own))
        if len(texts) > _MOST_REMEDIES:
            texts[_MOST_REMEDIES:] = [f"{len(texts) - _MOST_REMEDIES} more"]
        return texts

    def ending(self, found: SchedulingMoment) -> Iterator[str]:
        """Yield the lines about the attempt as a whole."""
        explanation = found.explanation
        preemption = explanation.preemption
        if explanation.message is None and not found.growing:
            return
        yield ""
        if explanation.message is not None:
            yield from self.note("scheduler", explanation.message, 3)
        if preemption is not None and preemption.succeeds:
            text = f"{victims_text([pod.key for pod in preemption.victims])} on {preemption.nominated}"
            ties = len(preemption.alternatives)
            text += f", or as well on {counted(ties, 'other node')}" if ties else ""
            yield from self.note("evicts", text, 3)
        if found.growing:
            pools = "pool " if len(found.growing) == 1 else "pools "
            yield from self.note("autoscaler", f"a node of {pools}{listed(found.growing, 'or')} would take it", 3)

    def verdict(self, unit: ApplySet) -> Iterator[str]:
        """Yield the verdict on the rollout, if there is one, and the reasons."""
        text = outlook(unit, self.subject)
        if text is not None:
            yield ""
            yield from self.note("rollout", text, 3)
        for one in decided_of(unit, self.subject):
            yield ""
            yield from tables((one,), self.theme)

    def note(self, title: str, text: str, indent: int = 7) -> Iterator[str]:
        """Yield a fact after its name."""
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
        """Yield several facts under one name."""
        if not texts:
            return
        theme = self.theme
        yield " " * indent + theme.paint("good", title)
        for text in texts:
            lines = theme.wrap(theme.show(text), first=indent + 4, hang=indent + 4)
            yield f"{' ' * (indent + 2)}{theme.paint('frame', theme.bullet)} {lines[0]}"
            yield from (" " * (indent + 4) + line for line in lines[1:])

    def plain(self, text: str, indent: int) -> Iterator[str]:
        """Yield a sentence."""
        yield from (" " * indent + line for line in self.theme.wrap(self.theme.show(text), first=indent, hang=indent))


def _offered(row: ExplainedClass) -> list[str]:
    """Return the resources that the pod requests and the nodes have, without those that devices serve there."""
    return [name for name, has in row.allocatable.items() if has.most or row.devices is None or "/" not in name]


def _cluster(unit: ApplySet) -> str:
    inventory = unit.world.inventory
    nodes = counted(len(unit.cluster.nodes), "node") + ("" if unit.complete else ", and there may be others")
    version = inventory.kubernetes_version if inventory is not None else None
    files = listed([reading.source.path for reading in unit.world.readings if reading.source is not None])
    pods = sum(info.pod_count for info in unit.running.nodes)
    parts = [files, nodes, f"{counted(pods, 'running pod') if pods else 'nothing running'}"]
    return ", ".join([*parts, *([f"Kubernetes {version}"] if version else [])])
