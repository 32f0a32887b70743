"""What other systems bring into pods: extended resources that they allocate, schedulers and scheduling gates.

A webhook rewrites pods with such a resource, or a scheduler extender decides them (`ignoredByScheduler`), so that no
node needs to advertise the name; kube-scheduler alone would answer `Insufficient`. Names that device plugins advertise
on nodes (`nvidia.com/gpu`, `amd.com/gpu`) are not in the table, although some of these systems use them, too.
Source of resources: HAMi's chart and scheduler, Volcano's vGPU guide, the pages of ACK, open-simulator, the former
GPU-aware extender of the Intel device plugins, MindCluster. Source of schedulers and gates: the constants of Kueue,
Grove, KAI, Volcano, YuniKorn, Koordinator, HAMi, the OpenShift multiarch tuning operator, CAST AI, GKE's Cloud Storage
FUSE driver.
"""

from __future__ import annotations

from functools import lru_cache
from re import ASCII

from kubelint_gpu.patterns import pattern as regular

# owner, names, patterns of names
_TABLE: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    (
        "HAMi",
        (
            "nvidia.com/gpumem",
            "nvidia.com/gpumem-percentage",
            "nvidia.com/gpucores",
            "nvidia.com/priority",
            "nvidia.com/total-gpumem",
            "nvidia.com/total-gpucores",
            "amd.com/gpumem",
            "amd.com/gpucores",
            "birentech.com/gpu",
            "vastaitech.com/va",
        ),
        (
            r"cambricon\.com/(vmlu|mlu.*\.smlu\.v(memory|core))",
            r"hygon\.com/dcu(num|mem|cores)",
            r"metax-tech\.com/(gpu|sgpu|vcore|vmemory)",
            r"enflame\.com/(gcu|drs-gcu|gcu-memory|gcu-core|shared-gcu)",
            r"mthreads\.com/(vgpu|sgpu-memory|sgpu-core)",
            r"iluvatar\.ai/.+[-.](vgpu|vMem|vCore)",
            r"kunlunxin\.com/(xpu|vxpu|vxpu-memory)",
            r"huawei\.com/Ascend.+-(memory|core)",
        ),
    ),
    ("HAMi, Volcano or MindCluster", (), (r"huawei\.com/(Ascend.+|npu-core)",)),
    ("Volcano", (), (r"volcano\.sh/(vgpu-(number|memory|memory-percentage|cores)|gpu-(memory|number))",)),
    ("the ACK scheduler", (), (r"aliyun\.com/gpu-(mem|count|core\.percentage)",)),
    ("the open-gpu-share plugin", (), (r"alibabacloud\.com/gpu-(mem|count|index|milli)",)),
    ("Koordinator", (), (r"koordinator\.sh/(gpu(\..+|-.+)?|rdma|fpga)", r"kubernetes\.io/batch-(cpu|memory)")),
    ("the GPU-aware scheduler extender of Intel", (), (r"gpu\.intel\.com/(millicores|memory\.max|tiles)",)),
    ("the Tencent GPU manager", (), (r"tencent\.com/vcuda-(core|memory)",)),
    ("dynamic resource allocation", (), (r"deviceclass\.resource\.kubernetes\.io/.+",)),
)
_NAMES = {name: owner for owner, names, _ in _TABLE for name in names}
_PATTERNS = tuple((owner, regular("|".join(patterns), ASCII)) for owner, _, patterns in _TABLE if patterns)


@lru_cache(maxsize=1024)
def owner_of(resource: str) -> str:
    """Return the component that allocates a resource although no node advertises it; empty if none is known."""
    if resource in _NAMES:
        return _NAMES[resource]
    return next((owner for owner, pattern in _PATTERNS if pattern().fullmatch(resource)), "")


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
