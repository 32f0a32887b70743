"""Strategic merge patches."""

from __future__ import annotations


def taken(found):
    """What was taken out of the only Deployment, each with the line that did it."""
    told = []
    for removal in found.origins[0].removals():
        spot = removal.writer.spot()
        source = next(one.source for one in found.sources if one.source.path == spot.path)
        told.append((f"{spot.path}: {source.line(spot.span.line).strip()}", removal.entries))
    return told


STRATEGIC = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: chat}
spec:
  template:
    spec:
      nodeSelector:
        zone: b
      tolerations:
        - key: two
      containers:
        - name: server
          env:
            - {name: MODEL, value: large}
            - {name: MORE, value: yes-it-is}
          resources:
            limits:
              nvidia.com/gpu: 4
      volumes:
        - name: cache
          emptyDir: {}
"""
