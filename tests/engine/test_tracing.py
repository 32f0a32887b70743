"""The steps of a trace stand where those stand whom they are about."""

from __future__ import annotations

from checks_units import deployment, findings

from kubelint_gpu.report.formats.sarif_result import result

NODES = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.34"
complete: true
nodes:
  - name: s
    allocatable: {cpu: 32, memory: 64Gi}
    gpus: {model: L4, count: 2}
  - name: l
    allocatable: {cpu: 32, memory: 64Gi}
    gpus: {model: L4, count: 2}
priorityClasses:
  - {name: serving, value: 1000}
"""
ONE_BY_ONE = "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}"
TEXT = (
    deployment(name="a", limits="{nvidia.com/gpu: 2}", spec=ONE_BY_ONE)
    + "---\n"
    + deployment(name="b", limits="{nvidia.com/gpu: 1}", spec=f"replicas: 2\n{ONE_BY_ONE}")
)


def test_steps_of_others_and_of_nodes_stand_at_their_lines():
    (found,) = findings(TEXT, NODES, "KLG106")
    second = TEXT.splitlines().index("---") + 1
    places = {}
    for step in found.trace:
        place = step.place or found.place
        places.setdefault(step.actor, set()).add((place.path, place.line > second))
        if step.actor.startswith("kubelet on "):
            name = step.actor.removeprefix("kubelet on ")
            assert NODES.splitlines()[place.line - 1] == f"  - name: {name}"
        elif "Deployment serving/b" in step.message and "Deployment serving/a" not in step.message:
            starts = ("resources",) if step.actor == "kube-scheduler" else ("maxUnavailable", "strategy")
            assert TEXT.splitlines()[place.line - 1].strip().startswith(starts)
            assert place.line > second
    assert places["Deployment controller"] == {("a.yaml", False), ("a.yaml", True)}
    steps = result(found, 0)["codeFlows"][0]["threadFlows"][0]["locations"]
    lines = [
        (one["location"]["physicalLocation"]["artifactLocation"]["uri"], one["nestingLevel"])
        for one in steps[: len(found.trace)]
    ]
    for step, (uri, level) in zip(found.trace, lines, strict=True):
        assert (uri == "inventory.yaml") is step.actor.startswith("kubelet")
        assert level == int(step.actor.startswith("kube"))
