"""The linter's verdict on each recorded rollout beside what the control plane did."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conformance.api_client import Object
from conformance.device_objects import DEVICES
from conformance.rollout_case import WORKLOADS, reference

if TYPE_CHECKING:
    from kubelint_gpu.kube.objects.cluster import Cluster
    from kubelint_gpu.kube.objects.workload import Workload
    from kubelint_gpu.simulation.search.verdict import Judgement
    from kubelint_gpu.simulation.transition import Transition

_BUILT_IN = (
    {"kind": "PriorityClass", "metadata": {"name": "system-cluster-critical"}, "value": 2000000000},
    {"kind": "PriorityClass", "metadata": {"name": "system-node-critical"}, "value": 2000001000},
)


@dataclass(frozen=True, slots=True)
class Compared:
    """One question to the linter and the answers of the runs that it covers.

    Attributes:
        id: of the case, and `@n` where the question was about the start of the n-th outcome alone.
        verdict: what the linter says.
        seen: outcomes of the runs, with how often.
        disagrees: what contradicts what; empty when nothing does.
    """

    id: str
    verdict: str
    seen: tuple[tuple[str, int], ...]
    disagrees: str = ""


def rolled(record: Object) -> tuple[str, ...]:
    """The workloads whose manifest changes."""
    old = {reference(each): each for each in record["old"]}
    new = [each for each in record["new"] if each["kind"] in WORKLOADS]
    return tuple(sorted(reference(each) for each in new if each != old.get(reference(each))))


def comparable(record: Object) -> str:
    """Why the linter cannot be asked about a recorded rollout; empty when it can."""
    if any(each["outcome"] == "refused" for each in record["outcomes"]):
        return "refused by the API server"
    return ""


def compared(record: Object) -> Iterator[Compared]:
    """Ask once with any start, once for each start that was seen."""
    outcomes = record["outcomes"]
    for names, said in _answers(record, None):
        yield _judged(record["id"], said, outcomes, names)
    starts: dict[str, list[Object]] = {}
    for outcome in outcomes:
        starts.setdefault(str(outcome["placement_before"]), []).append(outcome)
    for number, alike in enumerate(starts.values()):
        for names, said in _answers(record, alike[0]["placement_before"]):
            yield _judged(f"{record['id']}@{number}", said, alike, names)


def _answers(record: Object, start: Iterable[Object] | None) -> list[tuple[tuple[str, ...], str]]:
    """The verdicts; a crash of the linter is an answer too."""
    try:
        return list(verdicts(record, start))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is told with its case
        return [(rolled(record), f"crashes ({type(error).__name__}: {error})")]


def verdicts(record: Object, start: Iterable[Object] | None) -> Iterator[tuple[tuple[str, ...], str]]:
    """What the linter says, about which workloads, from a known start or from any."""
    from kubelint_gpu.simulation.questions.rollouts import judge, judge_together
    from kubelint_gpu.simulation.transition import Transition

    transitions, cluster = _question(record, start)
    left = set(rolled(record))
    if not all(each.existing for each in transitions):
        # what is new comes at the same moment as all that changes
        found = [one for one in judge(transitions, cluster) if one.workload.key in left]
        yield from (((one.workload.key,), _beside_new(one)) for one in found)
        return
    if len(left) > 1:
        for group in judge_together(transitions, cluster):
            names = tuple(sorted(workload.key for workload in group.workloads))
            left -= set(names)
            yield names, group.verdict.value if group.verdict is not None else "none"
    # each by itself: whether the others are rolled as well makes no difference
    for one in judge([Transition(each.new, each.old) for each in transitions], cluster):
        if one.workload.key in left:
            lacking = (
                f"none (placed {one.room.placed} of {one.room.wanted})"
                if one.room.placed < one.room.wanted
                else "nothing to roll"
            )
            yield (one.workload.key,), one.verdict.value if one.verdict is not None else lacking


def _beside_new(one: Judgement) -> str:
    """What is said of a workload that is new, or that changes at the same moment as one that is."""
    from kubelint_gpu.simulation.controllers.controller_of import controller_of

    if one.room.placed >= one.room.wanted:
        return one.verdict.value if one.verdict is not None else "completes"
    queues = controller_of(one.workload).runs_to_completion and one.room.placed
    varies = one.room.at_best is not None and one.room.at_best > one.room.placed
    return "may stick" if queues or varies else f"none (placed {one.room.placed} of {one.room.wanted})"


def _question(record: Object, start: Iterable[Object] | None) -> tuple[list[Transition], Cluster]:
    from kubelint_gpu.kube.admission.defaults import admitted
    from kubelint_gpu.kube.objects.cluster import read_cluster
    from kubelint_gpu.kube.objects.workload import read_workload
    from kubelint_gpu.scheduler.placement.running_claims import with_allocations
    from kubelint_gpu.simulation.prepare.workload_change import resolved_workload
    from kubelint_gpu.simulation.transition import Transition
    from kubelint_gpu.values import replace

    objects = [*_BUILT_IN, *(_resolved(each, record["inventory"]) for each in record["inventory"])]
    declared = {each["metadata"]["name"] for each in objects if each["kind"] == "Namespace"}
    for name in sorted(
        {each["metadata"].get("namespace", "default") for each in (*record["old"], *record["new"])} - declared
    ):
        labels = {"kubernetes.io/metadata.name": name}
        objects.append({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}})
    objects += [each for each in record["new"] if each["kind"] not in WORKLOADS]
    if start is not None:
        there = {reference(each): each for each in objects}
        objects = list({**there, **{reference(each): each for each in running(record, start)}}.values())
    cluster = read_cluster(objects, version=record["kubernetes"])
    cluster = with_allocations(replace(cluster, devices_known=bool(cluster.resource_slices)))

    def workload(value: Object) -> Workload:
        read = read_workload(value)
        if read is None:
            raise ValueError(f"not a workload: {reference(value)}")
        found = resolved_workload(read, cluster.priority_classes)
        return replace(found, spec=admitted(found.spec))

    old = {reference(each): each for each in record["old"]}
    latest = {**old, **{reference(each): each for each in record["new"] if each["kind"] in WORKLOADS}}
    transitions, made = [], not latest.keys() <= old.keys()
    for name in sorted(latest):
        before, after = workload(old.get(name, latest[name])), workload(latest[name])
        rolls = name in old and old[name]["spec"]["template"] != latest[name]["spec"]["template"]
        transitions.append(Transition(after, before, rolls, known=made, existing=name in old))
    return transitions, cluster


def running(record: Object, start: Iterable[Object]) -> Iterator[Object]:
    """The pods of a start, as the API server would list them."""
    templates = {reference(each): each for each in record["old"]}
    for place in start:
        if place["of"].startswith("Pod/") or place["phase"] == "finished":
            continue
        owner = templates[place["of"].split(" ")[0]]
        name = owner["metadata"]["name"]
        kind = owner["kind"]
        template = copy.deepcopy(owner["spec"]["template"])
        for number in range(place["count"]):
            controller = {"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": name, "controller": True}
            labels = {**template["metadata"]["labels"]}
            if kind == "Deployment":
                controller = {**controller, "kind": "ReplicaSet", "name": f"{name}-old"}
                labels["pod-template-hash"] = "old"
            pod_name = place["of"].split(" ")[2] if kind == "StatefulSet" else f"{name}-old-{place['node']}-{number}"
            statuses, claims = _held(place, pod_name, template["spec"], record["inventory"])
            yield from claims
            yield _resolved(
                {
                    "apiVersion": "v1",
                    "kind": "Pod",
                    "metadata": {
                        "name": pod_name,
                        "namespace": owner["metadata"].get("namespace", "default"),
                        "labels": labels,
                        "ownerReferences": [controller],
                    },
                    "spec": {**_with_keys(copy.deepcopy(template["spec"]), labels), "nodeName": place["node"]},
                    "status": {"phase": "Running", **({"resourceClaimStatuses": statuses} if statuses else {})},
                },
                record["inventory"],
            )


def _held(place: Object, pod: str, spec: Object, inventory: Iterable[Object]) -> tuple[list[Object], list[Object]]:
    """The claims that a pod of a start has: what its status says of those made for it, and the claims themselves."""
    there = {(each["kind"], each["metadata"]["name"]): each for each in inventory}
    statuses, claims = [], []
    for entry in spec.get("resourceClaims") or ():
        allocation = (place.get("claims") or {}).get(entry["name"])
        if allocation is None:
            continue
        name = entry.get("resourceClaimName") or f"{pod}-{entry['name']}"
        metadata: Object = {"name": name, "namespace": place["of"].split("/")[1]}
        if "resourceClaimName" in entry:
            asked = there["ResourceClaim", name]["spec"]
        else:
            asked = there["ResourceClaimTemplate", entry["resourceClaimTemplateName"]]["spec"]["spec"]
            metadata["ownerReferences"] = [
                {"apiVersion": "v1", "kind": "Pod", "name": pod, "uid": pod, "controller": True}
            ]
            statuses.append({"name": entry["name"], "resourceClaimName": name})
        user = {"resource": "pods", "name": pod, "uid": pod}
        status = {"allocation": allocation, "reservedFor": [user]}
        claims.append(
            {"apiVersion": DEVICES, "kind": "ResourceClaim", "metadata": metadata, "spec": asked, "status": status}
        )
    return statuses, claims


def _with_keys(spec: Object, labels: Object) -> Object:
    """The spec as the API server keeps it: label keys of affinity terms and spreading folded into their selectors."""
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    terms = [
        term
        for kind in ("podAffinity", "podAntiAffinity")
        for term in ((spec.get("affinity") or {}).get(kind) or {}).get(required) or ()
    ]
    for term in (*terms, *(spec.get("topologySpreadConstraints") or ())):
        for field, operator in (("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn")):
            found = [
                {"key": key, "operator": operator, "values": [labels[key]]}
                for key in term.get(field) or ()
                if key in labels
            ]
            if found:
                selector = term["labelSelector"]
                selector["matchExpressions"] = [*(selector.get("matchExpressions") or ()), *found]
    return spec


def _resolved(value: Object, inventory: Iterable[Object]) -> Object:
    if value["kind"] != "Pod" or "priority" in value["spec"]:
        return value
    classes = {each["metadata"]["name"]: each for each in (*inventory, *_BUILT_IN) if each["kind"] == "PriorityClass"}
    found = classes.get(value["spec"].get("priorityClassName", ""), {})
    spec = {**value["spec"], "priority": found.get("value", 0)}
    if "preemptionPolicy" in found:
        spec["preemptionPolicy"] = found["preemptionPolicy"]
    return {**value, "spec": spec}


def _judged(name: str, said: str, outcomes: Iterable[Object], workloads: tuple[str, ...]) -> Compared:
    seen: Counter[str] = Counter()
    for outcome in outcomes:
        complete = all(outcome["workloads"][each] == "complete" for each in workloads)
        seen["complete" if complete else "stuck"] += outcome.get("times", 1)
    wrong = ""
    if said == "completes" and seen["stuck"]:
        wrong = "says completes, a run stuck"
    elif said == "stuck" and seen["complete"]:
        wrong = "says stuck, a run completed"
    elif said.startswith("crashes"):
        wrong = said
    elif said.startswith("none") and seen["complete"]:
        wrong = f"gives no verdict ({said}), a run completed"
    return Compared(name, said, tuple(sorted(seen.items())), wrong)
