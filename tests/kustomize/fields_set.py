"""Kustomizations that set fields in several ways."""

from __future__ import annotations

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
