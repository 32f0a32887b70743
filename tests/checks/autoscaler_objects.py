"""A HorizontalPodAutoscaler as short as it can be."""

from __future__ import annotations


def hpa(least, most, kind="Deployment", name="chat", namespace="serving"):
    bounds = f"  minReplicas: {least}\n" * (least is not None)
    return (
        "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: scaler, namespace: "
        + namespace
        + "}\n"
        f"spec:\n{bounds}  maxReplicas: {most}\n"
        f"  scaleTargetRef: {{apiVersion: apps/v1, kind: {kind}, name: {name}}}\n---\n"
    )
