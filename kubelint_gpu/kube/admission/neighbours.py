"""Names that schedulers and controllers beside Kubernetes' own use in pods.

Source: Kueue, Grove, KAI, Volcano, YuniKorn, Koordinator, HAMi, the OpenShift multiarch tuning operator, CAST AI, GKE's
Cloud Storage FUSE driver: the constants of each.
"""

from __future__ import annotations

# schedulerName to who answers to it
SCHEDULERS = {
    "volcano": "Volcano", "volcano-agent-scheduler": "Volcano", "kai-scheduler": "KAI", "runai-scheduler": "Run:ai",
    "hami-scheduler": "HAMi", "yunikorn": "YuniKorn", "koord-scheduler": "Koordinator",
    "scheduler-plugins-scheduler": "scheduler-plugins", "lws-scheduler": "LeaderWorkerSet",
    "gke.io/optimize-utilization-scheduler": "GKE", "gke.io/high-throughput-scheduler": "GKE",
    "ack-scheduler": "ACK", "armada-scheduler": "Armada", "godel-scheduler": "Godel",
    "slurm-bridge-scheduler": "Slurm", "nos-scheduler": "nos", "binpack-scheduler": "HyperPod", "stork": "Portworx",
    "topolvm-scheduler": "TopoLVM",
}  # fmt: skip
# gate to who removes it
GATES = {
    "kueue.x-k8s.io/admission": "Kueue",
    "kueue.x-k8s.io/topology": "Kueue",
    "kueue.x-k8s.io/elastic-job": "Kueue",
    "grove.io/podgang-pending-creation": "Grove",
    "multiarch.openshift.io/scheduling-gate": "the multiarch tuning operator",
    "multi-arch.openshift.io/scheduling-gate": "the multiarch tuning operator",
    "castai.io/node-ready": "CAST AI",
    "gke-gcsfuse/bucket-scan-pending": "the Cloud Storage FUSE driver",
}
# groups whose controllers add and remove gates of many names
_GATE_GROUPS = (
    "kueue.x-k8s.io", "x-k8s.io", "k8s.io", "kubernetes.io", "grove.io", "kai.scheduler", "run.ai", "volcano.sh",
    "karmada.io", "openshift.io", "castai.io",
)  # fmt: skip


def gate_owner(gate: str) -> str:
    """Who removes a scheduling gate: a known controller, or the project of its domain; empty if unknown."""
    if gate in GATES:
        return GATES[gate]
    domain, slash, _ = gate.partition("/")
    found = next((group for group in _GATE_GROUPS if domain == group or domain.endswith("." + group)), "")
    return f"a controller of {found}" if slash and found else ""
