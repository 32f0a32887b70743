"""Claims that no node's devices can serve: finds the failing part by trying the allocator without it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kubelint_gpu.analysis.devices import unmet_conditions
from kubelint_gpu.findings.finding import Certainty
from kubelint_gpu.kube.dra.resource_api import MOST_DEVICES
from kubelint_gpu.messages.wording import begun, counted, listed, some
from kubelint_gpu.simulation.growth import fully_grown
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.answers import once
from kubelint_gpu.workspace.apply_set import ApplySet

if TYPE_CHECKING:
    from kubelint_gpu.kube.dra.claim import ClaimSpec, DeviceQuery
    from kubelint_gpu.scheduler.plugins.dynamic_resources.claim_trial import ClaimTrial
from kubelint_gpu.analysis.devices.written_claims import PodClaimReference, open_to


@once
def device_trial(unit: ApplySet) -> ClaimTrial | None:
    """A trial with the devices of the cluster; None if they are not known, or its release has no DRA."""
    trial = declared_trial(unit)
    return None if trial is None or trial.doubtful_pools else trial


@once
def declared_trial(unit: ApplySet) -> ClaimTrial | None:
    """The trial even if slices of a pool are missing or disagree: the scheduler then allocates nothing from it."""
    cluster = fully_grown(unit.cluster, [pool for pool in unit.growth if not pool.existing], 1)
    if not unit.has_nodes or not cluster.resource_slices or not cluster.nodes:
        return None
    if not unit.empty.behaviour.dynamic_resources:
        return None
    from kubelint_gpu.scheduler.plugins.dynamic_resources.claim_trial import ClaimTrial

    return ClaimTrial(cluster, unit.empty)


def certainty(unit: ApplySet) -> Certainty:
    """Certain if the declared nodes and pools have all kinds of devices that the cluster may have."""
    return "certain" if unit.is_closed else "possible"


def faults(
    trial: ClaimTrial, spec: ClaimSpec, askers: Sequence[PodClaimReference] = ()
) -> Iterator[unmet_conditions.Fault]:
    """Yield what keeps a claim of these pods from every node; nothing if a node serves it, or if that is not known."""
    trial.renewed()
    found = trial.asked(spec)
    if found.error is not None and found.refused is None and askers:
        found = trial.asked(spec, among=open_to(askers, trial.snapshot))
    if found.served or found.refused is not None:
        return
    if found.error is not None:
        if found.selector is None and least_devices(spec) <= MOST_DEVICES:
            yield unmet_conditions.Fault(("requests",), f"every scheduling attempt fails: {found.why}")
        return
    alone = [replace(spec, requests=(one,), constraints=()) for one in spec.requests]
    failing = [number for number, one in enumerate(alone) if _fails(trial, one)]
    for number in failing:
        yield from _of_request(trial, alone[number], number)
    if not failing:
        fault = _of_all(trial, spec)
        if fault is not None:
            yield fault


def least_devices(spec: ClaimSpec) -> int:
    """How many devices a claim needs at least; a request for all devices needs one."""
    from kubelint_gpu.kube.dra.claim import ALL

    total = 0
    for request in spec.requests:
        ways = (request.exactly,) if request.exactly is not None else request.first_available
        total += min((1 if one.mode == ALL else one.count for one in ways), default=0)
    return total


def _fails(trial: ClaimTrial, spec: ClaimSpec) -> bool:
    found = trial.asked(spec)
    return found.error is None and not found.served


def _of_request(trial: ClaimTrial, spec: ClaimSpec, number: int) -> Iterator[unmet_conditions.Fault]:
    request = spec.requests[0]
    if request.exactly is not None:
        fault = _of_query(trial, spec, request.exactly)
        if fault is not None:
            yield replace(fault, below=("requests", number, "exactly", *fault.below))
        return
    found = []
    for one in request.first_available:
        lone = replace(request, exactly=replace(one, name=request.name), first_available=())
        fault = _of_query(trial, replace(spec, requests=(lone,)), lone.exactly or one)
        if fault is None:
            return
        found.append((one.name, fault))
    none = "no node serves any of its alternatives: "
    text = begun([f"{name}: {fault.text}" for name, fault in found], "alternative", "; ")
    yield unmet_conditions.Fault(("requests", number, "firstAvailable"), none + text)


def _with(spec: ClaimSpec, query: DeviceQuery) -> ClaimSpec:
    return replace(spec, requests=(replace(spec.requests[0], exactly=query),))


def _of_query(trial: ClaimTrial, spec: ClaimSpec, query: DeviceQuery) -> unmet_conditions.Fault | None:
    """The failing part of one request alone."""
    one = replace(query, mode="ExactCount", count=1)
    if not _fails(trial, _with(spec, one)):
        return _of_count(trial, spec, query)
    plain = replace(one, selectors=(), capacity=type(one.capacity)(), has_capacity=False)
    if _fails(trial, _with(spec, plain)):
        return _of_class(trial, spec, plain)
    without = replace(one, capacity=plain.capacity, has_capacity=False)
    if not _fails(trial, _with(spec, without)):
        return _of_capacity(trial, query, without)
    for number in range(len(query.selectors)):
        if _fails(trial, _with(spec, replace(without, selectors=query.selectors[: number + 1]))):
            return _of_selector(trial, replace(without, selectors=query.selectors[: number + 1]))
    return None


def _of_class(trial: ClaimTrial, spec: ClaimSpec, plain: DeviceQuery) -> unmet_conditions.Fault | None:
    from kubelint_gpu.kube.objects.taints import Toleration

    found = trial.selected(plain)
    if not found:
        counts = {
            one.name: len(trial.selected(replace(plain, device_class=one.name)))
            for one in trial.snapshot.cluster.device_classes
        }
        have = begun([f"{name} has {number}" for name, number in counts.items() if number], "class")
        text = f"no device of the cluster is of class {plain.device_class}"
        return unmet_conditions.Fault(("deviceClassName",), f"{text}; {have}" if have else text)
    tolerant = replace(plain, tolerations=(Toleration(operator="Exists"),))
    if _fails(trial, _with(spec, tolerant)):
        return unmet_conditions.Fault(
            ("deviceClassName",), f"no node can use its {counted(len(found), 'device')} of class {plain.device_class}"
        )
    taints = sorted({str(taint) for slot in found for taint in slot.device.taints if taint.blocks})
    told = f"every device of class {plain.device_class} has a taint that the request does not tolerate"
    ways = "tolerate the taint in the request, or take it off the devices"
    return unmet_conditions.Fault(("deviceClassName",), f"{told}: {some(taints, 'taint')}", help=ways)


def _of_capacity(trial: ClaimTrial, query: DeviceQuery, without: DeviceQuery) -> unmet_conditions.Fault:
    from kubelint_gpu.analysis.devices.unmet_conditions import shown_amount
    from kubelint_gpu.kube.dra.device import qualified

    found = trial.selected(without)
    none, asked = f"no device of class {query.device_class} gives ", []
    for name, amount in sorted(query.capacity.items()):
        has = [
            slot.device.capacity[one].largest
            for slot in found
            for one in slot.device.capacity
            if qualified(one, slot.id.driver) == qualified(name, slot.id.driver)
        ]
        most = f"the most is {shown_amount(max(has))}" if has else "none of them has it"
        asked.append((f"{shown_amount(amount)} of {name}", f" ({most})"))
    return unmet_conditions.Fault(("capacity",), none + listed([*map("".join, asked)]))


def _of_count(trial: ClaimTrial, spec: ClaimSpec, query: DeviceQuery) -> unmet_conditions.Fault | None:
    """Return a fault if a node has at least one matching device, but none has as many as requested."""
    if query.mode == "All":
        return unmet_conditions.Fault(
            ("allocationMode",), f"no node can give all of its devices of class {query.device_class} away"
        )
    low, high = 1, min(query.count, MOST_DEVICES + 1)
    while high - low > 1:
        middle = (low + high) // 2
        if _fails(trial, _with(spec, replace(query, count=middle))):
            high = middle
        else:
            low = middle
    best = trial.asked(_with(spec, replace(query, count=low))).fits
    which = " that it selects" if query.selectors else f" of class {query.device_class}"
    owner = f", {best[0]}," if len(best) == 1 else ""
    return unmet_conditions.Fault(
        ("count",), f"it asks for {query.count} devices{which} at once, and the largest node{owner} has {low}"
    )


def _of_selector(trial: ClaimTrial, query: DeviceQuery) -> unmet_conditions.Fault:
    """A fault if the last selector of a request leaves no device."""
    number = len(query.selectors) - 1
    left = trial.selected(replace(query, selectors=query.selectors[:-1]))
    of = f"of class {query.device_class}" + (" that the selectors before it leave" if number else "")
    fault = unmet_conditions.unmet(
        query.selectors[-1] or "", [slot.subject for slot in left], of, shareable=trial.features.betas
    )
    return replace(fault, below=("selectors", number, "cel", "expression"))


def _of_all(trial: ClaimTrial, spec: ClaimSpec) -> unmet_conditions.Fault | None:
    """A fault if each request alone is served, but not with the constraints, or not all requests at once."""
    free = replace(spec, constraints=())
    if _fails(trial, free):
        for number in range(2, len(spec.requests) + 1):
            if _fails(trial, replace(free, requests=spec.requests[:number])):
                first, last = spec.requests[: number - 1], spec.requests[number - 1 : number]
                before = listed([one.name for one in first])
                have = ", ".join(
                    f"those for {names} are on {some(trial.asked(replace(free, requests=requests)).fits)}"
                    for names, requests in ((before, first), (last[0].name, last))
                )
                text = f"no node has devices for {last[0].name} beside those for {before}; {have}"
                return unmet_conditions.Fault(("requests", number - 1), text)
        return None
    for number, constraint in enumerate(spec.constraints):
        if _fails(trial, replace(spec, constraints=spec.constraints[: number + 1])):
            key = "matchAttribute" if constraint.match else "distinctAttribute"
            return unmet_conditions.Fault(("constraints", number, key), _of_constraint(trial, spec, number))
    return None


def _of_constraint(trial: ClaimTrial, spec: ClaimSpec, number: int) -> str:
    from kubelint_gpu.kube.dra.device import attribute_of

    constraint = spec.constraints[number]
    name = constraint.match or constraint.distinct
    names = [one.partition("/")[0] for one in constraint.requests]
    who = [one for one in spec.requests if not names or one.name in names]
    slots = [slot for one in who if one.exactly is not None for slot in trial.selected(one.exactly)]
    if slots and all(attribute_of(slot.device, slot.id.driver, name) is None for slot in slots):
        return f"no device that its requests select has the attribute {name}"
    told = "have one value" if constraint.match else "all have different values"
    if len(who) == 1 and who[0].exactly is not None and who[0].exactly.mode != "All":
        count = who[0].exactly.count
        for most in range(min(count, MOST_DEVICES) - 1, 0, -1):
            fewer = replace(who[0], exactly=replace(who[0].exactly, count=most))
            if not _fails(trial, replace(spec, requests=(fewer,), constraints=(constraint,))):
                return f"no node has {count} devices that {told} of {name}; the most are {most}"
    lone = not number or _fails(trial, replace(spec, constraints=(constraint,)))
    beside = "" if lone else ", where the constraints before it hold"
    return f"no node has devices for {listed([one.name for one in who])} that {told} of {name}{beside}"
