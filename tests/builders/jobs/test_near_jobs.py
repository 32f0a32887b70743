"""Jobs whose pods must be near to each other."""

from __future__ import annotations

from checks_units import deployment, unit

from kubelint_gpu.builders.jobs.near_jobs import near_jobs, share_nodes

NEAR = (
    "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
    "[{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: first}}}]}}\n"
)


def job(name, pod=""):
    text = deployment(name=name, pod=f"restartPolicy: Never\n{pod}")
    text = text.replace("apps/v1", "batch/v1").replace("kind: Deployment", "kind: Job")
    return text.replace(f"  selector: {{matchLabels: {{app: {name}}}}}\n", "")


def test_jobs_near_to_others_and_on_the_same_nodes_are_found():
    found = unit(f"{job('first')}---\n{job('second', NEAR)}---\n{deployment(name='third', limits='{cpu: 1}')}")
    first, second, third = found.subjects
    assert near_jobs(found, second) == [first]
    assert near_jobs(found, first) == []
    assert share_nodes(found, first, third)
