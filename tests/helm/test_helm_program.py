"""The helm that renders: found, named, or missing."""

from __future__ import annotations

import os

import pytest
from helm_runs import POD, SELECTED, chart, inventory, place

from kubelint_gpu.documents import source_text
from kubelint_gpu.sources.helm.helm_program import complaint
from kubelint_gpu.sources.render import Spot

NO_HELM = {"PATH": os.defpath}


def test_without_helm_each_chart_is_a_note(check, tree):
    root = tree(inventory(chart({"templates/pod.yaml": POD}, folder="charts/a") | chart({}, folder="charts/b")))
    ran = check(root, ".", "-i", "inventory.yaml", helm=None, env=NO_HELM)
    assert ran.told == [("KLG006", "charts/a/Chart.yaml", 2), ("KLG006", "charts/b/Chart.yaml", 2)]
    assert ran.err == "kubelint-gpu: charts are not rendered: there is no helm on the PATH\n"


def test_a_helm_that_is_not_there_is_an_error(check, tree):
    root = tree(chart({"templates/pod.yaml": POD}))
    ran = check(root, ".", helm="./nothing")
    assert ran.code == 2
    assert "--helm: there is no program ./nothing" in ran.err


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
    told = complaint(error, (), None, chart_file)
    assert (told.path, told.span) == (chart_file.path, chart_file.span)
    assert told.message.startswith("helm cannot render it: it uses more memory than it may")


def test_an_error_that_names_a_runtime_is_no_lack_of_memory():
    chart_file = Spot("chart/Chart.yaml", source_text("chart/Chart.yaml", "name: a\n").span(0, 4))
    told = complaint("Error: values do not meet the schema: runtime: must be a text", (), None, chart_file)
    assert told.message == "helm cannot render it: values do not meet the schema: runtime: must be a text"
