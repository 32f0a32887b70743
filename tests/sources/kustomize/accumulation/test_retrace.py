"""Variables: where a value comes from."""

from __future__ import annotations

from textwrap import indent

import pytest
from accumulated import DEPLOYMENT, GPU, POD, TOP, asked


def test_variables_are_filled_in(rendered):
    deployment = DEPLOYMENT.replace("command: [serve]", "command: [serve, --pods=$(PODS), $(PODS), $(OTHER)]")
    files = {
        "base/deployment.yaml": deployment,
        "top/kustomization.yaml": f"{TOP}vars:\n- name: PODS\n  objref: {{kind: Deployment, name: chat, apiVersion: apps/v1}}\n"
        "  fieldref: {fieldpath: spec.replicas}\n",
    }
    found = rendered(**files)
    for index in (1, 2, 3):
        got, answer = asked(found, (*POD, "containers", "server", "command", index))
        assert (got.partition(":")[0], answer.certain) == ("base/deployment.yaml", True)
    _, answer = asked(found, (*POD, "containers", "server", "command", 1))
    assert [writer.by for writer, _ in answer.before] == ["variable"]


PLUGINS = """\
apiVersion: builtin
kind: ReplicaCountTransformer
metadata: {name: r}
replica: {name: chat, count: 7}
fieldSpecs: [{path: spec/replicas, kind: Deployment}]
---
apiVersion: builtin
kind: PatchTransformer
metadata: {name: p}
target: {kind: Deployment}
patch: |-
  - op: replace
    path: /spec/template/spec/containers/1/resources/limits/nvidia.com~1gpu
    value: 3
---
apiVersion: builtin
kind: ImageTagTransformer
metadata: {name: i}
imageTag: {name: example.com/server, newTag: "9"}
fieldSpecs: [{path: spec/template/spec/containers/image, kind: Deployment}]
---
apiVersion: builtin
kind: LabelTransformer
metadata: {name: l}
labels: {team: ml}
fieldSpecs: [{path: spec/template/metadata/labels, create: true, kind: Deployment}]
---
apiVersion: builtin
kind: PatchStrategicMergeTransformer
metadata: {name: s}
paths: [zone.yaml]
---
apiVersion: builtin
kind: PatchJson6902Transformer
metadata: {name: j}
target: {kind: Deployment, name: chat}
jsonOp: |-
  - op: add
    path: /spec/minReadySeconds
    value: 4
---
apiVersion: builtin
kind: PrefixTransformer
metadata: {name: x}
prefix: a-
fieldSpecs: [{path: metadata/name}]
"""
ZONE = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: chat}\nspec: {template: {spec: {nodeSelector: {zone: c}}}}\n"
GENERATOR = "apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: cm}\nliterals:\n- GPUS=2\n"


@pytest.mark.parametrize(
    ("kind", "pointer", "line"),
    [
        ("Deployment", ("spec", "replicas"), "replica: {name: chat, count: 7}"),
        ("Deployment", GPU, "value: 3"),
        ("Deployment", (*POD, "containers", "server", "image"), 'imageTag: {name: example.com/server, newTag: "9"}'),
        ("Deployment", ("spec", "template", "metadata", "labels", "team"), "labels: {team: ml}"),
        ("Deployment", (*POD, "nodeSelector", "zone"), "top/zone.yaml: " + ZONE.splitlines()[-1]),
        ("Deployment", ("spec", "minReadySeconds"), "value: 4"),
        ("Deployment", ("metadata", "name"), "base/deployment.yaml: name: chat"),
        ("ConfigMap", ("data", "GPUS"), "- GPUS=2"),
    ],
)
@pytest.mark.parametrize("form", ["file", "text"])
def test_built_in_transformers_and_generators_with_a_configuration_of_their_own(rendered, kind, pointer, line, form):
    files = {"top/zone.yaml": ZONE}
    if form == "file":
        files |= {"top/t.yaml": PLUGINS, "top/g.yaml": GENERATOR}
        files["top/kustomization.yaml"] = f"{TOP}generators: [g.yaml]\ntransformers: [t.yaml]\n"
        home = "top/g.yaml" if kind == "ConfigMap" else "top/t.yaml"
    else:
        texts = "".join(f"- |\n{indent(one, '  ')}" for one in PLUGINS.split("---\n"))
        generator = f"- |\n{indent(GENERATOR, '  ')}"
        files["top/kustomization.yaml"] = f"{TOP}generators:\n{generator}transformers:\n{texts}"
        home = "top/kustomization.yaml"
    got, answer = asked(rendered(**files), pointer, kind)
    if form == "text" and line.startswith("value: "):
        line = {GPU: "patch: |-"}.get(pointer, "jsonOp: |-")
    assert (got, answer.certain) == (line if line.startswith(("top/", "base/")) else f"{home}: {line}", True)
