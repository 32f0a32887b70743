"""The helm that renders: found, named, or missing."""

from __future__ import annotations

import json
import os
import subprocess

import pytest
from helm_runs import CHART, POD, SELECTED, chart, inventory, place

from kubelint_gpu.documents import source_text
from kubelint_gpu.sources.helm.chart_values import ChartValues
from kubelint_gpu.sources.helm.helm_program import complaint
from kubelint_gpu.sources.render import Spot

NO_HELM = {"PATH": os.defpath}


def test_without_helm_each_chart_is_a_note(check, tree):
    files = chart({"templates/pod.yaml": POD, "ci/a-values.yaml": "gpus: 2\n"}, folder="charts/a")
    files |= chart({}, folder="charts/b", head=f"{CHART}dependencies: [{{name: a, version: 0.1.0}}]\n")
    root = tree(inventory(files))
    ran = check(root, ".", "-i", "inventory.yaml", helm=None, env=NO_HELM)
    assert ran.told == [("KLG006", "charts/a/Chart.yaml", 2), ("KLG006", "charts/b/Chart.yaml", 2)]
    assert ran.err == "kubelint-gpu: charts are not rendered: there is no helm on the PATH\n"
    # files of values are no manifests
    assert json.loads(ran.out)["summary"]["files"] == 2


@pytest.mark.parametrize("has_helm", [True, False])
def test_a_chart_with_an_empty_folder_of_templates_says_nothing(check, tree, helm, has_helm):
    root = tree(chart({}))
    (root / "chart" / "templates" / "more").mkdir(parents=True)
    ran = check(root, ".", helm=helm if has_helm else None, env={} if has_helm else NO_HELM)
    assert (ran.told, ran.err, ran.code) == ([], "", 0)


def test_the_report_names_the_version_that_rendered(check, tree, helm):
    version = subprocess.run(
        [helm, "version", "--template", "{{ .Version }}"], check=True, capture_output=True, text=True
    )
    root = tree(inventory(chart({"templates/pod.yaml": POD})))
    assert json.loads(check(root, ".").out)["helm"] == version.stdout.strip()
    told = f"helm {version.stdout.strip()} rendered the charts.\n"
    assert check(root, ".", "--output-format", "text", "--verbose").out.endswith(told)
    assert told not in check(root, ".", "--output-format", "text").out
    assert "helm" not in json.loads(check(root, ".", helm=None, env=NO_HELM).out)


def test_a_helm_that_is_not_there_is_an_error(check, tree):
    root = tree(chart({"templates/pod.yaml": POD}))
    ran = check(root, ".", helm="./nothing")
    assert ran.code == 2
    assert "--helm: there is no program ./nothing" in ran.err


def test_a_program_that_is_no_helm_is_named(check, tree):
    (found,) = check(tree(chart({"templates/pod.yaml": POD})), ".", helm="/bin/echo").findings
    assert place(found)[:3] == ("KLG006", "chart/Chart.yaml", 2)
    assert "/bin/echo is not helm: `/bin/echo version` prints no version of Helm" in found["message"]


def test_a_library_alone_needs_no_helm(check, tree):
    root = tree(chart({"templates/_a.tpl": ""}, head=f"{CHART}type: library\n"))
    ran = check(root, ".", "--output-format", "text", helm=None, env=NO_HELM)
    assert (ran.code, "Chart.yaml" in ran.out, ran.err) == (0, False, "")


def test_an_equal_run_with_another_helm_is_not_repeated(check, tree):
    root = tree(chart({"templates/pod.yaml": POD}))
    assert check(root, ".", helm=None, env=NO_HELM).code == 0
    assert check(root, ".", helm="./nothing").code == 2


SCHEMA = """\
{"additionalProperties": false, "properties": {"gpus": {"type": "integer"}, "image": {"properties": {"tag": {"type": "string"}}}}}
"""


@pytest.mark.parametrize(
    ("values", "line"),
    [("image: {tag: '1'}\ngpus: two\n", 2), ("gpus: 1\nimage:\n  tag: 5\n", 3), ("gpus: 1\ngpu: 2\n", 2)],
)
def test_a_value_that_a_schema_refuses_is_an_error_at_the_value(check, tree, values, line):
    root = tree(chart({"templates/pod.yaml": POD, "values.schema.json": SCHEMA}, values=values))
    assert check(root, ".", "--select", "KLG006").told == [("KLG006", "chart/values.yaml", line)]


def test_what_helm_refuses_is_an_error_at_its_line(check, tree):
    pod = POD.replace("{{ .Values.gpus }}", '{{ required "gpus is needed" .Values.none }}')
    ran = check(tree(chart({"templates/pod.yaml": pod})), ".", "--select", "KLG006")
    (found,) = ran.findings
    assert place(found)[:3] == ("KLG006", "chart/templates/pod.yaml", 12)
    assert "gpus is needed" in found["message"]


def test_a_line_of_the_output_is_no_line_of_the_template(check, tree):
    text = "apiVersion: v1\nkind: ConfigMap\ndata:\n  {{- range until 20 }}\n  a{{ . }}: b\n  {{- end }}\n  bad: [ x\n"
    ran = check(tree(chart({"templates/a.yaml": text})), ".", "--select", "KLG006")
    assert ran.told == [("KLG006", "chart/templates/a.yaml", 1)]


@pytest.mark.parametrize("events", ["pre-instal", "post-install, pre-uprade"])
def test_a_hook_that_helm_leaves_out_is_a_note(check, tree, events):
    job = f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations: {{helm.sh/hook: '{events}'}}\n"
    root = tree(inventory(chart({"templates/pod.yaml": POD, "templates/job.yaml": job})))
    (found,) = check(root, ".", *SELECTED).findings
    assert place(found)[:3] == ("KLG006", "chart/templates/job.yaml", 5)
    assert found["severity"] == "note"
    assert repr(events) in found["message"]


@pytest.mark.parametrize(
    "error",
    ["fatal error: runtime: cannot allocate memory\ngoroutine 1", "runtime: goroutine stack exceeds 1000000000"],
)
def test_a_render_without_an_end_is_told_in_words(error):
    chart_file = Spot("chart/Chart.yaml", source_text("chart/Chart.yaml", "name: a\n").span(0, 4))
    told = complaint(error, (), None, chart_file, ChartValues(()))
    assert (told.path, told.span) == (chart_file.path, chart_file.span)
    assert told.message.startswith("helm cannot render it: it uses more memory than it may")


def test_an_error_that_names_a_runtime_is_no_lack_of_memory():
    chart_file = Spot("chart/Chart.yaml", source_text("chart/Chart.yaml", "name: a\n").span(0, 4))
    told = complaint(
        "Error: values do not meet the schema: runtime: must be a text", (), None, chart_file, ChartValues(())
    )
    assert told.message == "helm cannot render it: values do not meet the schema: runtime: must be a text"
