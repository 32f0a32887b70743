"""Claims that not every pod can use at once, and lines that are pointed at."""

from __future__ import annotations

from checks_units import NODES


def said(found):
    return [(one.place.path, one.place.line, one.message) for one in found]


CLAIMS = (
    NODES
    + """\
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: models, namespace: serving}
spec: {accessModes: [ReadWriteOnce]}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: shared, namespace: serving}
spec: {accessModes: [ReadWriteMany]}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: foreign, namespace: other}
spec: {accessModes: [ReadWriteOncePod]}
"""
)
