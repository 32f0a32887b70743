"""What a control plane shows of a rollout: what is complete, where pods are, and why some wait."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from conformance.api_client import Client, Object, path_of
from conformance.kubelets import Kubelets, ready
from conformance.rollout_case import WORKLOADS

_STATUS: dict[str, tuple[str, ...]] = defaultdict(
    tuple,
    Node=("allocatable", "capacity"),
    Pod=("phase",),
    PersistentVolume=("phase",),
    PersistentVolumeClaim=("phase", "accessModes", "capacity"),
    ResourceQuota=("hard", "used"),
    PodDisruptionBudget=("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"),
)
_SUFFIX = re.compile(r'pods "([^"]*)-[a-z0-9]{5}"')


@dataclass(slots=True)
class View:
    """One control plane; `old_revisions` are those of the pods that were there before anything was applied."""

    client: Client
    kubelets: Kubelets
    old_revisions: set[str] | None = None

    def settled(self, value: Object) -> bool:
        """Whether controllers have said about an object what others read from it."""
        kind = value["kind"]
        if kind == "Pod":
            found = self.client.get(path_of(value))
            return found is not None and ready(found)
        if kind == "PersistentVolumeClaim" and value["spec"].get("volumeName"):
            found = self.client.get(path_of(value))
            return found is not None and (found.get("status") or {}).get("phase") == "Bound"
        if kind == "ResourceQuota":
            found = self.client.get(path_of(value)) or {}
            status = found.get("status") or {}
            used = [
                pod for pod in self.kubelets.pods() if pod["metadata"]["namespace"] == value["metadata"]["namespace"]
            ]
            counted = (status.get("used") or {}).get("pods")
            of_some = value["spec"].get("scopes") or value["spec"].get("scopeSelector")
            same = (status.get("hard") or {}) == (found.get("spec") or {}).get("hard")
            return same and (bool(of_some) or counted in {None, str(len(used))})
        if kind == "PodDisruptionBudget":
            found = self.client.get(path_of(value)) or {}
            status = found.get("status") or {}
            return bool(status.get("observedGeneration", 0) >= found.get("metadata", {}).get("generation", 1) > 0)
        return True

    def as_it_is(self, value: Object) -> Object:
        """An object of the inventory as the API server shows it now, without what differs from run to run."""
        found = self.client.get(path_of(value)) or {}
        metadata = found.get("metadata") or {}
        kept = ("name", "namespace", "labels", "annotations")
        pruned = {
            "apiVersion": value["apiVersion"],
            "kind": value["kind"],
            "metadata": {key: metadata[key] for key in kept if key in metadata},
            **{key: found[key] for key in sorted(found) if key not in {"apiVersion", "kind", "metadata", "status"}},
        }
        status = {key: each for key, each in (found.get("status") or {}).items() if key in _STATUS[value["kind"]]}
        if isinstance(pruned.get("spec"), dict):
            pruned["spec"] = {key: each for key, each in pruned["spec"].items() if key != "tolerations" or each}
            if "claimRef" in pruned["spec"]:
                claim = pruned["spec"]["claimRef"]
                pruned["spec"]["claimRef"] = {key: claim[key] for key in ("name", "namespace") if key in claim}
        return {**pruned, "status": status} if status else pruned

    def complete(self, value: Object) -> bool:
        """Whether a workload has all its pods, all of its last template, and no other."""
        if value["kind"] not in WORKLOADS:
            return True
        found = self.client.get(path_of(value))
        if found is None:
            return False
        spec, status = found["spec"], found.get("status") or {}
        if value["kind"] == "Job":
            return any(
                each["type"] == "Complete" and each["status"] == "True" for each in status.get("conditions") or ()
            )
        if status.get("observedGeneration", 0) < found["metadata"].get("generation", 1):
            return False
        if value["kind"] == "DaemonSet":
            wanted = status.get("desiredNumberScheduled", 0)
            on_delete = spec["updateStrategy"]["type"] == "OnDelete"
            updated = on_delete or status.get("updatedNumberScheduled", 0) == wanted
            alone = status.get("numberMisscheduled", 0) == 0
            return bool(updated and alone and status.get("numberAvailable", 0) == wanted)
        wanted = spec["replicas"]
        if value["kind"] == "StatefulSet":
            partition = ((spec.get("updateStrategy") or {}).get("rollingUpdate") or {}).get("partition") or 0
            updated = status.get("updatedReplicas", 0) >= max(0, wanted - partition)
            on_delete = spec["updateStrategy"]["type"] == "OnDelete"
            there = status.get("availableReplicas", 0) == wanted == status.get("replicas", 0)
            return bool(there and (updated or on_delete))
        numbers = ("replicas", "updatedReplicas", "availableReplicas")
        return all(status.get(name, 0) == wanted for name in numbers)

    def numbers(self, workloads: Sequence[Object]) -> tuple[Any, bool]:
        """What controllers have written, and whether one of them fails to create pods."""
        found = []
        short = False
        for kind in sorted({each["kind"] for each in workloads} | {"ReplicaSet"}):
            for each in self.client.list(kind):
                status = {key: value for key, value in (each.get("status") or {}).items() if isinstance(value, int)}
                found.append((kind, each["metadata"]["name"], each["spec"].get("replicas"), sorted(status.items())))
                if kind == "ReplicaSet":
                    short |= status.get("replicas", 0) < each["spec"].get("replicas", 0)
                elif kind != "Deployment":
                    wanted = each["spec"].get("replicas", each["spec"].get("parallelism", 0))
                    short |= status.get("replicas", status.get("active", 0)) < wanted
        return found, short

    def events(self) -> list[Object]:
        """Why pods wait and why pods are not created, each text once."""
        found = set()
        for pod in self.kubelets.pods():
            for each in (pod.get("status") or {}).get("conditions") or ():
                if each["type"] == "PodScheduled" and each["status"] == "False":
                    found.add((self.named(pod), "FailedScheduling", each.get("message", "")))
        for kind in ("ReplicaSet", "StatefulSet", "DaemonSet", "Job"):
            for event in self.client.list("Event", fieldSelector=f"involvedObject.kind={kind},reason=FailedCreate"):
                involved = event["involvedObject"]
                text = _SUFFIX.sub(r'pods "\1-*"', event["message"].replace("(combined from similar events): ", ""))
                found.add((f"{kind}/{involved['namespace']}/{involved['name']}", "FailedCreate", text))
        return [{"object": a, "reason": b, "message": c} for a, b, c in sorted(found)]

    def placement(self) -> list[Object]:
        """Where pods are, pods of one revision in one phase on one node counted together."""
        counted: Counter[tuple[str, str, str, str]] = Counter()
        claims = self._allocations()
        for pod in self.kubelets.pods():
            status = pod.get("status") or {}
            phase = "ready" if ready(pod) else "starting" if pod["spec"].get("nodeName") else "pending"
            if pod["metadata"].get("deletionTimestamp"):
                phase = "terminating"
            if status.get("phase") in {"Succeeded", "Failed"}:
                phase = "finished"
            held = json.dumps({name: claims[key] for name, key in _claims(pod).items() if key in claims})
            counted[self.named(pod), pod["spec"].get("nodeName") or "", phase, held] += 1
        return [
            {"of": a, "node": b, "phase": c, "count": n, **({"claims": json.loads(held)} if held != "{}" else {})}
            for (a, b, c, held), n in sorted(counted.items())
        ]

    def _allocations(self) -> dict[str, Object]:
        """What each claim has that has anything, by namespace and name."""
        found = {}
        for claim in self.client.list("ResourceClaim"):
            allocation = (claim.get("status") or {}).get("allocation")
            if allocation:
                metadata = claim["metadata"]
                kept = {key: allocation[key] for key in ("devices", "nodeSelector") if key in allocation}
                found[f"{metadata['namespace']}/{metadata['name']}"] = kept
        return found

    def named(self, pod: Object) -> str:
        """`Deployment/ns/name new`, `StatefulSet/ns/name old name-0`, `Pod/ns/name`."""
        metadata = pod["metadata"]
        namespace = metadata["namespace"]
        owner = next((each for each in metadata.get("ownerReferences") or () if each.get("controller")), None)
        if owner is None:
            return f"Pod/{namespace}/{metadata['name']}"
        kind, name = owner["kind"], owner["name"]
        age = "old" if self.old_revisions is None or revision(pod) in self.old_revisions else "new"
        if kind == "ReplicaSet":
            return f"Deployment/{namespace}/{name.rsplit('-', 1)[0]} {age}"
        if kind == "StatefulSet":
            return f"{kind}/{namespace}/{name} {age} {metadata['name']}"
        return f"{kind}/{namespace}/{name} {age}"


def _claims(pod: Object) -> dict[str, str]:
    """The key of each claim that a pod has, by its name in the pod."""
    spec, status, namespace = pod["spec"], pod.get("status") or {}, pod["metadata"]["namespace"]
    made = {each["name"]: each.get("resourceClaimName") for each in status.get("resourceClaimStatuses") or ()}
    named = {each["name"]: each.get("resourceClaimName") for each in spec.get("resourceClaims") or ()}
    return {name: f"{namespace}/{made.get(name) or claim}" for name, claim in named.items()}


def revision(pod: Object) -> str:
    """What tells the pods of one template from those of another."""
    labels = pod["metadata"].get("labels") or {}
    owners = pod["metadata"].get("ownerReferences") or ()
    owner = owners[0]["uid"] if owners and owners[0]["kind"] == "Job" else ""
    return labels.get("controller-revision-hash") or labels.get("pod-template-hash") or owner
