"""What Helm complains of, at the line that it means."""

from __future__ import annotations

from helm_runs import POD, chart, place


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
