"""Room that a rollout needs, but that is not known to exist."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.beyond.any_cluster import stuck_anywhere, stuck_without_spare_node
from kubelint_gpu.analysis.devices.asked_devices import own_devices
from kubelint_gpu.analysis.growing_pools import growing
from kubelint_gpu.analysis.rollout_facts import judgements_in
from kubelint_gpu.engine.api import ApplySet, Diagnostic, Related, WorkloadCheck, field_pointers, rule
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
from kubelint_gpu.values import replace


@rule("KLG114")
def rollout_needs_room(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield rollouts that need room which no inventory shows, or which a pool must add first."""
    if unit.world.inventory is not None:
        for subject in unit.subjects:
            judgement = judgements_in(unit).get(subject.key)
            if judgement is not None and judgement.stalls is not None:
                yield from _grown(unit, subject, judgement.stalls)
    if unit.world.inventory is not None and not unit.world.full:
        return
    for subject in unit.subjects:
        workload, controller, manifest = subject.workload, subject.controller, subject.manifest
        daemons = surges_on_nodes(controller) and not (controller.on_delete or port_numbers(workload.spec))
        replicas = 1 if daemons else workload.replicas
        if not (controller.has_replica_sets or daemons) or not replicas or controller.paused:
            continue
        requests = pod_requests(workload.spec)
        resources = tuple(requests) if unit.world.full else extended_resources(workload.spec)
        devices = own_devices(unit, subject)
        needed = controller.places_needed(replicas)
        if (
            not (resources or devices)
            or needed <= replicas
            or not (subject.places_pods or daemons)
            or subject.key in stuck_anywhere(unit)
            or (unit.world.full and subject.key in stuck_without_spare_node(unit))
        ):
            continue
        each = listed([amount(name, requests[name]) for name in resources] + [text for _, text in devices])
        where = [
            field_pointers.key_values(manifest, route)
            for route in field_pointers.selectors(manifest)
            if route[-2] == "nodeSelector"
        ]
        nodes = f" on nodes with {', '.join(where)}" if where else ""
        nodes = " on a node" if daemons else nodes
        running = "replica that runs" if replicas == 1 else f"{replicas} replicas that run"
        running = "pod that runs there" if daemons else running
        more = "one" if needed == replicas + 1 else needed - replicas
        why = keeping(workload)[2] if daemons else kept(controller, replicas)
        without = no_daemon_surge(manifest) if daemons else no_surge(manifest, replicas)
        yield Diagnostic(
            "KLG114",
            manifest.place(field_pointers.strategy(manifest), "key"),
            f"a rollout needs {counted(needed, 'place')} with {each}{nodes}, {more} more than the {running}: {why}",
            manifest,
            cause="room",
            severity="warning" if unit.world.full else None,
            related=tuple(line for name in resources for line in taken_by_each(manifest, name, requests[name]))
            + tuple(Related(manifest.place(one.pointer), f"each pod takes {text}") for one, text in devices),
            help=(
                "--assume full: every node counts as full"
                if unit.world.full
                else f"give --inventory to learn whether the cluster has {'that place' if more == 'one' else 'them'}",
                *filter(None, (controller.remedy,)),
            ),
            proposals=(replace(without, must_prove=False, safety="unsafe"),)
            if controller.leaves_first or daemons
            else (),
        )


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
