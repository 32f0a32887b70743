"""A StatefulSet whose pods never found a node: whether applying a corrected template helps.

Behaviour: pkg/controller/statefulset/stateful_set_control.go, 1.34 and 1.35 (`forced rollback` in the documentation).
"""

from __future__ import annotations

from kubelint_gpu.budget import BUDGET
from kubelint_gpu.kube.objects.cluster import Cluster
from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.simulation.controllers.controller_of import controller_of
from kubelint_gpu.simulation.model import simulation as simulations
from kubelint_gpu.simulation.model.pod_types import build_pod_types
from kubelint_gpu.simulation.prepare.budgets_and_quotas import with_unknown_use
from kubelint_gpu.simulation.prepare.participants import bounded
from kubelint_gpu.simulation.prepare.volumes import with_bound_claims
from kubelint_gpu.simulation.prepare.workload_change import WorkloadChange, created_pod, own_pods, own_waiting
from kubelint_gpu.simulation.search import placements, replay
from kubelint_gpu.simulation.search.explorer import explore
from kubelint_gpu.simulation.search.trace import Trace
from kubelint_gpu.simulation.transition import Transition
from kubelint_gpu.values import replace


def forced_rollback(old: Workload, new: Workload, cluster: Cluster, *, budget: int = BUDGET.rollback) -> Trace | None:
    """The stuck run after a new template is applied while pods of the old one wait because they fit on no node.

    With OrderedReady it is the first pod that does not run, with Parallel all of them.
    None if the controller replaces the pods itself, if all pods run, or if the waiting pods are known.
    """
    controller = controller_of(new)
    if not controller.has_ordinals or controller.on_delete or not old.replicas or not new.replicas:
        return None
    running = own_pods(new, cluster.pods)
    names = {pod.meta.name for pod in running}
    one = bounded(Transition(new, old), cluster, cluster.nodes)
    ordinals = range(controller.first_ordinal, controller.first_ordinal + min(one.old.replicas, one.new.replicas))
    missing = [name for number in ordinals if (name := f"{new.meta.name}-{number}") not in names]
    if not missing or own_waiting(new, cluster.pods):
        return None
    cluster = with_bound_claims(cluster, (old, new))
    fixed = [pod for pod in cluster.pods if pod.spec.node_name and not pod.finished and pod not in running]
    waiting = tuple(created_pod(old, "old", name) for name in (missing[:1] if controller.ordered else missing))
    participant = WorkloadChange(one.new, replace(old, replicas=0), running, waiting=waiting)
    cluster = with_unknown_use(cluster, [participant], ())
    simulation = simulations.build_simulation(
        build_pod_types([participant], frozenset({0}), (), cluster), cluster, fixed
    )
    start = placements.one_placement(simulation)
    if start is None:
        return None
    found = explore([start], simulation.model.successors, simulation.model.done, budget)
    if not found.stuck:
        return None
    try:
        return replay.replay(simulation, found.path, replace(cluster, pods=tuple(fixed)))
    except replay.ReplayMismatch:
        return None
