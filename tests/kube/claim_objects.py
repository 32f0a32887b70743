"""Resource claims and what they ask for."""

from __future__ import annotations

from kubelint_gpu.kube.dra.claim import DeviceQuery
from kubelint_gpu.kube.objects.taints import Toleration

ASKED = {
    "deviceClassName": "gpu",
    "count": 2,
    "selectors": [{"cel": {"expression": "true"}}, {"other": {}}],
    "adminAccess": False,
    "tolerations": [{"key": "k", "operator": "Exists", "effect": "NoSchedule"}],
    "capacity": {"requests": {"memory": "1Gi"}},
}


QUERY = DeviceQuery(
    "r",
    "gpu",
    ("true", None),
    count=2,
    admin=False,
    tolerations=(Toleration("k", "Exists", "", "NoSchedule"),),
    capacity={"memory": 2**30},
    has_capacity=True,
)


def claim(*requests, version="v1", **more):
    spec = {"devices": {"requests": list(requests)}}
    meta = {"name": "c", "namespace": "ns"}
    return {"apiVersion": f"resource.k8s.io/{version}", "kind": "ResourceClaim", "metadata": meta, "spec": spec, **more}
