"""Variables: where a value comes from."""

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


TOP = "resources: [../base]\n"


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
