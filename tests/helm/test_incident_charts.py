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


POD = """\
{{- define "app.pod" -}}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{- tpl . $ | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- if .Values.hostNetwork }}
hostNetwork: true
{{- end }}
containers:
  - name: {{ .Chart.Name }}
    image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
    {{- range $name, $port := .Values.ports }}
    {{- if eq $name (keys $.Values.ports | sortAlpha | first) }}
    ports:
    {{- end }}
      - name: {{ $name }}
        containerPort: {{ $port.port }}
        {{- with $port.host }}
        hostPort: {{ . }}
        {{- end }}
    {{- end }}
    resources: {{- toYaml .Values.resources | nindent 6 }}
    {{- if .Values.persistence.enabled }}
    volumeMounts: [{name: data, mountPath: /data}]
    {{- end }}
{{- if and .Values.persistence.enabled (ne .Values.kind "StatefulSet") }}
volumes:
  - name: data
    persistentVolumeClaim:
      claimName: {{ .Values.persistence.existingClaim | default (printf "%s-data" .Release.Name) }}
{{- end }}
{{- end }}
"""
WORKLOAD = """\
apiVersion: apps/v1
kind: {{ .Values.kind }}
metadata: {name: {{ .Release.Name }}, labels: {app: {{ .Release.Name }}}}
spec:
  {{- if ne .Values.kind "DaemonSet" }}
  replicas: {{ .Values.replicaCount }}
  {{- end }}
  {{- if eq .Values.kind "StatefulSet" }}
  serviceName: {{ .Release.Name }}
  {{- end }}
  {{- with .Values.strategy }}
  {{ eq $.Values.kind "Deployment" | ternary "strategy" "updateStrategy" }}: {{- toYaml . | nindent 4 }}
  {{- end }}
  selector: {matchLabels: {app: {{ .Release.Name }}}}
  template:
    metadata: {labels: {app: {{ .Release.Name }}}}
    spec: {{- include "app.pod" . | nindent 6 }}
  {{- if and .Values.persistence.enabled (eq .Values.kind "StatefulSet") }}
  volumeClaimTemplates:
    - metadata: {name: data}
      spec:
        accessModes: [{{ .Values.persistence.accessMode }}]
        {{- with .Values.persistence.storageClass }}
        storageClassName: {{ . }}
        {{- end }}
        resources: {requests: {storage: {{ .Values.persistence.size }}}}
  {{- end }}
"""
DEFAULTS = """\
kind: Deployment
replicaCount: 1
image: {repository: serving, tag: ""}
ports: {}
hostNetwork: false
nodeSelector: {}
affinity: ""
tolerations: []
resources: {limits: {cpu: 1}}
persistence: {enabled: false, existingClaim: "", accessMode: ReadWriteOnce, storageClass: standard, size: 8Gi}
"""
"""The values of a chart as `helm create` makes one; each incident is a file of values of its own."""
CPU = "{cpu: 8, memory: 32Gi}"
GPU = "gpus: {model: A100-SXM4-40GB, count: 1}"
PLAIN = [f"allocatable: {CPU}"]
TAINTED = f'allocatable: {CPU}, {GPU}, taints: ["nvidia.com/gpu=present:NoSchedule"]'
CLASS = """\
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: standard}
provisioner: csi.example.com
volumeBindingMode: WaitForFirstConsumer
"""
APART = """\
affinity: |
  podAntiAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: kubernetes.io/hostname
        labelSelector: {matchLabels: {app: {{ .Release.Name }}}}
"""
CLAIM = "kind: StatefulSet\npersistence:\n  enabled: true\n  storageClass: ''\n"
INCIDENTS = {
    # NIM: no class is the default one
    "no class": (CLAIM, PLAIN, "KLG201", "storageClass"),
    # Dask Gateway: no node has both labels
    "two selectors": (
        "nodeSelector:\n  pool: user\n  zone: a\n",
        [f"labels: {{pool: user}}, allocatable: {CPU}", f"labels: {{zone: a}}, allocatable: {CPU}"],
        "KLG402",
        "zone",
    ),
    # dcgm-exporter, JupyterHub: the nodes with GPUs have a taint
    "no toleration": (
        "resources: {limits: {nvidia.com/gpu: 1}}\ntolerations: []\n",
        [TAINTED],
        "KLG202",
        "tolerations",
    ),
    # Consul: three servers that keep apart, and one node
    "kept apart": (f"replicaCount: 3\n{APART}", PLAIN, "KLG404", "affinity"),
    # Xinference: limits that are no mapping
    "no mapping": ("resources:\n  limits: nvidia.com/gpu\n", PLAIN, "KLG003", "limits"),
    # NeMo Retriever: more pods than GPUs
    "one GPU": (
        "resources: {limits: {nvidia.com/gpu: 1}}\nreplicaCount: 4\n",
        [f"allocatable: {CPU}, {GPU}"],
        "KLG109",
        "replicaCount",
    ),
    # Traefik: the new pod of a DaemonSet needs the port of the old one
    "surge": (
        "kind: DaemonSet\nports:\n  web: {port: 80, host: 8080}\nstrategy:\n  rollingUpdate: {maxSurge: 1, maxUnavailable: 0}\n",
        PLAIN,
        "KLG110",
        "maxSurge",
    ),
    # Ollama beside others: CPU is short
    "little CPU": ("resources: {limits: {cpu: 6}}\nreplicaCount: 3\n", PLAIN * 2, "KLG109", "replicaCount"),
}


@pytest.mark.parametrize(("values", "nodes", "code", "key"), INCIDENTS.values(), ids=INCIDENTS)
def test_an_incident_leads_to_the_line_of_the_values_that_makes_it(check, tree, values, nodes, code, key):
    files = {"templates/_pod.tpl": POD, "templates/workload.yaml": WORKLOAD, "values-prod.yaml": values}
    made = chart(files, values=DEFAULTS)
    every = "".join(f"  - {{name: node-{number}, {node}}}\n" for number, node in enumerate(nodes))
    root = tree({**made, "inventory.yaml": f"{NODES.partition('  - ')[0]}{every}{CLASS}"})
    found = check(root, ".", "-i", "inventory.yaml", "--select", code).findings
    line = next(number for number, text in enumerate(values.splitlines(), 1) if key in text)
    assert ("chart/values-prod.yaml", line) in [(one["path"], one["line"]) for one in found]
