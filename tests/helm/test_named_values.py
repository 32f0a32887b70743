"""Values that templates name, directly or by a variable, a block, a helper or another value."""

from __future__ import annotations

import textwrap

import pytest
from helm_runs import chart, inventory, place

from kubelint_gpu.sources.helm.chart_values import ChartValues, ValuesPart
from kubelint_gpu.sources.helm.named_values import NamedValues
from kubelint_gpu.sources.helm.template_text import pieces

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: NAME}
spec:
  STRATEGY
  selector: {matchLabels: {app: a}}
  template:
    metadata: {labels: {app: a}}
    spec:
      nodeSelector: {kubernetes.io/hostname: gpu-1}
      containers: [{name: main, image: serving, resources: {limits: {nvidia.com/gpu: GPUS}}}]
"""
HELPER = """\
{{ define "strategy" }}
strategy:
{{- if not .Values.engine.strategy }}
  rollingUpdate:
    maxSurge: 100%
    maxUnavailable: 0
{{- else }}{{ toYaml .Values.engine.strategy | nindent 2 }}{{ end }}
{{ end }}
{{ define "gpus" }}{{ .model.gpus | int }}{{ end }}
{{ define "of" }}{{ with .model.strategy }}strategy: {{ toYaml . | nindent 2 }}{{ end }}{{ end }}
"""
RANGE = """\
{{- $spec := .Values.spec }}{{ range $model := $spec.models }}{{ $all := dict "model" $model "root" $ }}
---
"""
MODELS = "".join(f"    - {{name: m{number}, gpus: 1}}\n" for number in range(12))


def deployment(strategy="", gpus=".Values.gpus", name="serving"):
    text = DEPLOYMENT.replace("STRATEGY", strategy).replace("GPUS", f"{{{{ {gpus} }}}}")
    return text.replace("NAME", name)


def files(strategy="", gpus=".Values.gpus", *, values="gpus: 2\n"):
    made = {"templates/a.yaml": deployment(strategy, gpus), "templates/_h.tpl": HELPER}
    return inventory(chart(made, values=values))


@pytest.mark.parametrize(
    ("gpus", "values", "line"),
    [
        ("ternary 2 1 .Values.big", "a: 1\nbig: true\n", 2),
        ("if .Values.big }}2{{ else }}1{{ end", "a: 1\nbig: true\n", 2),
        ("tpl .Values.gpus .", 'gpus: "{{ .Values.global.count }}"\nglobal:\n  count: 2\n', 3),
        ("$all.gpus | default 1", "a: 1\ngpus: 2\n", 2),
        ('get .Values.engine "gpus"', "a: 1\nengine:\n  gpus: 2\n", 3),
    ],
)
def test_a_field_leads_to_the_value_that_is_named_elsewhere(check, tree, gpus, values, line):
    made = files(gpus=gpus, values=values)
    made["chart/templates/a.yaml"] = "{{- $all := .Values }}\n" + made["chart/templates/a.yaml"]
    assert check(tree(made), ".", "-i", "inventory.yaml", "--select", "KLG503").told == [
        ("KLG503", "chart/values.yaml", line)
    ]


def test_an_item_of_a_long_list_leads_to_its_own_line(check, tree):
    text = RANGE + deployment('{{- include "of" $all | nindent 2 }}', 'include "gpus" $all', "{{ $model.name }}")
    many = MODELS.replace("m9, gpus: 1", "m9, gpus: 2")
    made = files(values=f"spec:\n  models:\n{many}")
    root = tree({**made, "chart/templates/a.yaml": text + "{{ end }}"})
    assert check(root, ".", "-i", "inventory.yaml", "--select", "KLG503").told == [("KLG503", "chart/values.yaml", 12)]


FIXED = "strategy:\n  rollingUpdate:\n    maxSurge: 0\n    maxUnavailable: 1\n"


@pytest.mark.parametrize(("there", "at"), [("  strategy: {}\n", "values.yaml"), ("", "templates/_h.tpl")])
def test_a_fix_gives_the_value_for_which_a_helper_has_a_default(check, tree, there, at):
    values = f"gpus: 1\nengine:\n  other: 1\n{there}"
    root = tree(files('{{- include "strategy" . | nindent 2 }}', values=values))
    asked = (root, ".", "-i", "inventory.yaml", "--select", "KLG101")
    assert [place(one)[1] for one in check(*asked).findings] == [f"chart/{at}"]
    check(*asked, "--fix")
    after = f"gpus: 1\nengine:\n  other: 1\n{textwrap.indent(FIXED, '  ')}"
    assert (root / "chart" / "values.yaml").read_text() == after


def test_a_fix_gives_an_item_of_a_list_what_only_its_template_names(check, tree):
    text = RANGE + deployment('{{- include "of" $all | nindent 2 }}', 'include "gpus" $all', "{{ $model.name }}")
    made = files(values="spec:\n  models:\n    - name: a\n      gpus: 1\n")
    root = tree({**made, "chart/templates/a.yaml": text + "{{ end }}"})
    check(root, ".", "-i", "inventory.yaml", "--select", "KLG101", "--fix")
    assert "maxSurge: 0" in (root / "chart" / "values.yaml").read_text()


PARENT = """\
apiVersion: v2
name: parent
version: 0.1.0
dependencies:
  - {name: serving, version: 0.1.0, repository: '', alias: blue}
  - {name: serving, version: 0.1.0, repository: '', alias: green}
"""


def test_a_subchart_with_an_alias_leads_to_the_values_of_its_alias(check, tree):
    text = deployment(name="{{ .Chart.Name }}").replace("GPUS", "{{ .Values.gpus }}")
    sub = chart({"templates/a.yaml": text}, folder="parent/charts/serving", values="gpus: 1\n")
    root = tree(inventory(sub | chart({}, folder="parent", head=PARENT, values="green:\n  gpus: 2\n")))
    told = check(root, ".", "-i", "inventory.yaml", "--select", "KLG503").told
    assert told == [("KLG503", "parent/values.yaml", 2)]


def test_names_below_variables_and_blocks_follow_those_in_full():
    text = '{{ range $m := .Values.models }}{{ $m.size }}{{ end }}{{ index .Values.a "b" }}{{ .Release.Name }}'
    values = ChartValues([ValuesPart("values.yaml", {"models": [{"size": 1}, {"other": 2}], "a": {"b": 3}})])
    found = pieces(text)
    by = NamedValues({"a.yaml": found}, values).by
    action = next(piece for piece in found if piece.inner.strip() == "$m.size")
    assert by("c/a.yaml", "a.yaml", [action]) == [("models",), ("models", 0, "size"), ("models", 1, "size")]
    assert by("c/a.yaml", "a.yaml", [found[3]]) == [("a",), ("a", "b")]
    assert by("c/charts/sub/templates/a.yaml", "a.yaml", [found[3]]) == [("sub", "a")]
    assert by("c/a.yaml", "a.yaml", [action], ranges=False) == []
