"""What is passed over is remarked: hooks that nobody runs, and Canaries without what they roll out."""

from __future__ import annotations

import pytest
from command_line import TRACKER, check_json

NODES = TRACKER / "nodes.yaml"


@pytest.mark.parametrize(
    ("hooks", "said"),
    [
        (["PreSync"], []),
        (["Foo"], ["Job a0 is not judged: neither Helm nor Argo CD knows the hook foo."]),
        (["Foo", "foo"], ["Job a0 and Job a1 are not judged: neither Helm nor Argo CD knows the hook foo."]),
        (['"F\\no"'], ["Job a0 is not judged: neither Helm nor Argo CD knows the hook f\\no."]),
    ],
)
def test_hooks_that_nobody_runs_are_remarked(tmp_path, hooks, said):
    job = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: a%d\n  annotations: {argocd.argoproj.io/hook: %s}\n---\n"
    (tmp_path / "m.yaml").write_text("".join(job % pair for pair in enumerate(hooks)))
    assert check_json(tmp_path, "-i", NODES).json.get("remarks", []) == said


@pytest.mark.parametrize(("kind", "said"), [("Deployment", []), ("StatefulSet", ["ml/chat"])])
def test_a_canary_without_its_target_is_remarked(tmp_path, kind, said):
    canary = "apiVersion: flagger.app/v1beta1\nkind: Canary\nmetadata: {name: chat, namespace: ml}\nspec:\n"
    (tmp_path / "policy.yaml").write_text(f"{canary}  targetRef: {{kind: Deployment, name: chat}}\n")
    (tmp_path / "apps").mkdir()
    target = f"apiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: chat, namespace: ml}}\n"
    (tmp_path / "apps" / "chat.yaml").write_text(target)
    why = "is not judged: a Canary rolls out what the checked files do not declare."
    ran = check_json(tmp_path, "-i", NODES)
    assert ran.json.get("remarks", []) == [f"Deployment {name} {why}" for name in said]


@pytest.mark.parametrize(("gpus", "said"), [("nvidia.com/gpu", ["ml/x"]), ("memory", [])])
def test_a_kind_with_gpus_is_remarked_if_it_is_not_known_how_its_pods_are_replaced(tmp_path, gpus, said):
    notebook = "apiVersion: kubeflow.org/v1\nkind: Notebook\nmetadata: {name: x, namespace: ml}\n"
    pod = f"containers: [{{name: a, image: b, resources: {{limits: {{{gpus}: 1}}}}}}]"
    (tmp_path / "m.yaml").write_text(f"{notebook}spec: {{template: {{spec: {{{pod}}}}}}}\n")
    sentences = [f"How a change replaces the pods of Notebook {name} is not judged." for name in said]
    assert check_json(tmp_path, "-i", NODES).json.get("remarks", []) == sentences


def test_a_kind_is_remarked_if_a_quota_counts_its_pods(tmp_path):
    cluster = (
        "apiVersion: postgresql.cnpg.io/v1\nkind: Cluster\nmetadata: {name: x, namespace: ml}\nspec: {instances: 1}\n"
    )
    quota = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: %s}\nspec: {hard: {limits.cpu: 8}}\n"
    for space, said in (("ml", ["How a change replaces the pods of Cluster ml/x is not judged."]), ("other", [])):
        (tmp_path / "m.yaml").write_text(f"{cluster}---\n{quota % space}")
        assert check_json(tmp_path, "-i", NODES).json.get("remarks", []) == said
