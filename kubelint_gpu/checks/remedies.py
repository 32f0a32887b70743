"""Fixes that rules propose; each is tried before it is offered."""

from __future__ import annotations

from kubelint_gpu.checks import routes
from kubelint_gpu.checks.draft import Proposal
from kubelint_gpu.checks.manifest import Manifest
from kubelint_gpu.documents.edits import Edit, remove_key, replace_scalar, set_key

_ROLLING = "rollingUpdate"


def no_surge(manifest: Manifest, replicas: int) -> Proposal:
    """Let an old pod go before its successor comes."""
    return Proposal(
        f"set maxSurge: 0 and maxUnavailable: 1, which costs a brief downtime of 1 of {replicas} "
        f"{'replica' if replicas == 1 else 'replicas'} at each step",
        "safe",
        lambda: _no_surge(manifest),
    )


def recreate(manifest: Manifest, replicas: int) -> Proposal:
    """Let all old pods go first."""
    return Proposal(
        f"set strategy type: Recreate, which costs a downtime of all {replicas} "
        f"{'replica' if replicas == 1 else 'replicas'} in each rollout",
        "unsafe",
        lambda: _recreate(manifest),
    )


def _no_surge(manifest: Manifest) -> list[Edit]:
    item = manifest.item
    if not manifest.present(routes.ROLLING):
        if manifest.present(routes.STRATEGY) and routes.at(manifest, routes.STRATEGY):
            return [set_key(item, routes.STRATEGY, _ROLLING, {"maxSurge": 0, "maxUnavailable": 1})]
        whole = {"type": "RollingUpdate", _ROLLING: {"maxSurge": 0, "maxUnavailable": 1}}
        return [set_key(item, ("spec",), "strategy", whole)]
    written = routes.at(manifest, routes.ROLLING)
    both = ("maxSurge", 0), ("maxUnavailable", 1)
    if not isinstance(written, dict) or not any(key in written for key, _ in both):
        return [set_key(item, routes.STRATEGY, _ROLLING, dict(both))]
    edits = [
        replace_scalar(item, (*routes.ROLLING, key), str(value))
        for key, value in both
        if key in written and written[key] != value
    ]
    return edits + [set_key(item, routes.ROLLING, key, value) for key, value in both if key not in written]


def _recreate(manifest: Manifest) -> list[Edit]:
    item = manifest.item
    if not manifest.present(routes.STRATEGY):
        return [set_key(item, ("spec",), "strategy", {"type": "Recreate"})]
    edits = [set_key(item, routes.STRATEGY, "type", "Recreate")]
    if manifest.present(routes.ROLLING):
        edits.append(remove_key(item, routes.ROLLING))
    return edits
