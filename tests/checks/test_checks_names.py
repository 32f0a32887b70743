"""Words of findings about pods and nodes that have no name yet, or are alone."""

from __future__ import annotations

from checks_units import GPU_NODE, deployment, findings

QUOTA = (
    "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: serving}\n"
    "spec: {hard: {requests.nvidia.com/gpu: 1}}\n"
)
POOL = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.34"
pools:
  - name: g
    count: 0
    template: {allocatable: {cpu: 32, memory: 64Gi}, gpus: {model: L4, count: 1}}
    autoscaling: {min: 0, max: %d}
priorityClasses:
  - {name: serving, value: 1000}
"""


def only(text, inventory, code):
    (found,) = findings(text, inventory, code)
    return found


def test_a_refused_pod_has_a_generated_name():
    found = only(f"{QUOTA}---\n{deployment()}", GPU_NODE % 4, "KLG105")
    assert any('pods "chat-…" is forbidden: exceeded quota: q' in step.message for step in found.trace)


def test_a_node_that_a_pool_adds_is_explained_at_the_pool():
    found = only(deployment(), POOL % 1, "KLG101")
    assert "on g+1" in found.message
    assert "pool g may grow from 0 to 1 node: g+1 is such a new node" in [one.message for one in found.related]


def test_single_pods_are_not_counted():
    pods = "---\n".join(
        f"apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: serving}}\nspec:\n"
        "  containers: [{name: main, image: a, resources: {limits: {nvidia.com/gpu: 1}}}]\n"
        for name in ("one", "two")
    )
    said = [one.message for one in findings(pods, GPU_NODE % 1, "KLG109")]
    assert len(said) == 2
    for message in said:
        assert message.startswith("it may find no room if the other workloads applied with it are placed first")


def test_revisions_that_keep_apart_may_share_a_node_within_themselves():
    affinity = (
        "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {matchLabels: "
        "{app: chat}}, topologyKey: kubernetes.io/hostname, mismatchLabelKeys: [pod-template-hash]}]}}"
    )
    (found,) = (one for one in findings(deployment(pod=affinity), GPU_NODE % 4) if one.code in ("KLG103", "KLG107"))
    assert "old and new pods never share one node, pods of one revision may" in [one.message for one in found.related]
