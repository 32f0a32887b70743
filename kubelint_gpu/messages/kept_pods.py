"""Why a controller keeps the old pods of a rollout, and what helps beside other workloads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.messages.wait import every
from kubelint_gpu.messages.wording import counted, owner_name, some, verb, workload_names
from kubelint_gpu.simulation.controllers.controller import Controller
from kubelint_gpu.simulation.controllers.controller_of import controller_of
from kubelint_gpu.simulation.search.trace import Waiting

_RECREATED = "Recreate: all old pods are gone before a new one is made"


def keeping(workload: Workload) -> tuple[str, str, str]:
    """A clause that the old pods stay, the controller's action, and the numbers behind it."""
    controller, replicas = controller_of(workload), workload.replicas
    until = "until the new one is available"
    if surges_on_nodes(controller):
        label = f"maxSurge is {controller.max_surge}: the new pod of a node starts beside the old one"
        return f"the old pod is kept {until}", f"keeps the old pod {until}", label
    if controller.has_ordinals or controller.node_bound:
        return f"the {workload.kind} controller goes on only when it is available", "waits for that pod", ""
    unavailable, pods, label = controller.unavailable(replicas), counted(replicas, "pod"), _label(controller, replicas)
    if unavailable:
        clause = f"no more than {unavailable} of {pods} may be unavailable"
        if unavailable >= replicas:
            return "nothing is left that could make room for it", "waits for the new pod", label
        return clause, f"takes no more than {unavailable} of {pods} away", label
    old, are = ("the old pod", "is") if replicas == 1 else ("the old pods", "are")
    until = "until the new ones are available" if replicas > 1 and controller.surplus(replicas) else until
    return f"{old} {are} kept {until}", f"keeps {old} {until}", label


def surges_on_nodes(controller: Controller) -> bool:
    """Whether a node has an old and a new pod at once, as with `maxSurge` of a DaemonSet."""
    return controller.node_bound and controller.max_surge is not None and controller.max_surge.amount > 0


def numbers(workload: Workload) -> tuple[str, ...]:
    """Why the old pods stay, if numbers decide that."""
    controller = controller_of(workload)
    return (kept(controller, workload.replicas),) if controller.has_replica_sets else ()


def kept(controller: Controller, replicas: int) -> str:
    """Why the old pods stay."""
    if controller.why_kept:
        return controller.why_kept
    if controller.recreates:
        return _RECREATED
    if controller.keeps_until_ready(replicas):
        return f"{_number(controller, replicas)}: no old pod may go before a new one is available"
    most = controller.unavailable(replicas)
    return f"no more than {most} of {replicas} may be unavailable ({_number(controller, replicas)})"


def _number(controller: Controller, replicas: int) -> str:
    unavailable, written = controller.unavailable(replicas), controller.max_unavailable
    rounding = ""
    if written is not None and written.percent and written.of(replicas, round_up=False) == unavailable:
        rounding = f" ({written} of {counted(replicas, 'replica')}, rounded down)"
    elif _is_raised(controller, replicas):
        rounding = ", because both maxSurge and maxUnavailable come to 0"
    return f"maxUnavailable is {unavailable}{rounding}"


def _is_raised(controller: Controller, replicas: int) -> bool:
    """Whether the controller uses 1 for a `maxUnavailable` of 0, because nothing could change otherwise."""
    written = controller.max_unavailable
    return written is not None and not written.of(replicas, round_up=False) and controller.unavailable(replicas) > 0


def _label(controller: Controller, replicas: int) -> str:
    if controller.why_kept:
        return controller.why_kept
    if controller.recreates:
        return _RECREATED
    default = getattr(controller.workload.strategy, "by_default", False)
    surge, unavailable = controller.max_surge, controller.max_unavailable
    numbers = (controller.surge(replicas), controller.unavailable(replicas))
    shares = [
        f"{one} is " if one and one.percent and not default and one.of(replicas, round_up=up) == number else ""
        for one, number, up in zip((surge, unavailable), numbers, (True, False), strict=True)
    ]
    told = f"{counted(replicas, 'replica')}: {'by default ' * default}maxSurge {shares[0] or 'is '}{numbers[0]}"
    told += f" and maxUnavailable {shares[1]}{numbers[1]}"
    return f"{told}, because both come to 0" if _is_raised(controller, replicas) else told


def rivals_for_room(workload: Workload, waiting: Waiting) -> Iterator[str]:
    """Yield the pods that can take the room of an old pod before its successor has it."""
    holders = {holder.owner for lack in every(waiting.lacks) for holder in lack.holders}
    rivals = [owner_name(key) for key in sorted(holders - {workload.key})]
    if rivals and not workload.spec.node_name:
        yield (
            "nothing keeps the room free between an old pod and its successor: a higher priority than that of "
            f"{some(rivals, 'workload')} does, or nodes of its own"
        )


def help_beside(others: Sequence[Workload], *, may: bool) -> Iterator[str]:
    """Yield help for a rollout beside others that change at the same moment; it `may` stick if they come first."""
    names = workload_names(others)
    if others and may:
        changes, them = verb("change", len(others)), "it" if len(others) == 1 else "them"
        yield f"{names} {changes} at the same moment: the rollout never ends where it comes after {them}, as told here"
    elif others:
        yield f"rolled out at the same moment as {names}, it ends only in a lucky order of events"
