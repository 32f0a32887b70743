"""Two filters as somebody would add them, and none of whose names the package knows.

`Seats`: a pod labelled `example.com/licence` takes a seat of its node; the node's label `example.com/seats` says how many it has.
`SEATS_TOLD` declares what is true of it, `SEATS_LOCAL` that it looks at one node, `SEATS_UNTOLD` nothing.
`RACKS`: of the pods with the label one at most is in a rack.
The environment says which of them it is.
"""

from __future__ import annotations

import os

from kubelint_gpu.scheduler.framework.facts import ANYTHING, Facts, Held, never, on_one_node, same_node, within
from kubelint_gpu.scheduler.framework.node_reason import NodeReason
from kubelint_gpu.scheduler.framework.plugin import SKIP, Code, Plugin, Prepared, Status

LICENCE, SEATS, RACK = "example.com/licence", "example.com/seats", "example.com/rack"
NO_SEAT = NodeReason("had no free seat")
TAKEN = NodeReason("were in a rack that is taken")


def wants(pod):
    return LICENCE in pod.meta.labels


def both(pod, other):
    return wants(pod) and wants(other)


def seat_wanted(pod, snapshot):
    return Prepared(True, apart=frozenset(node.name for node in snapshot.nodes)) if wants(pod) else SKIP


def seat_free(_, node):
    taken = sum(wants(pod) for pod in node.pods)
    full = taken >= int(node.node.labels.get(SEATS, 0))
    return Status("Seats", Code.UNSCHEDULABLE, (NO_SEAT,)) if full else None


SEAT_FACTS = on_one_node(
    Facts(
        Held.RESOURCE,
        asks=wants,
        excludes=both,
        pod_labels=lambda _: (LICENCE,),
        token=lambda _pods, _wide, _cluster: lambda node, placed: (node.labels.get(SEATS), sum(map(wants, placed))),
        blockers=lambda *_: lambda other: same_node if wants(other) else never,
    )
)


def racks_taken(pod, snapshot):
    if not wants(pod):
        return SKIP
    taken = frozenset(node.node.labels.get(RACK) for node in snapshot.nodes if any(map(wants, node.pods)))
    return Prepared((snapshot, taken), apart=frozenset(node.name for node in snapshot.nodes))


def rack_free(state, node):
    return Status("Racks", Code.UNSCHEDULABLE, (TAKEN,)) if node.node.labels.get(RACK) in state[1] else None


def racks_without(state, pods, node):
    snapshot, _ = state
    gone = {pod.key for pod in pods}
    left = {
        one.node.labels.get(RACK)
        for one in snapshot.nodes
        if any(wants(pod) and not (one.name == node.name and pod.key in gone) for pod in one.pods)
    }
    return snapshot, frozenset(left)


def _refusing(others, unique):
    return wants if any(map(wants, others)) and not unique(RACK) else lambda _: False


RACK_FACTS = Facts(
    Held.PLACE,
    asks=wants,
    heeds=both,
    excludes=both,
    local=lambda pod, unique: not wants(pod) or unique(RACK),
    refusing=_refusing,
    pod_labels=lambda _: (LICENCE,),
    topology=lambda pod: (RACK,) if wants(pod) else (),
    token=lambda _pods, _wide, _cluster: lambda node, placed: (node.labels.get(RACK), any(map(wants, placed))),
    blockers=lambda *_: lambda other: within([RACK]) if wants(other) else never,
)
KINDS = {
    "SEATS_TOLD": Plugin("Seats", seat_wanted, seat_free, facts=SEAT_FACTS),
    "SEATS_LOCAL": Plugin("Seats", seat_wanted, seat_free, facts=on_one_node(Facts())),
    "SEATS_UNTOLD": Plugin("Seats", seat_wanted, seat_free, facts=ANYTHING),
    "RACKS": Plugin("Racks", racks_taken, rack_free, racks_without, facts=RACK_FACTS),
}
PLUGIN = KINDS[os.environ.get("LICENCES", "SEATS_TOLD")]
