"""Capacity and departures as plain data."""

from __future__ import annotations

from typing import Any

from kubelint_gpu.capacity.departures import CapacityAnswer, Departure, Move
from kubelint_gpu.capacity.supply import quota_demands
from kubelint_gpu.kube.values.quantity import canonical


def capacity_json(found: CapacityAnswer) -> dict[str, Any]:
    """The output of `kubelint-gpu capacity` for one cluster, as plain data."""
    cluster = found.cluster
    return {
        "cluster": cluster.world.name or None,
        "shares": [
            {
                "model": one.model,
                "pool": one.pool or None,
                "nodes": list(one.nodes),
                "gpus": one.gpus,
                "others": one.others,
                "declared": one.declared,
                "pending": one.pending,
                "free": one.free,
                "rollouts": {"oneByOne": one.one_by_one, "atOnce": one.at_once},
            }
            for one in found.shares
        ],
        "pending": [{"workload": one.name, "pods": one.pending} for one in cluster.groups if one.pending],
        "quotas": [
            {
                "quota": one.quota,
                "key": one.key,
                **{name: canonical(amount) for name, amount in one.amounts.items()},
                "workloads": list(one.workloads),
            }
            for one in quota_demands(cluster)
        ],
        "rollouts": [
            {
                "workload": one.group.name,
                "gpus": one.group.gpus,
                "node": one.node or None,
                "roomOneByOne": bool(one.node),
                "roomAtOnce": one.at_once,
            }
            for one in found.surges
        ],
        "refused": list(cluster.refused),
        "cannotBeLost": [departure_json(one) for one in found.gone if one.pending],
        "blockedDrains": [departure_json(one) for one in found.gone if one.blocked and not one.is_zone],
        "drainedInTurn": None
        if found.drains is None
        else [
            {"workload": one.group.name, "node": one.node, "pods": one.pods, "ofPods": one.group.total}
            for one in found.drains
        ],
    }


def departure_json(one: Departure) -> dict[str, Any]:
    """Return the moves of the pods of lost nodes, as plain data."""
    return {
        "what": one.what,
        "nodes": list(one.nodes),
        "pending": one.pending,
        "moves": [_move_json(move) for move in one.moves],
        "others": {"pods": one.lost[0], "gpus": one.lost[1]},
    }


def _move_json(one: Move) -> dict[str, Any]:
    return {
        "workload": one.group.name,
        "pods": one.drained.pods,
        "ofPods": one.group.total,
        "to": list(one.to),
        "pending": one.drained.stranded,
        "preempted": len(one.preempted),
        "budgets": list(one.drained.budgets),
        "disruptionsAllowed": one.drained.allowed,
        "blocked": one.drained.blocked,
    }
