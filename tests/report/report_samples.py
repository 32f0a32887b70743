"""Reports that resemble real runs, and some that no run should produce."""

from __future__ import annotations

from dataclasses import dataclass

from kubelint_gpu.findings.finding import (
    Finding,
    Fix,
    Place,
    Related,
    RuleInfo,
    Step,
    Summary,
    TextEdit,
)
from kubelint_gpu.report.content import assemble
from kubelint_gpu.values import replace

DOCS = "https://example.org/kubelint-gpu/rules/"

TRACKER = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: object-tracker
  namespace: vision
spec:
  replicas: 1
  selector:
    matchLabels:
      app: object-tracker
  template:
    metadata:
      labels:
        app: object-tracker
    spec:
      containers:
      - name: object-tracker
        image: vision/boost-track-app:1.0
        resources:
          limits:
            nvidia.com/gpu: 1 # one GPU is needed
      nodeSelector:
        kubernetes.io/hostname: tracker-node
"""

NODES = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
nodes:
- name: tracker-node
  gpus: {model: NVIDIA-GeForce-RTX-3090, count: 1}
- name: gpu-1
  gpus: {model: NVIDIA-A100-PCIE-40GB, count: 2}
"""

SCHEDULER = (
    "0/10 nodes are available: 1 Insufficient nvidia.com/gpu, 9 node(s) didn't match Pod's node affinity/selector. "
    "no new claims to deallocate, preemption: 0/10 nodes are available: 1 No preemption victims found for incoming pod, "
    "9 Preemption is not helpful for scheduling."
)


@dataclass(frozen=True)
class Text:
    """A file that knows the line ends that an editor knows."""

    text: str

    def line(self, number):
        lines = self.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        return lines[number - 1]


def place(path, line, column, end_column, end_line=None):
    return Place(path, line, column, end_line or line, end_column)


def rule(code, name, severity, summary, fix="none", page="", tags=("gpu",)):
    return RuleInfo(code, name, severity, summary, fix, "0.1.0", f"{DOCS}{code}-{name}", tags, page)


RULES = {
    found.code: found
    for found in (
        rule(
            "KLG302",
            "unknown-priority-class",
            "error",
            "the priority class is declared nowhere",
            tags=("priority",),
        ),
        rule(
            "KLG101",
            "rollout-deadlock",
            "error",
            "a rollout waits for ever for what its own old pods hold",
            "safe",
            "# rollout-deadlock\n\nA rolling update starts the new pod before it stops the old one.\n\n## Why\n\n`[x]` {y}\n",
            ("gpu", "rollout"),
        ),
        rule("KLG001", "yaml-error", "error", "the file cannot be read as YAML"),
        rule("KLG107", "rollout-may-stick", "warning", "some order of events never ends"),
        rule("KLG203", "hostname-pin", "note", "pinned to one host where a label would do"),
    )
}

DEADLOCK = Finding(
    code="KLG101",
    name="rollout-deadlock",
    severity="error",
    certainty="certain",
    message="the rollout of Deployment vision/object-tracker never ends: its new pod waits for the only GPU of tracker-node, "
    "which the old pod keeps until the new one is ready",
    place=place("deploy/tracker.yaml", 7, 3, 14),
    object="Deployment/vision/object-tracker",
    scheduler=SCHEDULER,
    related=(
        Related(place("deploy/tracker.yaml", 7, 3, 14), "1 replica: by default maxSurge is 1 and maxUnavailable is 0"),
        Related(place("deploy/tracker.yaml", 21, 13, 30), "each pod takes a whole GPU"),
        Related(place("deploy/tracker.yaml", 23, 9, 45), "only tracker-node matches"),
        Related(place("cluster/nodes.yaml", 5, 46, 54), "tracker-node has 1 GPU"),
    ),
    trace=(
        Step(1, "you", "apply the Deployment with a new pod template"),
        Step(
            2, "deployment-controller", "creates 1 new pod (maxSurge 1) and may not stop the old one (maxUnavailable 0)"
        ),
        Step(3, "kube-scheduler", "finds no node for the new pod: the GPU of tracker-node is taken"),
        Step(4, "deployment-controller", "waits for the new pod to become available"),
    ),
    cycle=(
        "the new pod waits for the GPU that the old pod holds",
        "the old pod is stopped only when the new pod is available",
    ),
    fixes=(
        Fix(
            "set maxSurge: 0 and maxUnavailable: 1, at the price of a short downtime in each rollout",
            "safe",
            verified=True,
            edits=(
                TextEdit(
                    place("deploy/tracker.yaml", 8, 1, 1),
                    "  strategy:\n    rollingUpdate:\n      maxSurge: 0\n      maxUnavailable: 1\n",
                ),
            ),
        ),
        Fix(
            "set strategy type Recreate, at the price of a short downtime in each rollout",
            "unsafe",
            verified=True,
            edits=(TextEdit(place("deploy/tracker.yaml", 8, 1, 1), "  strategy:\n    type: Recreate\n"),),
        ),
    ),
    help=("a second GPU on tracker-node, or a selector that a node with a free GPU matches, would do as well",),
    fingerprint="2f6c1a7be0d94c55",
)

UNKNOWN_CLASS = Finding(
    code="KLG302",
    name="unknown-priority-class",
    severity="error",
    certainty="certain",
    message="priority class 'gpu-hihg' is declared nowhere, so every pod is refused at admission",
    place=place("deploy/batch.yaml", 2, 22, 30),
    object="Job/vision/train",
    help=("did you mean 'gpu-high'?",),
    fingerprint="77aa",
)

MAY_STICK = Finding(
    code="KLG107",
    name="rollout-may-stick",
    severity="warning",
    certainty="possible",
    message="the rollout of Deployment vision/detector ends only if the scheduler picks gpu-1",
    place=place("deploy/batch.yaml", 1, 1, 15, end_line=5),
    object="Deployment/vision/detector",
    related=(Related(place("deploy/batch.yaml", 4, 5, 8), "this container asks for no GPU"),),
    trace=(Step(1, "kube-scheduler", "places the new pod on gpu-2"),),
    fingerprint="88bb",
)

PIN = Finding(
    code="KLG203",
    name="hostname-pin",
    severity="note",
    certainty="certain",
    message="pinned to host tracker-node, where the label nvidia.com/gpu.product selects the same node",
    place=place("deploy/tracker.yaml", 23, 9, 45),
    object="Deployment/vision/object-tracker",
    fingerprint="99cc",
)

BATCH = """\
spec:
  priorityClassName: gpu-hihg
  containers:
  - a: {}
  - b: {}
"""

SOURCES = {
    "deploy/tracker.yaml": Text(TRACKER),
    "cluster/nodes.yaml": Text(NODES),
    "deploy/batch.yaml": Text(BATCH),
}

ODD = (
    'name: "検出器"  # カメラ\n'
    "\tkey:\tvalue\r\n"
    "evil: \x1b[31mred\x1b[0m \u202etxt\u200b\n"
    "e\u0301te\u0301: a\u00a0b\r"
    "last: " + "x" * 300 + " needle " + "y" * 300 + "\n"
)


def odd(line, column, end_column, message="odd 'x' here", path="odd.yaml", **more):
    base = Finding(
        "KLG001", "yaml-error", "error", "certain", message, place(path, line, column, end_column), fingerprint="f"
    )
    return replace(base, **more)


ODD_FINDINGS = (
    odd(1, 7, 12, "name 検出器 is no DNS label", related=(Related(place("odd.yaml", 1, 15, 18), "a comment"),)),
    odd(2, 7, 12, "a tab stands before 'value'"),
    odd(3, 7, 15, "name '\x1b]0;pwn\x07' holds control characters\r\nerror[KLG999]: forged"),
    odd(4, 1, 6, "combining marks take no cell"),
    odd(5, 308, 314, "far to the right"),
    odd(1, 1, 5, "file with an odd name", path="a\x1b[2K,b:100%\n.yaml"),
    odd(99, 1, 1, "beyond the end of the file", related=(Related(place("odd.yaml", 98, 1, 1), "and here"),)),
)


def report(*findings, summary=None, sources=None, rules=None):
    counted = Summary(
        files=3,
        documents=4,
        workloads=3,
        nodes=10,
        errors=sum(f.severity == "error" for f in findings),
        warnings=sum(f.severity == "warning" for f in findings),
        notes=sum(f.severity == "note" for f in findings),
        seconds=0.1234,
    )
    return assemble(
        findings,
        summary or counted,
        RULES if rules is None else rules,
        SOURCES if sources is None else sources,
        "0.1.0",
    )


REPORTS = {
    "tracker": report(DEADLOCK),
    "several": report(PIN, MAY_STICK, UNKNOWN_CLASS, DEADLOCK),
    "odd": report(*ODD_FINDINGS, sources={"odd.yaml": Text(ODD)}),
    "no-sources": report(DEADLOCK, MAY_STICK, sources={}, rules={}),
    "empty": report(),
    "undecided": report(summary=Summary(files=1, documents=1, workloads=1, nodes=2, notes=1, ignored=2, undecided=1)),
}
