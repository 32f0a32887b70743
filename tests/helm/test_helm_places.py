"""The proof of places by perturbation, on the example and on a chart of many styles."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from kubelint_gpu.sources.helm.chart import chart_at
from kubelint_gpu.sources.helm.chart_render import ChartRenderer, render
from kubelint_gpu.sources.helm.helm_program import Helm, Release
from kubelint_gpu.sources.rendering_program import RenderTime
from kubelint_gpu.values import replace
from tools.helm_places import Prover, main

EXAMPLE = Path(__file__).resolve().parent.parent.parent / "examples" / "helm"
STYLES = {
    "Chart.yaml": "apiVersion: v2\nname: styles\nversion: 0.1.0\n",
    "values.yaml": """\
name: main
annotations: {team: vision}
nodes: [{key: pool, value: gpu}]
pod:
  resources: {limits: {nvidia.com/gpu: 2}}
  "a-b": dashed
image: {repository: example, tag: "1"}
rendered: "{{ .Values.name }}-suffix"
script: true
""",
    "templates/_helpers.tpl": """\
{{- define "styles.spec" -}}
{{- $top := index . 0 -}}
{{- $pod := index . 1 }}
containers:
  - name: {{ $top.Values.name }}
    image: {{ printf "%s:%s" $top.Values.image.repository $top.Values.image.tag | quote }}
    {{- with $pod.resources }}
    resources: {{- toYaml . | nindent 6 }}
    {{- end }}
{{- end }}
{{- define "styles.name" }}{{ .Release.Name | trunc 63 | trimSuffix "-" }}{{ end }}
""",
    "templates/pod.yaml": """\
{{- $name := include "styles.name" . | trunc 20 }}
apiVersion: v1
kind: Pod
metadata:
  name: {{ $name }}
  annotations: {{ toJson .Values.annotations }}
  labels:
    dashed: {{ index .Values.pod "a-b" }}
    rendered: {{ tpl .Values.rendered . }}
    {{- if .Values.script }}
    text: "folded
      text"
    {{- end }}
spec:
  nodeSelector:
    {{- range .Values.nodes }}
    {{ .key }}: {{ .value }}
    {{- end }}
{{ include "styles.spec" (list . .Values.pod) | indent 2 }}
---
{{- /* a second one */}}
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ include "styles.name" . }}
data:
  script: |
    #!/bin/sh
    {{- if .Values.script }}
    echo {{ .Values.name }}
    {{- end }}
""",
}


@pytest.fixture
def styles(tmp_path):
    for name, text in STYLES.items():
        path = tmp_path / "chart" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def rendered(root, folder, helm):
    return render(chart_at(root, folder, root), Release(), (), ChartRenderer(Helm(helm, named=True)))


def told(verdicts):
    return [one for one in verdicts if not one.proven]


def test_each_place_of_the_example_is_proven(helm):
    verdicts = list(Prover(rendered(EXAMPLE, "tracker", helm)).verdicts())
    assert told(verdicts) == []
    assert sum(one.of_value for one in verdicts) == 4


def test_each_place_of_a_chart_of_many_styles_is_proven(styles, helm):
    found = rendered(styles, "chart", helm)
    assert found.problems == ()
    verdicts = list(Prover(found).verdicts())
    assert told(verdicts) == []
    places = {one.field: one.place for one in verdicts}
    assert places["Pod.spec.containers.0.resources.limits.nvidia.com/gpu"] == "chart/values.yaml:5:40"
    assert places["Pod.spec.containers.0.image"] == "chart/values.yaml:7:21"
    assert places["Pod.metadata.labels.dashed"] == "chart/values.yaml:6:10"
    assert places["Pod.metadata.labels.rendered"] == "chart/values.yaml:8:11"
    assert places["Pod.metadata.annotations.team"] == "chart/values.yaml:2:21"
    assert places["Pod.spec.nodeSelector.pool"] == "chart/values.yaml:3:28"
    assert places["Pod.metadata.labels.text"] == "chart/templates/pod.yaml:11:11"


HIDDEN = {
    "Chart.yaml": "apiVersion: v2\nname: hidden\nversion: 0.1.0\n",
    "values.schema.json": '{"properties": {"policy": {"enum": ["Never", "Always"]}}}',
    "values.yaml": """\
policy: Never
hostNetwork: true
log: {level: info}
affinity: |
  nodeAffinity: {x: {{ .Release.Name }}}
services:
  api: {}
  web: {strategy: {}}
""",
    "templates/pod.yaml": """\
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  restartPolicy: {{ .Values.policy }}
  {{- if .Values.hostNetwork }}
  hostNetwork: true
  {{- end }}
  affinity: {{- tpl .Values.affinity . | nindent 4 }}
  containers:
    - name: main
      args:
        {{- $all := list "a" (printf "--level=%s" .Values.log.level) }}
        {{- toYaml $all | nindent 8 }}
{{- range $name, $one := .Values.services }}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ $name }}}
spec:
  {{- with $one.strategy }}
  strategy: {{- toYaml . | nindent 4 }}
  {{- end }}
  replicas: 1
{{- end }}
""",
}


def test_a_value_behind_a_schema_a_condition_a_format_and_a_map_is_found(tmp_path, helm):
    (tmp_path / "chart" / "templates").mkdir(parents=True)
    for name, text in HIDDEN.items():
        (tmp_path / "chart" / name).write_text(text)
    found = rendered(tmp_path, "chart", helm)
    verdicts = list(Prover(found).verdicts())
    assert told(verdicts) == []
    places = {one.field: one.place for one in verdicts}
    assert places["Pod.spec.restartPolicy"] == "chart/values.yaml:1:9"
    assert places["Pod.spec.hostNetwork"] == "chart/values.yaml:2:14"
    assert places["Pod.spec.containers.0.args.1"] == "chart/values.yaml:3:14"
    assert places["Pod.spec.affinity.nodeAffinity.x"] == "chart/values.yaml:4:11"
    api, web = (origin.found(("spec", "strategy")).values for origin in found.origins[1:])
    assert (api, web) == (("services", "api", "strategy"), ("services", "web", "strategy"))


class CountedTime(RenderTime):
    renders = 0

    def left(self):
        self.renders += 1
        return super().left()


def test_one_render_shows_what_many_values_decide(tmp_path, helm):
    (tmp_path / "chart" / "templates").mkdir(parents=True)
    names = [f"a{number}" for number in range(40)]
    values = "".join(f"{name}: {number % 3 or 'text'}\n" for number, name in enumerate(names))
    data = "".join(f"  {name}: {{{{ .Values.{name} | quote }}}}\n" for name in names)
    for name, text in {
        "Chart.yaml": HIDDEN["Chart.yaml"],
        "values.yaml": values,
        "values.schema.json": '{"properties": {"a0": {"const": "text"}}}',
        "templates/a.yaml": f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata:\n{data}",
        "templates/NOTES.txt": '{{ if gt (int .Values.a1) 1 }}{{ fail "another number" }}{{ end }}',
    }.items():
        (tmp_path / "chart" / name).write_text(text)
    time = CountedTime()
    renderer = ChartRenderer(Helm(helm, named=True), time)
    found = render(chart_at(tmp_path, "chart", tmp_path), Release(), (), renderer)
    (origin,) = found.origins
    assert [origin.found(("data", name)).spot.span.line for name in names] == list(range(1, 41))
    assert time.renders < 10


KEYS = {
    "Chart.yaml": "apiVersion: v2\nname: keys\nversion: 0.1.0\n",
    "values.yaml": "env:\n  MODE: fast\nnodes:\n  gpu-a: {count: 2}\n",
    "templates/_a.tpl": """\
{{ define "env" }}{{ range $name, $value := .Values.env }}
- name: {{ $name }}
  value: {{ $value }}
{{- end }}{{ end }}
{{ define "node" }}{{ keys .Values.nodes | first }}{{ end }}
""",
    "templates/a.yaml": """\
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  nodeName: {{ include "node" . }}
  containers:
    - name: main
      image: main
      env: {{- include "env" . | nindent 8 }}
""",
}


def test_a_key_that_becomes_a_value_leads_to_the_values(tmp_path, helm):
    (tmp_path / "chart" / "templates").mkdir(parents=True)
    for name, text in KEYS.items():
        (tmp_path / "chart" / name).write_text(text)
    verdicts = list(Prover(rendered(tmp_path, "chart", helm)).verdicts())
    assert told(verdicts) == []
    places = {one.field: one.place for one in verdicts}
    assert places["Pod.spec.nodeName"] == "chart/values.yaml:4:3"
    assert places["Pod.spec.containers.0.env.0.name"] == "chart/values.yaml:2:3"
    assert places["Pod.spec.containers.0.env.0.value"] == "chart/values.yaml:2:9"


def test_the_tool_prints_what_is_proven_for_each_choice_of_values(helm):
    ran = CliRunner().invoke(main, [str(EXAMPLE / "tracker"), "--helm", helm])
    assert ran.exit_code == 0
    assert [line.partition("tracker")[2] for line in ran.output.splitlines()] == [
        ": values 4 / 4, templates 10 / 10",
        " with values-prod.yaml: values 5 / 5, templates 10 / 10",
    ]


def test_a_wrong_place_is_not_proven(helm):
    """The proof can fail: it does if every field is led to the line of another one."""
    right = rendered(EXAMPLE, "tracker", helm)

    class Mistaken:
        def __init__(self, origin):
            self._origin = origin
            self.compared = origin.compared

        def found(self, _pointer):
            return self._origin.found(("spec", "template", "spec", "containers", 0, "name"))

    verdicts = list(Prover(replace(right, origins=tuple(map(Mistaken, right.origins)))).verdicts())
    assert [one for one in told(verdicts) if one.field.endswith("replicas")]
