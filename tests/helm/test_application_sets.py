"""An ApplicationSet of Argo CD: its charts are rendered as each of its Applications renders them."""

from __future__ import annotations

import pytest
from helm_runs import POD, SELECTED, chart, committed, inventory, place

CHART = chart({"templates/pod.yaml": POD})
SET = """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: all}
spec:
  %s
  template:
    metadata: {name: 'blue-%s'}
    spec:
      destination: {namespace: '%s'}
      source:
        repoURL: https://example.com/team/platform.git
        path: %s
        helm: %s
"""
ENVS = {"envs/dev.yaml": "gpus: 1\n", "envs/prod.yaml": "gpus: 2\n"}
LIST = "generators: [{list: {elements: [{env: dev}, {env: prod}]}}]"
FOLDERS = "generators: [{git: {repoURL: 'https://example.com/team/platform.git', directories: [{path: teams/*}]}}]"


def test_each_element_of_a_list_has_its_values(check, tree):
    text = SET % (LIST, "{{env}}", "team-{{env}}", "chart", "{valueFiles: ['/envs/{{env}}.yaml']}")
    ran = check(tree(inventory({**CHART, **ENVS, "apps.yaml": text})), ".", *SELECTED)
    assert ran.told == [("KLG503", "envs/prod.yaml", 1)]
    assert ran.findings[0]["object"] == "Pod/team-prod/blue-prod"


def test_each_folder_with_a_chart_is_rendered_with_the_values_that_the_template_holds(check, tree):
    moved = {path.replace("chart/", "teams/chat/", 1): text for path, text in CHART.items()}
    text = SET % (
        f"goTemplate: true\n  {FOLDERS}",
        "{{.path.basename}}",
        "{{.path.basename}}",
        "'{{.path.path}}'",
        "\n          valuesObject: {gpus: 2}",
    )
    ran = check(tree(inventory({**moved, "apps.yaml": text})), ".", *SELECTED)
    assert ran.told == [("KLG503", "apps.yaml", 15)]
    assert ran.findings[0]["object"] == "Pod/chat/blue-chat"


def test_a_changed_file_of_a_generator_is_judged_as_its_applications_apply_it(check, tree):
    files = "generators: [{git: {repoURL: 'https://example.com/team/platform.git', files: [{path: envs/*.yaml}]}}]"
    text = SET % (files, "{{gpus}}", "a", "chart", "{values: 'gpus: {{gpus}}'}")
    root = tree(inventory({**CHART, **ENVS, "apps.yaml": text}))
    committed(root)
    ran = check(root, "envs/prod.yaml", *SELECTED)
    assert [(one["object"], *place(one)[:3]) for one in ran.findings] == [("Pod/a/blue-2", "KLG503", "apps.yaml", 13)]


@pytest.mark.parametrize(
    "text",
    [
        SET % ("generators: [{clusters: {}}]", "a", "a", "chart", "{}"),
        SET % (LIST, "{{env}}", "a", "chart", "{valueFiles: ['{{missing}}.yaml']}"),
        SET % (f"goTemplate: true\n  {LIST}", "{{ .env }}", "a", "chart", "{values: '{{ .env | quote }}: 1'}"),
        SET % (LIST, "{{env}}", "a", "chart", "{values: '[{{env}}]'}"),
    ],
)
def test_a_set_whose_applications_are_not_known_is_a_note(check, tree, text):
    root = tree(inventory({**CHART, "apps.yaml": text}))
    assert [(code, path) for code, path, _ in check(root, ".", *SELECTED).told] == [("KLG006", "apps.yaml")]
