"""Objects that ask for GPUs and whose controllers are not known: silence about them would look clean."""

from __future__ import annotations

import pytest
from checks_units import findings

from kubelint_gpu.engine.causes import told_once
from kubelint_gpu.report.mark import headline

HEAD = "apiVersion: {group}/v1\nkind: {kind}\nmetadata: {{name: x, namespace: ml}}\nspec:\n"
ASKS = "  parts:\n    - resources: {{limits: {{{resource}: {amount}}}}}\n"


def told(group="example.com", kind="Engine", resource="nvidia.com/gpu", amount="1"):
    text = (HEAD + ASKS).format(group=group, kind=kind, resource=resource, amount=amount)
    return findings(text, "", "KLG000")


def test_a_kind_that_is_not_known_is_undecided_at_the_place_where_it_asks_for_gpus():
    (found,) = told()
    assert (found.severity, found.undecided, found.place.line) == ("note", "its kind is not known", 6)
    assert found.message == "Engine ml/x asks for nvidia.com/gpu, and its kind is not known: its pods are not judged"


@pytest.mark.parametrize(
    "other",
    [
        {"resource": "cpu"},
        {"amount": "0"},
        {"group": "apps", "kind": "Deployment"},
        {"group": "kyverno.io", "kind": "ClusterPolicy"},
        {"group": "ray.io", "kind": "RayCluster"},
    ],
)
def test_what_asks_for_none_has_no_pods_or_is_known_is_not_told(other):
    assert told(**other) == []


@pytest.mark.parametrize(
    ("group", "kind", "who"),
    [
        ("argoproj.io", "Application", "Argo CD"),
        ("argoproj.io", "ApplicationSet", "Argo CD"),
        ("helm.toolkit.fluxcd.io", "HelmRelease", "Flux"),
        ("kustomize.toolkit.fluxcd.io", "Kustomization", "Flux"),
    ],
)
def test_what_git_ops_controllers_render_is_told(group, kind, who):
    (found,) = findings((HEAD + "  path: a\n").format(group=group, kind=kind), "", "KLG006")
    assert found.message == f"{kind} x is not rendered as {who} does it: its workloads are not judged"


def test_many_of_them_are_one_finding_each_counted_as_undecided():
    text = "---\n".join(
        (HEAD + ASKS)
        .format(group="example.com", kind="Milvus", resource="nvidia.com/gpu", amount=1)
        .replace("x,", f"{name},")
        for name in ("a", "b")
    )
    (found,) = told_once(findings(text, "", "KLG000"))
    assert (found.object, [one.message for one in found.related]) == ("Milvus/ml/a", ["Milvus ml/b, too"])
    assert headline(found) == (
        "Milvuses ml/a and ml/b ask for GPUs, and their kinds are not known: their pods are not judged"
    )
