"""Topology keys that nodes lack."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from kubelint_gpu.analysis.affinity.pod_affinity import takers
from kubelint_gpu.analysis.affinity.topology_keys import TopologyUse, topology_uses
from kubelint_gpu.documents import editing
from kubelint_gpu.engine.api import (
    ApplySet,
    Diagnostic,
    FixCandidate,
    Manifest,
    Pointer,
    Related,
    WorkloadCheck,
    field_pointers,
    rule,
)
from kubelint_gpu.evidence.declared_lines import told_at
from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.gpu.gpu_labels import is_gpu_label
from kubelint_gpu.kube.objects.collective import KUEUE
from kubelint_gpu.kube.objects.label_algebra import alternatives
from kubelint_gpu.kube.objects.pod import PodSpec
from kubelint_gpu.kube.objects.workload import api_group
from kubelint_gpu.messages.did_you_mean_label import nearest_key
from kubelint_gpu.messages.wording import some

# labels that nodes had until Kubernetes 1.24
_SUCCESSORS = {
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
}


@rule("KLG405")
def topology_key_missing(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield each topologyKey that is no label of the nodes."""
    if not unit.has_nodes or not unit.cluster.nodes:
        return
    yield from _levels(unit)
    keys = _keys(unit) if unit.subjects else []
    for subject in unit.subjects:
        if not subject.places_pods:
            continue
        for use, *others in _by_effect(subject.workload.spec):
            if use.key not in keys:
                near = [_SUCCESSORS[use.key]] if _SUCCESSORS.get(use.key) in keys else []
                if not near and not is_gpu_label(use.key):
                    near = list(filter(None, [nearest_key(use.key, keys)]))
                if (use.hard or near) and not _selected(subject.workload.spec, use.key):
                    yield _nowhere(unit, subject, use, others, near)
            elif use.hard:
                yield from _not_everywhere(unit, subject, use, others)


def _keys(unit: ApplySet) -> list[str]:
    return sorted({key for node in unit.possible_nodes for key in node.labels})


def _levels(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield, for each Kueue topology, the level from which no node has all labels, so that Kueue uses no node."""
    topologies = (one for one in unit.manifests if one.kind == "Topology" and api_group(one.item.value) == KUEUE)
    for manifest in topologies:
        nodes = list(unit.possible_nodes)
        for level in field_pointers.entries(manifest, ("spec", "levels")):
            key = field_pointers.at(manifest, (*level, "nodeLabel"))
            if not isinstance(key, str):
                break
            nodes = [node for node in nodes if key in node.labels]
            if not nodes:
                keys = _keys(unit)
                near = None if key in keys else nearest_key(key, keys)
                other = " that has the labels of the levels before" if key in keys else ""
                yield Diagnostic(
                    "KLG405",
                    manifest.place((*level, "nodeLabel")),
                    f"no node{other} has the label {key}: Kueue places no pod by this topology",
                    manifest,
                    cause=f"level/{key}",
                    certainty="certain" if unit.complete else "possible",
                    severity="warning" if _is_left_out(unit, key) else None,
                    help=(f"did you mean {near}?",) if near else (),
                )
                break


def _by_effect(spec: PodSpec) -> Iterator[list[TopologyUse]]:
    """Yield the uses of topology keys, grouped by key and effect, which share a cause."""
    groups = grouped(((use.key, use.hard, use.kind == "podAntiAffinity"), use) for use in topology_uses(spec))
    yield from groups.values()


def _selected(spec: PodSpec, key: str) -> bool:
    """Whether selector or affinity exclude nodes without the label anyway, so that another rule reports it."""
    return all(
        any(bound.requirement.key == key and not bound.field and not bound.allowed.has(None) for bound in bounds)
        for bounds in alternatives(spec)
    )


def _nowhere(
    unit: ApplySet, subject: WorkloadCheck, use: TopologyUse, others: Sequence[TopologyUse], near: list[str]
) -> Diagnostic:
    manifest = subject.manifest
    base = field_pointers.pod_spec(manifest)
    written = [(*base, *one.pointer) for one in (use, *others)]
    waits = use.kind != "podAntiAffinity"
    if not use.hard:
        effect = "it has no effect"
    elif waits:
        effect = "no node takes the pod"
    else:
        effect = "it keeps nothing apart"
    return Diagnostic(
        "KLG405",
        manifest.place(written[0]),
        f"no node has the label {use.key}: {effect}",
        manifest,
        cause=f"{use.kind}/{use.key}",
        certainty="certain" if unit.complete else "possible",
        severity=None if use.hard and not _is_left_out(unit, use.key) else "warning",
        scheduler=unit.alone(subject).message if use.hard and waits else None,
        related=_elsewhere(manifest, base, others),
        help=(f"did you mean {near[0]}?",) if near else (),
        proposals=tuple(
            FixCandidate(f"write {key}", "unsafe", partial(_rewritten, manifest, tuple(written), key)) for key in near
        ),
    )


def _is_left_out(unit: ApplySet, key: str) -> bool:
    """Whether a hand-written inventory leaves out zones and regions, which every cloud gives its nodes."""
    documents = (document.value for reading in unit.world.readings for document in reading.documents)
    by_hand = any(isinstance(one, dict) and ("nodes" in one or "pools" in one) for one in documents)
    return by_hand and key in _SUCCESSORS.values()


def _rewritten(manifest: Manifest, written: Sequence[Pointer], key: str) -> list[editing.Edit]:
    return [editing.replace_scalar(manifest.item, route, key) for route in written]


def _elsewhere(manifest: Manifest, base: Pointer, others: Sequence[TopologyUse]) -> tuple[Related, ...]:
    return tuple(Related(manifest.place((*base, *one.pointer)), f"{one.kind} asks for it, too") for one in others)


def _not_everywhere(
    unit: ApplySet, subject: WorkloadCheck, use: TopologyUse, others: Sequence[TopologyUse]
) -> Iterator[Diagnostic]:
    """Yield topology keys whose label is missing on some of the nodes that could take the pod."""
    nodes = takers(unit, subject)
    missing = [node.name for node in nodes if use.key not in node.labels]
    if not missing:
        return
    manifest = subject.manifest
    gone = len(missing) == len(nodes)
    these = "this node" if len(missing) == 1 else "these nodes"
    lack = "lacks" if len(missing) == 1 else "lack"
    anti = use.kind == "podAntiAffinity"
    effect = f"required pod anti-affinity does not hold on {these}" if anti else f"{these} cannot take it"
    text = f"{some(missing)}, which could take the pod otherwise, {lack} the label {use.key}: {effect}"
    yield Diagnostic(
        "KLG405",
        manifest.place((*field_pointers.pod_spec(manifest), *use.pointer)),
        text,
        manifest,
        cause=f"{use.kind}/{use.key}",
        certainty="certain" if unit.complete else "possible",
        severity=("error" if unit.complete else "warning") if gone else "warning",
        scheduler=unit.alone(subject).message if gone and use.kind != "podAntiAffinity" else None,
        related=(
            *_elsewhere(manifest, field_pointers.pod_spec(manifest), others),
            *(one for name in missing[:3] for one in told_at(unit, "Node", name, f"{name} is declared here")),
        ),
    )
