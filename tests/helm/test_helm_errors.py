"""What Helm complains of, at the line that it means."""

from __future__ import annotations

import pytest
from helm_runs import POD, SELECTED, chart, inventory, place


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
