"""Further places of a rollout that never ends: the line that makes each held thing exclusive."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kubelint_gpu.checks import routes
from kubelint_gpu.checks.finding import Related
from kubelint_gpu.checks.places import clues
from kubelint_gpu.checks.unit import Subject, Unit
from kubelint_gpu.checks.wording import amount
from kubelint_gpu.documents import Pointer
from kubelint_gpu.kube.requests import pod_requests
from kubelint_gpu.kube.storage import READ_WRITE_ONCE_POD
from kubelint_gpu.rollout.trace import Waiting

_QUOTA = re.compile(r"exceeded quota: ([^,]+), requested: (.+), used: ")
_ONE_NODE = "ReadWriteOnce"


def stakes(unit: Unit, subject: Subject, waiting: Waiting) -> tuple[Related, ...]:
    """What is asked for, what makes it exclusive, what binds the pod, and the nodes."""
    if waiting.refusal:
        return tuple(_quota(unit, subject, waiting.refusal))
    resource = waiting.lacks[0].resource if waiting.lacks else ""
    nodes = [lack.node for lack in waiting.lacks]
    plugins = {lack.plugin for lack in waiting.lacks}
    found: list[Related] = []
    if "NodePorts" in plugins:
        found += _ports(subject)
    if "InterPodAffinity" in plugins:
        found += _apart(subject)
    if "PodTopologySpread" in plugins:
        found += _spread(subject)
    if plugins & {"VolumeRestrictions", "VolumeAttach"}:
        found += _claims(unit, subject)
    return (*found, *clues(unit, subject, resource, nodes))


def exclusive_claims(unit: Unit, subject: Subject) -> dict[str, str]:
    """The access mode of each claim of the pod that not every pod can use at once, by the claim's name."""
    modes = {
        claim.meta.name: claim.access_modes
        for claim in unit.cluster.claims
        if claim.meta.namespace == subject.workload.meta.namespace
    }
    named = [str(volume.source.get("claimName", "")) for volume in subject.workload.spec.volumes]
    return {
        name: modes[name][0] for name in named if modes.get(name) and modes[name][0] in (READ_WRITE_ONCE_POD, _ONE_NODE)
    }


def _ports(subject: Subject) -> Iterator[Related]:
    for route in routes.host_ports(subject.manifest):
        written = route[-1] == "hostPort"
        port = routes.at(subject.manifest, route)
        why = "" if written else ", because the pod uses the host's network"
        yield Related(subject.manifest.place(route), f"one pod of a node can have host port {port}{why}")


def _apart(subject: Subject) -> Iterator[Related]:
    for route in routes.anti_affinity(subject.manifest):
        key = routes.at(subject.manifest, (*route, "topologyKey"))
        yield Related(
            subject.manifest.place((*route, "topologyKey")),
            f"no two such pods may share one value of {key}, and old and new pods both count",
        )


def _spread(subject: Subject) -> Iterator[Related]:
    for route in routes.spread(subject.manifest):
        skew = routes.at(subject.manifest, (*route, "maxSkew"))
        yield Related(
            subject.manifest.place((*route, "whenUnsatisfiable")),
            f"no place may have more than {skew} above the emptiest, and old and new pods both count",
        )


def _claims(unit: Unit, subject: Subject) -> Iterator[Related]:
    exclusive = exclusive_claims(unit, subject)
    for route in routes.claims(subject.manifest):
        mode = exclusive.get(str(routes.at(subject.manifest, route)))
        if mode is not None:
            users = "one pod at a time" if mode == READ_WRITE_ONCE_POD else "the pods of one node at a time"
            yield Related(subject.manifest.place(route), f"the claim is {mode}: {users}")


def _quota(unit: Unit, subject: Subject, refusal: str) -> Iterator[Related]:
    found = _QUOTA.search(refusal)
    if found is None:
        return
    name, namespace = found[1], subject.workload.meta.namespace
    keys = [part.partition("=")[0] for part in found[2].split(",")]
    requests = pod_requests(subject.workload.spec)
    for key in keys:
        resource = key.removeprefix("requests.")
        for route in routes.requests(subject.manifest, resource):
            yield Related(subject.manifest.place(route), f"each pod takes {amount(resource, requests[resource])}")
    for manifest in unit.manifests:
        if (manifest.kind, manifest.name, manifest.namespace or "default") == ("ResourceQuota", name, namespace):
            for key in keys:
                route: Pointer = ("spec", "hard", key)
                yield Related(manifest.place(route), f"the quota allows {key} {routes.at(manifest, route)}")
            return
    declared = unit.world.declared("ResourceQuota", name, namespace)
    if declared is None:
        return
    hard = declared.value.get("spec", {}).get("hard", {})
    for key in keys:
        if key in hard:
            yield Related(unit.world.place(declared, ("spec", "hard", key)), f"the quota allows {key} {hard[key]}")
