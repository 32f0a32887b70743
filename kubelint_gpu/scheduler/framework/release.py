"""Differences between the releases of kube-scheduler: one table, newest last.

Source: answers recorded from 1.30.1, 1.32.2, 1.33.0, 1.34.1 and 1.36.3, and the release notes between them.
"""

from __future__ import annotations

import re

from kubelint_gpu.patterns import pattern
from kubelint_gpu.scheduler.framework.node_reason import NodeReason
from kubelint_gpu.values import Value, replace

_VERSION = pattern(r"v?(\d{1,4})\.(\d{1,4})(?:[.+-].*)?", re.ASCII | re.DOTALL)
_OLDEST = 29
NEWEST = "1.36"


class Behaviour(Value):
    """Wordings and switches of one minor release.

    Attributes:
        version: the minor release, for example `1.34`.
        names_taint: the reason for an untolerated taint names the first one.
        excluded: the reason of a node that PreFilter plugins excluded; `{plugins}` is their sorted names.
        volume_affinity: the reason of a node that a bound PersistentVolume cannot reach.
        claim_in_use: the reason of a ReadWriteOncePod claim that another pod uses.
        oversize_is_final: a request above allocatable makes the node UnschedulableAndUnresolvable.
        pod_level_resources: `spec.resources` of a pod counts (gate PodLevelResources).
        in_place_resize: what the kubelet allocated to a running pod counts (gate InPlacePodVerticalScaling).
        dynamic_resources: the plugin DynamicResources is in the default profile.
        deallocation: its PostFilter message for a pod without claims; empty if it has none.
        volume_narrowing: VolumeBinding's PreFilter narrows the nodes to those that bound local volumes name.
        namespaces_leak: an own affinity term whose namespace selector also matches no labels at all covers every
            namespace (kubernetes/kubernetes#141526).
        counts_attachments: NodeVolumeLimits counts volumes that are attached without a pod
            (kubernetes/kubernetes#127757).
    """

    version: str
    names_taint: bool = True
    excluded: str = "node is filtered out by the prefilter result"
    volume_affinity: str = NodeReason("had volume node affinity conflict")
    claim_in_use: str = "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode"
    oversize_is_final: bool = False
    pod_level_resources: bool = False
    in_place_resize: bool = False
    dynamic_resources: bool = False
    deallocation: str = ""
    volume_narrowing: bool = True
    namespaces_leak: bool = False
    counts_attachments: bool = False


def _table() -> dict[int, Behaviour]:
    oldest = Behaviour("1.29")
    changes: dict[int, dict[str, object]] = {
        30: {},
        31: {"excluded": "node(s) didn't satisfy plugin(s) [{plugins}]", "volume_narrowing": False},
        32: {},
        33: {
            "volume_affinity": NodeReason("didn't match PersistentVolume's node affinity"),
            "in_place_resize": True,
            "counts_attachments": True,
        },
        34: {
            "claim_in_use": NodeReason(
                "unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another "
                "pod",
                "it is {}",
            ),
            "oversize_is_final": True,
            "pod_level_resources": True,
            "dynamic_resources": True,
            "deallocation": "no new claims to deallocate",
            "namespaces_leak": True,
        },
        35: {"names_taint": False},
        36: {},
        # kubernetes/kubernetes#140222: PostFilter says nothing of pods without claims any more
        37: {"deallocation": ""},
    }
    table = {_OLDEST: oldest}
    for minor, change in changes.items():
        table[minor] = replace(table[minor - 1], version=f"1.{minor}", **change)
    return table


_TABLE = _table()


def minor_of(version: str) -> int | None:
    """The minor number of a version, for example of `1.34`, `v1.34.1` or `v1.33.5-eks-1a2b`; None unless it is 1.x."""
    found = _VERSION().fullmatch(version.strip())
    return int(found[2]) if found is not None and found[1] == "1" else None


def behaviour(version: str | None) -> Behaviour:
    """The behaviour of a release; None is the newest release whose answers were recorded.

    Releases before 1.29 count as 1.29, those after the end of the table as its last.

    Raises:
        ValueError: the text is no version of Kubernetes.
    """
    minor = minor_of(NEWEST if version is None else version)
    if minor is None:
        raise ValueError(f'"{version}" is no version of Kubernetes such as 1.34 or v1.34.1')
    return _TABLE[min(max(minor, _OLDEST), max(_TABLE))]
