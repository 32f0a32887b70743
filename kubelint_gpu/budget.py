"""All budgets and limits of a run."""

from __future__ import annotations

from kubelint_gpu.values import Value


class Budget(Value):
    """The budget of a run in steps as `work` counts them, and of single questions.

    Attributes:
        replicas: the most pods of a workload that are built, whatever the nodes hold.
        states: the states that the search of one workload's rollout visits; on many nodes fewer.
        starts: the first placements from which an incomplete search continues.
        retries: how often a search restarts with pods that it had assumed to stay where they are.
        placements: the partial placements that counting pods visits.
        waiting: the placements visited to find what the next pod waits for.
        gangs: the states of Jobs that may block one another.
        starving: the partial placements beside which a Job waits.
        told: the number of workloads without devices for which the reason of the wait is reported.
        company: the states of rollouts that other rollouts may unblock.
        drain: the partial placements for each drained node.
        rollback: the states of a StatefulSet's rollback.
        devices: the devices tried for one pod: what the allocator of Kubernetes does in some hundredths of a second.
        orders: the orders of pools and slices in which devices are searched if the release has no fixed order.
        expression: the steps of an expression about one device.
    """

    replicas: int = 64
    states: int = 20_000
    starts: int = 50
    retries: int = 20
    placements: int = 5_000
    waiting: int = 500
    gangs: int = 20_000
    starving: int = 2_000
    told: int = 16
    company: int = 2_000
    drain: int = 1_000
    rollback: int = 1_000
    devices: int = 100_000
    orders: int = 24
    expression: int = 5_000


class Effort(Value):
    """How much work a run may do, in steps.

    Attributes:
        run: for all questions of a run together.
        group: for all questions about one contended group of workloads, whatever else is checked; more for many
            questions.
        least: the minimum of each unit.
    """

    run: int
    group: int
    least: int = 1_000


EFFORTS = {"low": Effort(240_000, 24_000), "normal": Effort(2_400_000, 240_000), "high": Effort(24_000_000, 2_400_000)}
"""By the name that `--effort` takes: what all that bounds leave open may cost."""
NORMAL = EFFORTS["normal"]


class PlacementLimits(Value):
    """Limits of memory and search for one attempt to place one or several pods."""

    few_nodes: int = 24  # on so many nodes, each is looked at by itself instead of by its class
    partitions: int = 256  # the partitions of the nodes that are remembered
    label_values: int = 16  # the values of a label by which nodes are indexed
    remembered: int = 400_000  # the answers about pods that are remembered
    clusters: int = 4  # the clusters whose pods are found by their owners
    few_groups: int = 32  # so many groups of pods are gone through instead of indexed
    few_changed: int = 4  # after the change of so many nodes, what was known of equal nodes is corrected
    of_one_kind: int = 256  # the pods of one kind that are counted on one node, or that one pod keeps off it
    spread_pods: int = 200  # the pods that are placed by domains
    node_infos: int = 50_000  # the contents of nodes that are remembered


class StepsLimits(Value):
    """How much cheap work counts as one step; `pod_type` is the number of steps for creating a pod type."""

    passed_nodes: int = 16  # nodes that an attempt passes over
    copied: int = 64  # nodes and pods that a snapshot copies
    short_pods: int = 64  # pods that are counted as placed
    device_tries: int = 64  # devices that are tried
    expressions: int = 8  # expressions of a node selector
    evaluated: int = 4  # steps of an expression about a device, or expressions about one
    pattern: int = 64  # instructions of a regular expression that is made
    asked_nodes: int = 8  # nodes, or pods on them, of a question to the scheduler
    demand: int = 32  # resources on nodes, or beside rivals
    placement: int = 8  # nodes and pods of a partial placement
    kept_placement: int = 64  # those of one that is remembered
    pod_type: int = 8
    successor: int = 4  # nodes of a state that follows another


class SimulationLimits(Value):
    """Limits of the search for one rollout, and of the questions about it."""

    pool_nodes: int = 24  # the nodes by which an autoscaled pool grows
    preemption_orders: int = 24  # the orders in which equal victims may have started
    daemon_orders: int = 6  # the orders in which DaemonSets place their pods
    daemons_on_a_node: int = 4  # old and new pods of a DaemonSet on one node at once, terminating or not
    few_nodes: int = 16  # on so many nodes a search has its whole budget
    least_states: int = 500  # the states that it looks at on any number of nodes
    run_steps: int = 600  # the steps of a single run
    crowded: float = 0.5  # the share of single runs that crowd the nodes
    further_nodes: int = 24  # the nodes beyond the inventory
    further_forms: int = 16  # the forms that such a node may have
    together: int = 8  # the workloads of which it is asked whether some nodes take all of their pods
    sources: int = 64  # the parts of a cluster for each of which it is counted what is asked of it
    plenty: int = 10**12  # what such a node has of each resource
    drains: int = 10  # the drains whose whole budget one question has
    least_drain: int = 50  # the placements that each drain looks at
    helpers: int = 6  # the workloads that may let one another end
    helped_nodes: int = 16  # the nodes on which this is asked
    pending_kinds: int = 6  # the kinds of pending pods beside a rollout
    open_domains: int = 64  # the choices of topology domains of which it is asked whether all of their nodes are full
    crowded_starts: int = 4  # the starts in which others crowd the nodes of one topology domain
    price_ratios: int = 4  # the nodes whose prices say how resources are measured against each other
    price_parts: int = 1_000_000  # the parts in which resources of different units are measured against each other
    blockades: int = 96  # the ways in which others may make all of some nodes refuse a pod
    weight: int = 2**128  # what nodes need of each resource together, before the resources are weighed again
    weighings: tuple[int, ...] = (2, 2, 2, 4, 4, 4, 8, 8, 8, 16, 16, 16)  # the parts by which weights change
    filled_nodes: int = 4  # the nodes of a DaemonSet that others fill while all are rolled
    filling_steps: int = 6_000  # the steps of a run in which they do


class PartsLimits(Value):
    """The share of the budget for each further question, as a half, a quarter and so on."""

    together: int = 2  # rollouts that begin at the same moment
    pair: int = 4  # two of them
    scaled: int = 4  # a workload with another number of replicas
    applied: int = 4  # what is applied at once
    pending: int = 4  # a rollout beside pending pods
    at_rest: int = 4  # the placements that all questions about a group share
    samples: int = 4  # the samples of a search that did not see everything
    single_runs: int = 4  # single runs after such a search
    pause: int = 4  # the part of a search after which it may halt
    questions: int = 40  # the questions about one group that share its allowance; of more it has more
    evicting: int = 16  # who is evicted by a rollout that surely ends


class ToldLimits(Value):
    """Limits of the details that a finding or an explanation examines and names."""

    pairs: int = 16  # the pairs of rollouts that may block each other
    sharing_pods: int = 256  # the replicas that are placed with shared claims
    sharing_nodes: int = 32  # the nodes that are tried for them
    first_scaled: int = 4  # the first numbers of replicas that are looked at between the bounds of an autoscaler
    most_scaled: int = 100  # the replicas up to which room is counted
    examined: int = 16  # the nodes of one reason that are examined further
    examined_in_all: int = 256  # those of all reasons
    values: int = 4  # the values of a label that are named
    leaving_pods: int = 256  # the running pods that could leave
    leaving_owners: int = 16  # the owners of such pods
    nodes: int = 6  # the nodes that a step of a run names
    alike: float = 0.8  # how alike, from 0 to 1, a field is to the one that was meant


BUDGET = Budget()
PLACEMENT = PlacementLimits()
STEPS = StepsLimits()
SIMULATION = SimulationLimits()
PARTS = PartsLimits()
TOLD = ToldLimits()
