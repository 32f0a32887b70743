"""An overlay of one Deployment, and what the program says of where its fields come from."""

from __future__ import annotations

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
TOP = "resources: [../base]\n"


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
