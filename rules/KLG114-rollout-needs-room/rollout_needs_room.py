"""Room that a rollout needs, but that is not known to exist."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.beyond.any_cluster import stuck_anywhere, stuck_without_spare_node
from kubelint_gpu.analysis.devices.asked_devices import own_devices
from kubelint_gpu.analysis.growing_pools import growing
from kubelint_gpu.analysis.rollout_facts import judgements_in
from kubelint_gpu.engine.api import ApplySet, Diagnostic, FixCandidate, Related, WorkloadCheck, field_pointers, rule
from kubelint_gpu.engine.remedies import no_daemon_surge, no_surge
from kubelint_gpu.evidence.node_lines import taken_by_each
from kubelint_gpu.evidence.stakes import stakes, wait_of
from kubelint_gpu.kube.admission.defaults import extended_resources
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.messages.kept_pods import keeping, kept, numbers, surges_on_nodes
from kubelint_gpu.messages.wait import story
from kubelint_gpu.messages.wording import amount, counted, listed
from kubelint_gpu.scheduler.plugins.node_ports import port_numbers
from kubelint_gpu.simulation.search.trace import Trace
from kubelint_gpu.values import Value, replace


@rule("KLG114")
def rollout_needs_room(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield rollouts that need room which no inventory shows, or which a pool must add first."""
    if unit.world.inventory is not None:
        for subject in unit.subjects:
            judgement = judgements_in(unit).get(subject.key)
            if judgement is not None and judgement.runs.stalls is not None:
                yield from _grown(unit, subject, judgement.runs.stalls)
    if unit.world.inventory is not None and not unit.world.full:
        return
    for subject in unit.subjects:
        surge = _surge(subject)
        if surge is None or surge.needed <= surge.running or subject.key in stuck_anywhere(unit):
            continue
        if unit.world.full and subject.key in stuck_without_spare_node(unit):
            continue
        manifest, requests = subject.manifest, pod_requests(subject.workload.spec)
        resources = tuple(requests) if unit.world.full else extended_resources(subject.workload.spec)
        devices = own_devices(unit, subject)
        if not (resources or devices):
            continue
        each = listed([amount(name, requests[name]) for name in resources] + [text for _, text in devices])
        more = "one" if surge.needed == surge.running + 1 else surge.needed - surge.running
        yield Diagnostic(
            "KLG114",
            manifest.place(field_pointers.strategy(manifest), "key"),
            f"a rollout needs {counted(surge.needed, 'place')} with {each}{surge.nodes}, {more} more than the "
            f"{surge.pods}: {surge.why}",
            manifest,
            cause="room",
            severity="warning" if unit.world.full else None,
            related=tuple(line for name in resources for line in taken_by_each(manifest, name, requests[name]))
            + tuple(Related(manifest.place(one.pointer), f"each pod takes {text}") for one, text in devices),
            help=(
                "--assume full: every node counts as full"
                if unit.world.full
                else f"give --inventory to learn whether the cluster has {'that place' if more == 'one' else 'them'}",
                *filter(None, (subject.controller.remedy,)),
            ),
            proposals=tuple(replace(one, must_prove=False, safety="unsafe") for one in surge.without),
        )


class _SurgeRoom(Value):
    """A rollout that starts new pods beside the old ones: of replicas anywhere, or of a DaemonSet's pod on its node.

    `running` pods run before it, `needed` at once during it; `pods`, `nodes` and `why` are clauses about them, and
    `without` is the change with which old pods leave first.
    """

    running: int
    needed: int
    pods: str
    nodes: str
    why: str
    without: tuple[FixCandidate, ...]


def _surge(subject: WorkloadCheck) -> _SurgeRoom | None:
    workload, controller, manifest = subject.workload, subject.controller, subject.manifest
    replicas = workload.replicas
    if controller.paused:
        return None
    if surges_on_nodes(controller) and not (controller.on_delete or port_numbers(workload.spec)):
        needed, why = controller.places_needed(1), keeping(workload)[2]
        return _SurgeRoom(1, needed, "pod that runs there", " on a node", why, (no_daemon_surge(manifest),))
    if not controller.has_replica_sets or not replicas or not subject.places_pods:
        return None
    routes = [route for route in field_pointers.selectors(manifest) if route[-2] == "nodeSelector"]
    where = ", ".join(field_pointers.key_values(manifest, route) for route in routes)
    pods = "replica that runs" if replicas == 1 else f"{replicas} replicas that run"
    without = (no_surge(manifest, replicas),) if controller.leaves_first else ()
    nodes, needed = f" on nodes with {where}" if where else "", controller.places_needed(replicas)
    return _SurgeRoom(replicas, needed, pods, nodes, kept(controller, replicas), without)


def _grown(unit: ApplySet, subject: WorkloadCheck, stalls: Trace) -> Iterator[Diagnostic]:
    """Yield rollouts that wait until an autoscaler has added a node."""
    manifest, workload = subject.manifest, subject.workload
    waiting = next((one for one in stalls.waiting if one.owner == workload.key), None)
    if waiting is None:
        return
    wait = wait_of(unit, subject, waiting)
    _, keeps, _ = keeping(workload)
    names = [pool.name for pool in unit.growing_for(subject)]
    pools = f"pool {names[0]} adds a node" if len(names) == 1 else f"one of the pools {listed(names)} adds a node"
    rolls = subject.controller.leaves_first
    number = numbers(workload)
    yield Diagnostic(
        "KLG114",
        manifest.place(field_pointers.strategy(manifest), "key"),
        f"the rollout ends only if {pools} meanwhile: until then {wait.clause}",
        manifest,
        cause="growth",
        certainty="possible",
        scheduler=waiting.scheduler or None,
        related=(*stakes(unit, subject, waiting), *growing(unit, subject)),
        trace=story(stalls, wait, keeps, "nothing moves until a node joins"),
        run=stalls,
        cycle=(*wait.sentences(), *number),
        help=("where such nodes are sold out or a limit is reached, it waits for ever",),
        proposals=(no_surge(manifest, workload.replicas),) if rolls else (),
    )
