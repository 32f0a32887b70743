"""Unhealthy nodes that may get pods."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubelint_gpu.analysis.node_misfit import asked, is_gpu
from kubelint_gpu.documents import editing
from kubelint_gpu.engine.api import (
    ApplySet,
    Diagnostic,
    FixCandidate,
    Pointer,
    Related,
    WorkloadCheck,
    field_pointers,
    rule,
)
from kubelint_gpu.inventory import UNHEALTHY
from kubelint_gpu.inventory.gpus.gpu_models import has_accelerators
from kubelint_gpu.kube.gpu.gpu_labels import HOSTNAME
from kubelint_gpu.messages.wording import some

_AFFINITY: Pointer = ("affinity", "nodeAffinity")
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_TERMS = "nodeSelectorTerms"
_EXPRESSIONS = "matchExpressions"


@rule("KLG204", of_workloads=True)
def unhealthy_node(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield workloads that a node may take although the inventory marks it as unhealthy."""
    inventory = unit.world.inventory
    if inventory is None or not unit.has_nodes or not inventory.unhealthy:
        return
    for subject in unit.subjects:
        if not subject.places_pods or not subject.placed_here:
            continue
        found = unit.alone(subject)
        fits = found.fit.fits if found.fit is not None else ()
        bad = [name for name in fits if name in inventory.unhealthy]
        rest = len(fits) - len(bad)
        if rest and not any(is_gpu(name) for name in asked(subject)):
            # what is wrong with a GPU node is mostly its GPU
            bad = [
                name
                for name in bad
                if (info := unit.empty.node(name)) is not None and not has_accelerators(info.node.allocatable)
            ]
        if not bad:
            continue
        manifest = subject.manifest
        base = field_pointers.pod_spec(manifest)
        yield Diagnostic(
            "KLG204",
            manifest.place(next(iter(field_pointers.selectors(manifest)), base), "key"),
            f"its pods {'may' if rest else 'can only'} land on {some(bad)}, which the inventory calls unhealthy"
            f"{_reason(unit, bad)}",
            manifest,
            cause="unhealthy",
            related=tuple(_declared(unit, bad)),
            help=(f"to keep all pods away, taint {'it' if len(bad) == 1 else 'them'}: kubectl cordon {' '.join(bad)}",),
            proposals=(_avoiding(unit, subject, bad),) if rest else (),
        )


def _reason(unit: ApplySet, names: list[str]) -> str:
    reasons = []
    for name in names:
        info = unit.empty.node(name)
        reason = info.node.meta.annotations.get(UNHEALTHY, "") if info is not None else ""
        if reason and reason != "declared unhealthy" and reason not in reasons:
            reasons.append(reason.strip().rstrip("."))
    return f" ({', '.join(reasons)})" if reasons else ""


def _declared(unit: ApplySet, names: list[str]) -> Iterator[Related]:
    said = set()
    for name in names[:3]:
        declared = unit.world.declared("Node", name)
        if declared is not None and unit.world.place(declared) not in said:
            said.add(unit.world.place(declared))
            yield Related(unit.world.place(declared), f"{name} is declared unhealthy")


def _avoiding(unit: ApplySet, subject: WorkloadCheck, names: list[str]) -> FixCandidate:
    infos = [unit.empty.node(name) for name in names]
    hosts = [info.node.labels.get(HOSTNAME, info.name) for info in infos if info is not None]
    return FixCandidate(f"require that {HOSTNAME} is not {some(hosts)}", "unsafe", lambda: _without(subject, hosts))


def _without(subject: WorkloadCheck, hosts: list[str]) -> list[editing.Edit]:
    """Return the edits that exclude hosts from node affinity, in each of its terms."""
    manifest = subject.manifest
    base = field_pointers.pod_spec(manifest)
    expression = {"key": HOSTNAME, "operator": "NotIn", "values": hosts}
    terms_at = (*base, *_AFFINITY, _REQUIRED, _TERMS)
    terms = field_pointers.at(manifest, terms_at)
    if not isinstance(terms, list):
        value: dict[str, Any] = {_TERMS: [{_EXPRESSIONS: [expression]}]}
        return [editing.set_key(manifest.item, (*base, *_AFFINITY), _REQUIRED, value)]
    edits = []
    for number, term in enumerate(terms):
        known = term.get(_EXPRESSIONS) if isinstance(term, dict) else None
        edits.append(
            editing.append(manifest.item, (*terms_at, number, _EXPRESSIONS), [expression])
            if isinstance(known, list) and known
            else editing.set_key(manifest.item, (*terms_at, number), _EXPRESSIONS, [expression])
        )
    return edits
