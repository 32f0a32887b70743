"""Where an object decides about others."""

from __future__ import annotations

import pytest

from kubelint_gpu.workspace.deciding import decides, may_decide, meant_in, words_in

SCALER = {"scaleTargetRef": {"kind": "Deployment", "name": "web"}}


@pytest.mark.parametrize(
    ("kind", "meta", "spec", "place"),
    [
        ("ResourceQuota", {"name": "q", "namespace": "ml"}, {}, ("ml", "")),
        ("ResourceQuota", {"name": "q"}, {}, None),
        ("PersistentVolumeClaim", {"name": "data", "namespace": "ml"}, {}, ("ml", "data")),
        ("PersistentVolumeClaim", {"name": "data"}, {}, ("", "data")),
        ("PersistentVolumeClaim", {"name": 3}, {}, None),
        ("HorizontalPodAutoscaler", {"name": "h", "namespace": "ml"}, SCALER, ("ml", "web")),
        ("ScaledObject", {"name": "h"}, {"scaleTargetRef": None}, None),
        ("Service", {"name": "s", "namespace": "ml"}, {"selector": {"tier": "web", "app": "a"}}, ("ml", "a")),
        ("Service", {"name": "s", "namespace": "ml"}, {}, ("ml", "")),
        (
            "PodDisruptionBudget",
            {"name": "b", "namespace": "ml"},
            {"selector": {"matchLabels": {"app": "a"}}},
            ("ml", "a"),
        ),
        ("PodDisruptionBudget", {"name": "b", "namespace": "ml"}, {"selector": {"matchExpressions": []}}, ("ml", "")),
        ("PodDisruptionBudget", {"name": "b", "namespace": "ml"}, {"selector": {"matchLabels": None}}, ("ml", "")),
        ("PodDisruptionBudget", {"name": "b"}, {}, None),
        ("DeviceClass", {"name": "gpu"}, {}, ("*", "deviceClassName")),
        ("Deployment", {"name": "web", "namespace": "ml"}, {}, None),
        ("Service", {"name": "web", "namespace": ["ml"]}, {}, None),
        ("Service", None, {}, None),
        (["Service"], {"name": "web"}, {}, None),
    ],
)
def test_an_object_decides_in_its_namespace_about_all_or_about_who_names_it(kind, meta, spec, place):
    assert decides({"kind": kind, "metadata": meta, "spec": spec}) == place


WEB = """\
kind: Deployment
metadata:
  name: web
  namespace: "ml"
  labels: {kueue.x-k8s.io/queue-name: queue}
volumes: [{persistentVolumeClaim: {claimName: data}}]
"""


def test_what_texts_mean_is_read_from_their_keys():
    meant = meant_in([WEB, "metadata: {labels: {}, name: other}\n"])
    assert (meant.spaces, meant.used) == ({"ml"}, {"queue", "data"})
    assert {"web", "other"} <= meant.declared
    assert meant.kinds == {"ClusterQueue", "PersistentVolume", "ResourceFlavor"}


@pytest.mark.parametrize(
    ("text", "decides"),
    [
        ("kind: ResourceQuota\nmetadata: {name: q, namespace: ml}\n", True),
        ("kind: ResourceQuota\nmetadata: {name: q, namespace: web}\n", False),
        ("kind: ResourceQuota\nmetadata: {name: q, namespace: ml}\n---\nkind: Pod\nspec: {containers: []}\n", True),
        ("kind: Service\nmetadata: {name: q, namespace: ml}\n---\nkind: Pod\nspec: {containers: []}\n", False),
        ("kind: PersistentVolumeClaim\nmetadata: {name: data}\n", True),
        ("kind: PersistentVolumeClaim\nmetadata: {name: more, namespace: ml}\n", False),
        ("kind: ScaledObject\nspec:\n  scaleTargetRef: {name: web}\n", True),
        ("kind: ClusterQueue\nmetadata: {name: q}\n", True),
        ("kind: DeviceClass\nmetadata: {name: web}\n", False),
        ("kind: Deployment\nmetadata: {name: web, namespace: ml}\n", False),
    ],
)
def test_a_file_can_decide_if_it_holds_a_kind_and_a_name_that_leads_to_it(text, decides):
    assert may_decide(words_in(text), meant_in([WEB])) == decides
