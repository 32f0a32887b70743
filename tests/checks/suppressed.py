"""A manifest with suppressions."""

from __future__ import annotations

from kubelint_gpu.documents import read
from kubelint_gpu.engine.run import check
from kubelint_gpu.engine.selection import Suppression
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext

MANIFEST = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: a{above}
spec:{spec}
  selector: {{matchLabels: {{app: a}}}}
  template:
    metadata: {{labels: {{app: a}}}}
    spec:
      containers:
      - name: a
        image: a
        env: [{{name: TEXT, value: "# kubelint-gpu: ignore[KLG114] a text and no comment"}}]
        resources:
          limits:
            nvidia.com/gpu: 1{gpu}
"""


def run(*, above="", spec="", gpu="", **options):
    text = MANIFEST.format(above=above, spec=spec, gpu=gpu)
    unit = ApplySet([read("a.yaml", text.encode())], ClusterContext())
    return check((unit,), ClusterContext(), suppression=Suppression("2026-06-01", **options))
