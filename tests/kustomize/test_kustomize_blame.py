"""Which line is told of a field that several have set."""

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


FIELDS = """\
resources: [../base]
namespace: prod
namePrefix: a-
nameSuffix: -z
replicas:
  - name: chat
    count: 3
images:
  - name: example.com/server
    newTag: "2"
labels:
  - pairs: {team: ml}
    includeTemplates: true
commonLabels:
  part: of
commonAnnotations:
  owner: us
"""


def test_who_set_it_before_is_known_too(rendered):
    _, answer = asked(rendered(**{"top/kustomization.yaml": FIELDS}), ("spec", "replicas"))
    assert [(writer.by, value) for writer, value in answer.before] == [("resource", 1)]
    _, answer = asked(rendered(**{"top/kustomization.yaml": FIELDS}), ("metadata", "name"))
    assert [writer.by for writer, _ in answer.before if writer.by.startswith("name")] == ["namePrefix", "nameSuffix"]


def test_what_the_model_does_not_know_is_not_certain(rendered):
    files = {
        "top/kustomization.yaml": f"{TOP}transformers: [replicas.yaml]\n",
    }
    files["top/replicas.yaml"] = (
        "apiVersion: builtin\nkind: ReplicaCountTransformer\nmetadata: {name: r}\n"
        "replica: {name: chat, count: 7}\nfieldSpecs: [{path: spec/minReadySeconds, create: true, kind: Deployment}]\n"
    )
    got, answer = asked(rendered(**files), ("spec", "minReadySeconds"))
    assert (got, answer.certain) == ("base/deployment.yaml: spec:", False)
    got, answer = asked(rendered(**files), ("spec", "replicas"))
    assert answer.certain is False


def test_one_base_twice(rendered):
    files = {
        "top/kustomization.yaml": "resources: [../a, ../b]\n",
        "a/kustomization.yaml": "resources: [../base]\nnamePrefix: a-\nreplicas: [{name: chat, count: 2}]\n",
        "b/kustomization.yaml": "resources: [../base]\nnamePrefix: b-\n",
    }
    found = rendered(**files)
    lines = {
        document.value["metadata"]["name"]: origin.answer(("spec", "replicas")).spot.path
        for document, origin in zip(found.reading.documents, found.origins, strict=True)
    }
    assert lines == {"a-chat": "a/kustomization.yaml", "b-chat": "base/deployment.yaml"}
