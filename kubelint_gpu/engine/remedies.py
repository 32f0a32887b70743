"""Fixes that rules propose; each is tried before it is offered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from kubelint_gpu.documents import Pointer, editing
from kubelint_gpu.engine.diagnostic import FixCandidate
from kubelint_gpu.findings.finding import Safety
from kubelint_gpu.kube.objects.meta import Meta
from kubelint_gpu.messages.kept_pods import surges_on_nodes
from kubelint_gpu.messages.wording import listed, workload_name
from kubelint_gpu.values import replace
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.manifest import Manifest
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_ROLLING = "rollingUpdate"
_HASH = "pod-template-hash"


WITHOUT_SURGE = "maxSurge: 0 and maxUnavailable: 1"


def no_surge(manifest: Manifest, replicas: int) -> FixCandidate:
    """A fix that deletes an old pod before its successor is created."""
    price = "of the only replica in each rollout" if replicas == 1 else f"of 1 of {replicas} replicas at each step"
    return FixCandidate(
        f"set {WITHOUT_SURGE}",
        "safe",
        lambda: _no_surge(manifest),
        joint=f"set {WITHOUT_SURGE} in all of them",
        effect=f"costs a brief downtime {price}",
        joint_effect="costs a brief downtime of 1 replica of each",
    )


def fewer_replicas(subject: WorkloadCheck, placed: int) -> tuple[FixCandidate, ...]:
    """Fixes that reduce the replicas to the number that finds room, in the workload or in its autoscaler's bounds."""
    scaled, controller = subject.scaled, subject.controller
    manifest = subject.manifest if scaled is None else scaled.autoscaler.manifest
    pointers = (field_pointers.REPLICAS,) if scaled is None else (scaled.autoscaler.least, scaled.autoscaler.most)
    written = [pointer for pointer in pointers if manifest.present(pointer)]
    placed //= subject.pods_of_replica
    if not placed or not written:
        return ()

    def edits() -> list[editing.Edit]:
        return [editing.replace_scalar(manifest.item, pointer, str(placed)) for pointer in written]

    title = f"set {listed([str(pointer[-1]) for pointer in written])}: {placed}"
    fewer = FixCandidate(f"{title}, as many as find room", "unsafe", edits, of_amounts=True)
    if not (controller.leaves_first and controller.keeps_until_ready(placed)):
        return (fewer,)
    one = no_surge(subject.manifest, placed)
    return fewer, FixCandidate(
        f"{title}, and {WITHOUT_SURGE}", "unsafe", lambda: [*edits(), *one.edits()], effect=one.effect, of_amounts=True
    )


def no_daemon_surge(manifest: Manifest) -> FixCandidate:
    """A fix that deletes the old pod of a node before its successor is created."""
    return FixCandidate(
        f"set {WITHOUT_SURGE}",
        "safe",
        lambda: _no_surge(manifest),
        effect="costs a brief downtime on each node, one after the other",
    )


def no_surge_in(involved: Sequence[WorkloadCheck]) -> tuple[FixCandidate, ...]:
    """Fixes that delete old pods of some workloads first: of one of them, or of all."""
    found: list[FixCandidate] = []
    for subject in involved:
        daemons, manifest, replicas = surges_on_nodes(subject.controller), subject.manifest, subject.workload.replicas
        if daemons or (subject.controller.leaves_first and subject.controller.surge(replicas)):
            one = no_daemon_surge(manifest) if daemons else no_surge(manifest, replicas)
            found.append(replace(one, title=f"in {workload_name(subject.workload)} {one.title}"))
    if len(found) > 1:
        single = tuple(found)

        def every() -> list[editing.Edit]:
            return [edit for proposal in single for edit in proposal.edits()]

        only = all(subject.workload.replicas == 1 for subject in involved)
        price = "of the only replica of each in each rollout" if only else "of 1 replica of each at each step"
        price = f"costs a brief downtime {price}"
        found.append(FixCandidate(f"set {WITHOUT_SURGE} in all of them", "safe", every, effect=price))
    return tuple(found)


def recreate(manifest: Manifest, replicas: int) -> FixCandidate:
    """A fix that deletes all old pods first."""
    price = "of the only replica" if replicas == 1 else f"of all {replicas} replicas at once"
    return FixCandidate(
        "set strategy type: Recreate",
        "unsafe",
        lambda: _recreate(manifest),
        joint="set strategy type: Recreate in all of them",
        effect=f"costs a downtime {price} in each rollout",
        joint_effect="costs a downtime of all replicas of each",
    )


def within_a_revision(manifest: Manifest, others: Sequence[Meta] = ()) -> FixCandidate:
    """A fix that keeps pods apart only from pods of the same revision.

    A term that also selects one of the `others`, pods of other owners, stays: with a label of this revision it would
    not select them.
    """
    return FixCandidate(
        f"add matchLabelKeys: [{_HASH}], so that old and new pods may share a node while they are exchanged",
        "unsafe",
        lambda: [
            editing.set_key(manifest.item, route, "matchLabelKeys", [_HASH])
            for route in _of_its_own(manifest, others)
            if not manifest.present((*route, "matchLabelKeys"))
        ],
    )


def _of_its_own(manifest: Manifest, others: Sequence[Meta]) -> Iterator[Pointer]:
    """The required anti-affinity terms and spread constraints that select only pods of the workload."""
    workload = manifest.workload
    if workload is None:
        return
    labels, namespace = workload.template.labels, workload.meta.namespace
    for route, term in zip(field_pointers.anti_affinity(manifest), workload.spec.pod_anti_affinity, strict=False):
        selector = term.selector
        if selector is None or not selector.matches(labels):
            continue
        elsewhere = term.namespace_selector is not None or set(term.namespaces) - {namespace}
        seen = (one for one in others if elsewhere or one.namespace == namespace)
        if not any(selector.matches(one.labels) for one in seen):
            yield route
    constraints = [one for one in workload.spec.spread if one.do_not_schedule]
    for route, rule in zip(field_pointers.spread(manifest), constraints, strict=False):
        if rule.selector is not None and rule.selector.matches(labels):
            yield route


def renamed(manifest: Manifest, pointers: Sequence[Pointer], key: str) -> list[editing.Edit]:
    """Edits that rename some keys to one key, with their content."""
    path = manifest.path
    return [editing.Edit(path, manifest.item.locate(pointer, "key"), key) for pointer in pointers]


def _no_surge(manifest: Manifest) -> list[editing.Edit]:
    item, rolling = manifest.item, field_pointers.rolling(manifest)
    base, field = rolling[:-1], str(rolling[-1])
    both = ("maxSurge", 0), ("maxUnavailable", 1)
    if not manifest.present(rolling):
        if manifest.present(base) and field_pointers.at(manifest, base):
            return [editing.set_key(item, base, field, dict(both))]
        whole = {"type": "RollingUpdate", field: dict(both)}
        return [editing.set_key(item, base[:-1], str(base[-1]), whole, before="template")]
    written = field_pointers.at(manifest, rolling)
    if not isinstance(written, dict) or not written:
        return [editing.set_key(item, base, field, dict(both))]
    edits = [
        editing.replace_scalar(item, (*rolling, key), str(value))
        for key, value in both
        if key in written and written[key] != value
    ]
    return edits + [editing.set_key(item, rolling, key, value) for key, value in both if key not in written]


def _recreate(manifest: Manifest) -> list[editing.Edit]:
    """Edits that set the type and remove the rolling update.

    The API server has defaulted `rollingUpdate` if it was not written, and refuses it beside Recreate: a merge patch
    and kubectl replace remove it by null, server-side apply keeps it (1.34).
    """
    item = manifest.item
    written = field_pointers.at(manifest, field_pointers.STRATEGY)
    if not isinstance(written, dict) or "type" not in written:
        whole = {"type": "Recreate", _ROLLING: None}
        return [editing.set_key(item, ("spec",), "strategy", whole, before="template")]
    return [
        editing.set_key(item, field_pointers.STRATEGY, "type", "Recreate"),
        editing.set_key(item, field_pointers.STRATEGY, _ROLLING, None),
    ]


def rewritten(
    manifest: Manifest,
    route: Pointer,
    texts: Iterable[str],
    title: str = "write {}",
    safety: Safety = "unsafe",
    *,
    of_amounts: bool = False,
) -> tuple[FixCandidate, ...]:
    """Fixes that replace a scalar, one for each text; they may change what runs."""

    def edits(text: str) -> Callable[[], list[editing.Edit]]:
        return lambda: [editing.replace_scalar(manifest.item, route, text)]

    return tuple(FixCandidate(title.format(text), safety, edits(text), of_amounts=of_amounts) for text in texts)
