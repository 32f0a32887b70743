"""Replacements: where a value comes from."""

from __future__ import annotations

import pytest

from kubelint_gpu.sources.kustomize.program import Program
from kubelint_gpu.sources.kustomize.rendering import Renderer, render

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: chat
  labels: {tier: front}
spec:
  replicas: 1
  selector: {matchLabels: {app: chat}}
  template:
    metadata:
      labels: {app: chat}
    spec:
      nodeSelector:
        zone: a
      tolerations:
        - key: one
          operator: Exists
      containers:
        - name: side
          image: example.com/side:1
        - name: server
          image: example.com/server:1
          command: [serve]
          env:
            - {name: MODEL, value: small}
          ports:
            - containerPort: 80
              name: http
          resources:
            limits:
              nvidia.com/gpu: 1
      volumes:
        - name: data
          emptyDir: {}
"""
BASE = {"base/kustomization.yaml": "resources: [deployment.yaml]\n", "base/deployment.yaml": DEPLOYMENT}
GPU = ("spec", "template", "spec", "containers", "server", "resources", "limits", "nvidia.com/gpu")
POD = ("spec", "template", "spec")


@pytest.fixture(scope="module")
def rendered(tmp_path_factory, program):
    """Renders `top` of some files, the same ones once."""
    known = {}

    def made(**files):
        key = tuple(sorted(files.items()))
        if key not in known:
            known[key] = built(tmp_path_factory.mktemp("repository"), files)
        return known[key]

    def built(tmp_path, files):
        for name, text in {**BASE, **files}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        found = render(tmp_path / "top", Renderer(Program((program, "build"))), root=tmp_path, cwd=tmp_path)
        assert found.reading is not None, found.problems
        return found

    return made


def asked(found, pointer, kind="Deployment", role="value"):
    """The origin's answer, and what stands there."""
    for document, origin in zip(found.reading.documents, found.origins, strict=True):
        if document.value["kind"] == kind:
            value, steps = document.value, []
            for one in pointer:
                step = one
                if isinstance(value, list) and isinstance(one, str):
                    step = next(index for index, element in enumerate(value) if element.get("name") == one)
                steps.append(step)
                value = value[step] if isinstance(value, list) or step in value else None
            answer = origin.answer(tuple(steps), role)
            source = next(one.source for one in found.sources if one.source.path == answer.spot.path)
            line = source.line(answer.spot.span.line)
            return f"{answer.spot.path}: {line.strip()}", answer
    raise AssertionError(kind)


REPLACED = """\
resources: [../base]
configMapGenerator:
  - name: settings
    envs: [settings.env]
    literals: [ZONE=c]
replacements:
  - source: {kind: ConfigMap, name: settings, fieldPath: data.GPUS}
    targets:
      - select: {kind: Deployment}
        fieldPaths: ["spec.template.spec.containers.[name=server].resources.limits.[nvidia.com/gpu]"]
  - source: {kind: ConfigMap, name: settings, fieldPath: data.ZONE}
    targets:
      - select: {kind: Deployment}
        fieldPaths: [spec.template.spec.nodeSelector.zone]
"""


def test_a_replacement_leads_to_where_its_value_comes_from(rendered):
    files = {"top/kustomization.yaml": REPLACED, "top/settings.env": "# how many\nGPUS=2\n"}
    found = rendered(**files)
    got, answer = asked(found, GPU)
    assert (got, answer.certain) == ("top/settings.env: GPUS=2", True)
    assert [(writer.by, value) for writer, value in answer.before] == [("resource", 1), ("replacement", None)]
    assert asked(found, (*POD, "nodeSelector", "zone"))[0] == "top/kustomization.yaml: literals: [ZONE=c]"
    assert asked(found, ("data", "GPUS"), "ConfigMap")[0] == "top/settings.env: GPUS=2"
    assert asked(found, ("metadata", "name"), "ConfigMap")[0] == "top/kustomization.yaml: - name: settings"
