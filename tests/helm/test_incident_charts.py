"""Public incidents whose source was a chart, rebuilt as charts: each leads to the line of the values, or says none."""

from __future__ import annotations

import pytest
from helm_runs import chart

NODES = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.34"
complete: true
nodes:
  - {name: dgx-1, allocatable: {cpu: 64, memory: 480Gi}, gpus: {model: A100-SXM4-40GB, count: 2}}
"""
AGENTS = """\
{{- define "agents.resources" }}
{{- if .Values.agent.gpus }}
limits: {nvidia.com/gpu: {{ .Values.agent.gpus }}}
{{- else }}
limits: {cpu: 1}
{{- end }}
{{- end }}
"""
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}-agent}
spec:
  replicas: {{ .Values.agent.replicas | default 1 }}
  %s
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      containers:
        - name: main
          image: agent
          resources: {{- include "agents.resources" . | nindent 12 }}
"""
STRATEGY = "{{- with .Values.updateStrategy }}\n  strategy: {{- toYaml . | nindent 4 }}\n  {{- end }}"
ENGINES = """\
{{- range $name, $engine := .Values.engines }}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ $.Release.Name }}-{{ $name }}}
spec:
  replicas: {{ $engine.replicas }}
  strategy: {type: {{ ternary "Recreate" "RollingUpdate" (eq $engine.rollout "stop") }}, rollingUpdate: {{ toJson $engine.rolling }}}
  selector: {matchLabels: {app: {{ $name }}}}
  template:
    metadata: {labels: {app: {{ $name }}}}
    spec:
      containers: [{name: main, image: engine, resources: {limits: {nvidia.com/gpu: {{ $engine.gpus }}}}}]
{{- end }}
"""
MODELS = """\
engines:
  decode:
    replicas: 1
    rollout: roll
    rolling: {maxSurge: 1, maxUnavailable: 0}
    gpus: 2
"""
CASES = {
    # agents that hold every GPU (ClearML), a strategy that the values give
    "taken": (DEPLOYMENT % STRATEGY, "agent: {gpus: 2}\nupdateStrategy:\n  type: RollingUpdate\n", ("values.yaml", 2)),
    # the chart has no strategy (llm-d, omi)
    "absent": (DEPLOYMENT % "", "agent: {gpus: 2}\n", ("templates/a.yaml", 4)),
    # one Deployment for each engine
    "ranged": (ENGINES, MODELS, ("values.yaml", 5)),
}


@pytest.mark.parametrize(("template", "values", "at"), CASES.values(), ids=CASES)
def test_a_rollout_that_never_ends_leads_to_what_decides_it(check, tree, template, values, at):
    made = chart({"templates/a.yaml": template, "templates/_h.tpl": AGENTS}, values=values)
    root = tree({**made, "inventory.yaml": NODES})
    (found,) = check(root, ".", "-i", "inventory.yaml", "--select", "KLG101").findings
    assert (found["path"], found["line"]) == (f"chart/{at[0]}", at[1])
    gpus = next(number for number, line in enumerate(values.splitlines(), 1) if "gpus" in line)
    assert ("chart/values.yaml", gpus) in {(one["path"], one["line"]) for one in found["related"]}
    after = check(root, ".", "-i", "inventory.yaml", "--select", "KLG101", "--fix")
    assert after.code == (1 if at[0].startswith("templates") else 0)
    assert after.code == 0 or "no single value of the chart was found" in " ".join(after.out.split())
