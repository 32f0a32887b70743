"""CPU time of a chart's render with the places of its fields, beside that of `helm template` alone.

`python benchmarks/charts.py [--helm PATH] [--objects N] [--repeats N]`: a chart that makes 1,000 Deployments is rendered, and five
fields of each are led to where they come from. The goal is three times the time of `helm template` and a second.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import tempfile
from pathlib import Path

from kubelint_gpu.sources.helm.chart import chart_at
from kubelint_gpu.sources.helm.chart_render import ChartRenderer, render
from kubelint_gpu.sources.helm.helm_program import Release, find_helm

_FILES = {
    "Chart.yaml": "apiVersion: v2\nname: many\nversion: 0.1.0\n",
    "values.yaml": """\
count: 1000
replicas: 2
image: {repository: registry.example.com/vision/tracker, tag: "2.4"}
resources: {limits: {nvidia.com/gpu: 1}, requests: {cpu: 500m, memory: 1Gi}}
strategy: {}
nodeSelector: {pool: gpu}
""",
    "templates/_helpers.tpl": """\
{{- define "many.labels" -}}
app: tracker-{{ . }}
app.kubernetes.io/part-of: vision
{{- end }}
""",
    "templates/deployments.yaml": """\
{{- range $number := until (int .Values.count) }}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: tracker-{{ $number }}
  labels:
    {{- include "many.labels" $number | nindent 4 }}
spec:
  replicas: {{ $.Values.replicas }}
  {{- with $.Values.strategy }}
  strategy: {{- toYaml . | nindent 4 }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "many.labels" $number | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "many.labels" $number | nindent 8 }}
    spec:
      {{- with $.Values.nodeSelector }}
      nodeSelector: {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: main
          image: "{{ $.Values.image.repository }}:{{ $.Values.image.tag }}"
          resources: {{- toYaml $.Values.resources | nindent 12 }}
{{- end }}
""",
}
_POD = ("spec", "template", "spec")
_FIELDS = (
    ("spec", "replicas"),
    ("spec", "strategy"),
    (*_POD, "nodeSelector", "pool"),
    (*_POD, "containers", 0, "image"),
    (*_POD, "containers", 0, "resources", "limits", "nvidia.com/gpu"),
)


def spent() -> float:
    """CPU seconds of this process and of the processes that it started."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--helm")
    parser.add_argument("--objects", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    helm = find_helm(given.helm)
    with tempfile.TemporaryDirectory() as made:
        root = Path(made).resolve()
        for path, text in _FILES.items():
            (root / "many" / path).parent.mkdir(parents=True, exist_ok=True)
            (root / "many" / path).write_text(text.replace("count: 1000", f"count: {given.objects}"))
        alone, whole = [], []
        for _ in range(given.repeats):
            begun = spent()
            command = [helm.path, "template", "many", str(root / "many")]
            subprocess.run(command, check=True, capture_output=True, env={"HOME": made})
            alone.append(spent() - begun)
            begun = spent()
            found = render(chart_at(root, "many", root), Release(), (), ChartRenderer(helm))
            places = {origin.found(field).spot for origin in found.origins if origin for field in _FIELDS}
            whole.append(spent() - begun)
        goal = 3 * statistics.median(alone) + 1
        print(f"{len(found.origins)} objects, {len(places)} places: {statistics.median(whole):.2f} s", end="")
        print(f"; helm template alone {statistics.median(alone):.2f} s, goal {goal:.2f} s")


if __name__ == "__main__":
    main()
