"""Strategic merge patches: which line set a field."""

from __future__ import annotations

import pytest
from accumulated import GPU, POD, TOP, asked
from strategic import STRATEGIC

from kubelint_gpu.sources.kustomize.accumulation.strategic_merge import element_of, merge_key


@pytest.mark.parametrize(
    ("pointer", "line"),
    [
        (GPU, "top/patch.yaml: nvidia.com/gpu: 4"),
        ((*POD, "nodeSelector", "zone"), "top/patch.yaml: zone: b"),
        ((*POD, "tolerations", 0, "key"), "top/patch.yaml: - key: two"),
        ((*POD, "containers", "server", "env", "MODEL", "value"), "top/patch.yaml: - {name: MODEL, value: large}"),
        ((*POD, "containers", "server", "env", "MORE", "value"), "top/patch.yaml: - {name: MORE, value: yes-it-is}"),
        ((*POD, "containers", "server", "image"), "base/deployment.yaml: image: example.com/server:1"),
        ((*POD, "containers", "side", "image"), "base/deployment.yaml: image: example.com/side:1"),
        ((*POD, "volumes", "cache", "name"), "top/patch.yaml: - name: cache"),
        ((*POD, "volumes", "data", "name"), "base/deployment.yaml: - name: data"),
        (("spec", "replicas"), "base/deployment.yaml: replicas: 1"),
        (("metadata", "name"), "base/deployment.yaml: name: chat"),
    ],
)
@pytest.mark.parametrize("form", ["patches", "patchesStrategicMerge", "component"])
def test_a_strategic_merge_patch(rendered, pointer, line, form):
    files = {
        "patches": {"top/kustomization.yaml": f"{TOP}patches: [path: patch.yaml]\n", "top/patch.yaml": STRATEGIC},
        "patchesStrategicMerge": {
            "top/kustomization.yaml": f"{TOP}patchesStrategicMerge: [patch.yaml]\n",
            "top/patch.yaml": STRATEGIC,
        },
        "component": {
            "top/kustomization.yaml": f"{TOP}components: [../part]\n",
            "part/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches: [path: patch.yaml]\n",
            "part/patch.yaml": STRATEGIC,
        },
    }[form]
    got, answer = asked(rendered(**files), pointer)
    assert got == line.replace("top/", "part/" if form == "component" else "top/")
    assert answer.certain


def test_directives_of_a_patch(rendered):
    patch = (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: chat}\nspec:\n  template:\n    spec:\n"
        "      nodeSelector:\n        $patch: replace\n        pool: gpu\n"
        "      containers:\n        - name: side\n          $patch: delete\n"
        "      tolerations: null\n"
    )
    found = rendered(**{"top/kustomization.yaml": f"{TOP}patches: [path: patch.yaml]\n", "top/patch.yaml": patch})
    assert asked(found, (*POD, "nodeSelector", "pool"))[0] == "top/patch.yaml: pool: gpu"
    assert asked(found, (*POD, "nodeSelector", "zone"))[1].spot.path == "top/patch.yaml"
    assert asked(found, GPU)[0] == "base/deployment.yaml: nvidia.com/gpu: 1"
    assert asked(found, (*POD, "tolerations"))[0] == "base/deployment.yaml: spec:"


def test_lists_of_unknown_kinds_are_replaced_whole(rendered):
    custom = (
        "apiVersion: example.com/v1\nkind: Fleet\nmetadata: {name: f}\nspec:\n  containers:\n  - {name: a, gpus: 1}\n"
    )
    patch = custom.replace("gpus: 1", "gpus: 2")
    files = {
        "top/kustomization.yaml": "resources: [fleet.yaml]\npatches: [path: patch.yaml]\n",
        "top/fleet.yaml": custom,
        "top/patch.yaml": patch,
    }
    got, answer = asked(rendered(**files), ("spec", "containers", 0, "gpus"), "Fleet")
    assert (got, answer.certain) == ("top/patch.yaml: - {name: a, gpus: 2}", True)


def test_a_list_that_is_replaced_has_the_lines_of_its_elements(rendered):
    """`$patch: replace` is an element too: the others keep their own lines."""
    patch = (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: chat}\nspec:\n  template:\n    spec:\n      containers:\n"
        "        - $patch: replace\n        - name: one\n          image: example.com/same\n          command: [same]\n"
        "        - name: server\n          image: example.com/same\n          command: [same]\n"
        "          env: [{$patch: replace}, {name: A, value: a}, {name: B, $patch: delete}]\n"
        "      initContainers:\n        - name: gone\n          $patch: delete\n        - name: kept\n          image: null\n"
    )
    found = rendered(**{"top/kustomization.yaml": f"{TOP}patches: [path: patch.yaml]\n", "top/patch.yaml": patch})
    lines = patch.splitlines()
    for name, line in (("one", 10), ("server", 13)):
        got, answer = asked(found, (*POD, "containers", name, "image"))
        assert (got, answer.certain) == (f"top/patch.yaml: {lines[line - 1].strip()}", True)
        assert answer.spot.span.line == line
    assert asked(found, (*POD, "containers", "server", "env", "A", "value"))[1].spot.span.line == 15
    got, answer = asked(found, (*POD, "initContainers", "kept", "name"))
    assert (answer.spot.span.line, answer.certain) == (19, True)
    assert not any(one.traced.at("spec", "template", "spec", "initContainers").elements()[1:] for one in found.objects)


POD = ("spec", "template", "spec")


@pytest.mark.parametrize(
    ("version", "kind", "where", "key"),
    [
        ("apps/v1", "Deployment", (*POD, "containers"), "name"),
        ("apps/v1", "Deployment", (*POD, "containers", 0, "ports"), "containerPort"),
        ("v1", "Service", ("spec", "ports"), "port"),
        ("apps/v1", "Deployment", (*POD, "containers", 0, "volumeMounts"), "mountPath"),
        ("apps/v1", "Deployment", (*POD, "containers", 0, "resources", "claims"), "name"),
        ("apps/v1", "Deployment", (*POD, "containers", 0, "args"), None),
        ("apps/v1", "Deployment", (*POD, "tolerations"), None),
        ("resource.k8s.io/v1", "ResourceClaim", ("spec", "claims"), None),
        ("ray.io/v1", "RayCluster", (*POD, "containers"), None),
        ("jobset.x-k8s.io/v1alpha2", "JobSet", (*POD, "containers"), None),
        ("v1", "Pod", (), None),
    ],
)
def test_lists_of_kubernetes_have_keys_and_those_of_custom_resources_none(version, kind, where, key):
    assert merge_key(version, kind, where) == key


def test_the_first_element_with_the_value_is_meant():
    elements = ["text", {"name": "a"}, {"name": "b"}, {"name": "b", "x": 1}]
    assert element_of(elements, "name", "b") == 2
    assert element_of(elements, "name", "c") is None
    assert element_of([{"other": None}], "name", None) is None
