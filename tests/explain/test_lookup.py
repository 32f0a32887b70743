"""Which workload is meant."""

from __future__ import annotations

import pytest
from explaining import WORKLOAD, explain


@pytest.mark.parametrize(
    "what", ["Deployment/infer", "deployments/infer", "DEPLOY/infer", "vision/deployment/infer", "vision/Deploy/infer"]
)
def test_kinds_are_written_as_kubectl_takes_them(what, folder):
    assert explain(folder, "-i", "cluster.yaml", what=what).code == 0


@pytest.mark.parametrize(
    ("what", "says"),
    [
        ("deployment/infr", "did you mean Deployment/infer?"),
        ("statefulset/infer", "did you mean Deployment/infer?"),
        ("prod/deployment/infer", "did you mean vision/Deployment/infer?"),
        ("job/something-else", "there is Deployment/infer"),
        ("deployment/", "write kind/name or namespace/kind/name"),
        ("a/b/c/d", "write kind/name or namespace/kind/name"),
    ],
)
def test_a_workload_that_is_not_there_is_a_usage_error_with_what_is(what, says, folder):
    ran = explain(folder, "-i", "cluster.yaml", what=what)
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err


def test_ambiguity_lists_the_candidates(folder):
    (folder / "other.yaml").write_text(WORKLOAD.replace("namespace: vision", "namespace: prod"))
    ran = explain(folder, "-i", "cluster.yaml")
    assert ran.code == 2
    assert "give the namespace too" in ran.err
    assert "vision/Deployment/infer  (infer.yaml:4)" in ran.err
    assert "prod/Deployment/infer  (other.yaml:4)" in ran.err
    (folder / "other.yaml").write_text(WORKLOAD)
    assert "give the file" in explain(folder, "-i", "cluster.yaml").err
    assert explain(folder, "other.yaml", "-i", "cluster.yaml").code == 0
