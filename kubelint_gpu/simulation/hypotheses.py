"""The hypotheses under which a rollout is judged, the names of arguments, and a row for each answer."""

from __future__ import annotations

from typing import NamedTuple

SEARCH = "search"
NO_NODE = "no-node"
USED_UP = "no-work-left"
NOTHING_TO_ROLL = "nothing-to-roll"
COUNT = "room-count"
DECLARED = "declared-devices"
ORDERS = "all-orders"
ROOM_FREED = "room-freed"
QUOTA = "quota"


class Hypothesis(NamedTuple):
    """A variant of the run; `clause` is the English for "only if …"."""

    name: str
    clause: str


ALONE = Hypothesis("alone", "while all others stay as they are")
ANYTHING = Hypothesis("anything-changes", "whatever else changes meanwhile")
AT_ONCE = Hypothesis("at-once", "if all changes begin at once")
WITHOUT_OTHERS = Hypothesis("without-others", "even without all others")
WITHOUT_WEAKER = Hypothesis("without-weaker", "even without all that it can evict")
LATER = Hypothesis("later", "if it rolls once the others have")
TEMPLATE_KNOWN = Hypothesis("template-known", "if old pods have the template")
JOBS_DONE = Hypothesis("jobs-done", "if Jobs that wait end first")
OTHERS_ROLL = Hypothesis("others-roll", "if others roll at the same time")
DAEMON_ROLLS = Hypothesis("daemon-rolls", "if a DaemonSet frees its place")
EVICTING = Hypothesis("evicting", "if its pods preempt others")
HIGHER = Hypothesis("beside-higher", "beside pods of higher priority")
PENDING = Hypothesis("beside-pending", "beside pods that are waiting")
PARTS = Hypothesis("parts", "with its other templates")
DAEMON_ORDER = Hypothesis("daemon-order", "for every order of DaemonSets")
CLOSED_NODES = Hypothesis("closed-nodes", "if old pods are on closed nodes")
DEVICES_LEAVE = Hypothesis("devices-leave", "if devices leave meanwhile")
POOLS_GROWN = Hypothesis("pools-grown", "if pools have grown")
NO_NODE_JOINS = Hypothesis("no-node-joins", "if no node joins any more")
DEVICES_KNOWN = Hypothesis("devices-unknown", "without known devices for claims")
MORE_NODES = Hypothesis("more-nodes", "if nodes are not declared")
BESIDE_REMOVED = Hypothesis("beside-removed", "while deleted objects still run")
NEXT_ROLLOUT = Hypothesis("next-rollout", "at the next rollout")
REVISION_QUOTA = Hypothesis("revision-quota", "with the quota of its revisions")
SERVED_BOTH_WAYS = Hypothesis("served-both-ways", "if devices are served both ways")


class Row(NamedTuple):
    """The answer of one hypothesis about a rollout.

    Attributes:
        hypothesis: its name.
        clause: the same in English, as in "if pools have grown".
        answer: the verdict, or how many pods lack room.
        argument: the name of the decider.
        steps: how many states the search looked at.
    """

    hypothesis: str
    clause: str
    answer: str
    argument: str
    steps: int
