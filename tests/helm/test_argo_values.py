"""Values that an ApplicationSet of Argo CD fills in for each of its Applications."""

from __future__ import annotations

import pytest
from helm_runs import POD, SELECTED, chart, inventory

CHART = chart(
    {"templates/pod.yaml": POD.replace(".Values.gpus", 'index .Values.pod "g.pus"')}, values="pod: {g.pus: 1}\n"
)
SET = """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: all}
spec:
  %s
  generators: [{list: {elements: [{env: dev, gpus: 1}, {env: prod, gpus: 2}]}}]
  template:
    metadata: {name: 'blue-%s'}
    spec:
      destination: {namespace: ml}
      source:
        repoURL: https://example.com/team/platform.git
        path: chart
        helm:
          %s
"""


@pytest.mark.parametrize(
    "values",
    [
        "valuesObject: {pod: {g.pus: '{{gpus}}'}}",
        "valuesObject: {'p{{none}}od': 0, pod: {g.pus: '{{gpus}}'}}",
        "values: 'pod: {g.pus: {{gpus}}}'",
        "values: |\n            pod:\n              g.pus: {{gpus}}",
        "parameters: [{name: 'pod.g\\.pus', value: '{{gpus}}'}]",
        "parameters: [{name: 'pod.g\\.pus', value: '{{gpus}}'}]\n          valuesObject: {pod: {g.pus: '4'}}",
        "parameters: [{name: 'pod.g\\.pus', value: '2'}]\n          valuesObject: {pod: {g.pus: '4', a: '{{env}}'}}",
    ],
)
@pytest.mark.parametrize("in_go", [False, True])
def test_parameters_in_values_are_filled_in(check, tree, values, in_go):
    text = SET % ("goTemplate: false", "{{env}}", values)
    if in_go:
        text = text.replace("Template: false", "Template: true").replace("p{{none}}", "p{{ .env }}")
        text = text.replace("{{env}}", "{{.env}}").replace("{{gpus}}", "{{ .gpus }}")
    ran = check(tree(inventory({**CHART, "apps.yaml": text})), ".", *SELECTED)
    asks = {one["object"]: one["message"].split("asks for ")[1].split()[0] for one in ran.findings}
    both = {"Pod/ml/blue-dev": "2"} if "'2'" in values else {}
    assert asks == both | {"Pod/ml/blue-prod": "2"}
    assert {one["path"] for one in ran.findings} == {"apps.yaml"}


def test_too_many_values_of_a_template_are_a_note(check, tree):
    text = SET % ("goTemplate: false", "{{env}}", f"valuesObject: {{a: '{{{{env}}}}', b: {'x' * 200_000}}}")
    (found,) = check(tree(inventory({**CHART, "apps.yaml": text})), ".", *SELECTED).findings
    assert "a template or a patch makes too many values" in found["message"]
