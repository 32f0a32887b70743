"""Fields that an overlay takes away and that would help."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

COMMAND = Path(sys.executable).parent / "kubelint-gpu"


REMOVALS = {
    "null": ("patches: [{path: patch.yaml}]\n", "  strategy: null\n", 5),
    "delete": ("patches: [{path: patch.yaml}]\n", "  strategy:\n    $patch: delete\n", 6),
    "remove": (
        "patches: [{path: patch.yaml, target: {kind: Deployment}}]\n",
        "- op: test\n  path: /spec/replicas\n  value: 1\n- op: remove\n  path: /spec/strategy\n",
        4,
    ),
}


@pytest.mark.parametrize("form", REMOVALS)
def test_a_field_that_was_taken_away_and_would_help_is_named(check, tree, form):
    field, body, line = REMOVALS[form]
    head = "" if form == "remove" else "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: chat}\nspec:\n"
    deployment = (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: chat, labels: {a: b}}\nspec:\n  replicas: 1\n"
        "  strategy: {type: Recreate}\n  selector: {matchLabels: {app: chat}}\n  template:\n"
        "    metadata: {labels: {app: chat}}\n    spec:\n      containers:\n      - name: a\n        image: a:1\n"
        "        resources: {limits: {nvidia.com/gpu: 1}}\n"
    )
    folder = tree(
        **{
            "i.yaml": "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\ncomplete: true\nnodes:\n- name: only\n"
            "  allocatable: {cpu: 8, memory: 32Gi, pods: 110, nvidia.com/gpu: 1}\n",
            "base/kustomization.yaml": "resources: [deployment.yaml]\n",
            "base/deployment.yaml": deployment,
            "top/kustomization.yaml": f"resources: [../base]\ncommonAnnotations: {{x: z}}\n{field}",
            "top/patch.yaml": head + body,
        }
    )
    ran = check(folder, ".", "--inventory", "i.yaml")
    finding = next(one for one in ran.findings if one["code"] == "KLG101")
    told = {(one["path"], one["line"]): one["message"] for one in finding["related"]}
    assert told["top/patch.yaml", line] == (
        'spec.strategy: {"type": "Recreate"} is taken away here; with it this would not be found'
    )
    # another thing that is taken away has nothing to do with it
    (folder / "top/patch.yaml").write_text(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: chat, labels: {a: null}}\n"
        if form != "remove"
        else "- op: remove\n  path: /metadata/labels/a\n"
    )
    (folder / "base/deployment.yaml").write_text(deployment.replace("  strategy: {type: Recreate}\n", ""))
    ran = check(folder, ".", "--inventory", "i.yaml")
    finding = next(one for one in ran.findings if one["code"] == "KLG101")
    assert not [one for one in finding["related"] if "taken away" in one["message"]]
