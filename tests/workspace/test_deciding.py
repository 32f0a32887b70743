"""Where an object decides about others."""

from __future__ import annotations

import pytest

from kubelint_gpu.workspace.deciding import decides, names_in

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


def test_names_are_those_of_objects_and_of_what_they_use():
    text = 'metadata: {name: web, namespace: "ml"}\nvolumes: [{persistentVolumeClaim: {claimName: data}}]\nkind: Pod\n'
    assert names_in(text) == {"web", "ml", "data"}
