"""Rollouts of DaemonSets."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.rollout_facts import judgements_in
from kubelint_gpu.builders.rollout_end import ended, standstill, surges_into_itself
from kubelint_gpu.engine.api import ApplySet, Diagnostic, Pointer, Related, field_pointers, rule
from kubelint_gpu.engine.remedies import no_daemon_surge
from kubelint_gpu.messages.kept_pods import keeping, surges_on_nodes
from kubelint_gpu.messages.wording import listed, some
from kubelint_gpu.scheduler.plugins.node_ports import port_numbers
from kubelint_gpu.simulation.search.verdict import WAITS
from kubelint_gpu.values import replace

_SURGE: Pointer = (*field_pointers.UPDATE_STRATEGY, "rollingUpdate", "maxSurge")


@rule("KLG110")
def daemonset_surge(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield DaemonSets whose new pod starts beside the old one on a node that has room for only one."""
    if not unit.has_nodes:
        yield from _ports(unit)
        return
    for verdict in WAITS:
        for subject, end in ended(unit, verdict):
            if surges_into_itself(subject, end):
                crowded = sorted(judgements_in(unit)[subject.key].room.crowded)
                halts = f"with maxSurge: 0 the pod without room on {some(crowded)} would halt it: make room there first"
                place, fixes = subject.manifest.place(_SURGE), () if crowded else (no_daemon_surge(subject.manifest),)
                draft = standstill(unit, subject, end, "KLG110", place=place, proposals=fixes)
                yield replace(draft, help=(*draft.help, halts)) if crowded else draft


def _ports(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield DaemonSets whose pods use a host port, of which no node has two; without an inventory."""
    for subject in unit.subjects:
        ports = port_numbers(subject.workload.spec)
        if not ports or not surges_on_nodes(subject.controller) or subject.controller.on_delete:
            continue
        manifest = subject.manifest
        names = listed([str(port) for port in ports])
        why, _, label = keeping(subject.workload)
        yield Diagnostic(
            "KLG110",
            manifest.place(_SURGE),
            f"the rollout never ends on any node: the new pod waits for host port{'s' if len(ports) > 1 else ''} "
            f"{names}, held by the old pod, and {why}",
            manifest,
            cause="rollout",
            related=(
                Related(manifest.place(_SURGE), label),
                *(
                    Related(
                        manifest.place(route),
                        f"one pod of a node can have host port {field_pointers.at(manifest, route)}",
                    )
                    for route in field_pointers.host_ports(manifest)
                ),
            ),
            proposals=(no_daemon_surge(manifest),),
        )
