"""Where findings on charts stand."""

from __future__ import annotations

from helm_runs import POD, chart, inventory, place, with_dependency


def test_findings_stand_at_the_values_that_decide_them(check, example):
    ran = check(example, ".", "-i", "inventory.yaml")
    assert ran.code == 1
    (found,) = ran.findings
    assert place(found) == ("KLG101", "tracker/values.yaml", 8, 1)
    related = {(one["path"], one["line"]): one["message"] for one in found["related"]}
    assert related["tracker/values-prod.yaml", 2] == "only tracker-node can take it"
    assert related["tracker/values.yaml", 16] == "each pod takes 1 nvidia.com/gpu"
    assert related["tracker/Chart.yaml", 2] == "rendered by tracker with values-prod.yaml"


def test_named_templates_lead_to_their_own_lines(check, example):
    helpers = example / "tracker" / "templates" / "_helpers.tpl"
    helpers.write_text(
        helpers.read_text().replace("{{- toYaml . | nindent 2 }}", "\n  kubernetes.io/hostname: nowhere")
    )
    ran = check(example, ".", "-i", "inventory.yaml", "--select", "KLG402")
    assert [place(one)[:3] for one in ran.findings] == [("KLG402", "tracker/templates/_helpers.tpl", 10)]


def test_subcharts_lead_to_the_values_of_the_file_that_sets_them(check, tree):
    sub = chart({"templates/pod.yaml": POD}, folder="parent/charts/serving", values="gpus: 2\n")
    files = sub | chart({}, folder="parent", head=with_dependency("repository: ''"), values="other: 1\n")
    root = tree(inventory(files))
    told = check(root, ".", "-i", "inventory.yaml", "--select", "KLG503").told
    assert told == [("KLG503", "parent/charts/serving/values.yaml", 1)]
    (root / "parent" / "values.yaml").write_text("serving:\n  gpus: 3\n")
    told = check(root, ".", "-i", "inventory.yaml", "--select", "KLG503").told
    assert told == [("KLG503", "parent/values.yaml", 2)]


def test_a_key_of_a_single_value_leads_to_the_value(check, example):
    template = example / "tracker" / "templates" / "deployment.yaml"
    text = template.read_text()
    start, end = text.index("  {{- with .Values.strategy"), text.index("  selector:")
    strategy = "  strategy:\n    rollingUpdate:\n      maxUnavailable: {{ .Values.maxUnavailable }}\n"
    template.write_text(text[:start] + strategy + text[end:])
    values = example / "tracker" / "values.yaml"
    values.write_text(f"{values.read_text()}maxUnavailable: 0\n")
    (found,) = check(example, ".", "-i", "inventory.yaml").findings
    assert place(found)[:3] == ("KLG101", "tracker/values.yaml", 17)


def test_a_variable_that_a_named_template_sets_leads_to_its_value(check, tree):
    files = chart(
        {
            "templates/_a.tpl": '{{ define "gpus" }}{{ .Values.big.gpus }}{{ end }}',
            "templates/pod.yaml": '{{- $gpus := include "gpus" . }}\n'
            + POD.replace("{{ .Values.gpus }}", "{{ $gpus }}"),
        },
        values="other: 1\nbig: {gpus: 2}\n",
    )
    assert check(tree(inventory(files)), ".", "-i", "inventory.yaml").told == [("KLG503", "chart/values.yaml", 2)]


TAINTED = "count: 1}\n    taints: ['nvidia.com/gpu=present:NoSchedule']"


def test_a_list_that_a_value_gives_stands_at_the_value(check, tree):
    pod = POD.replace("  containers", "  tolerations:\n    {{- toYaml .Values.tolerations | nindent 4 }}\n  containers")
    files = inventory(
        chart({"templates/pod.yaml": pod}, values="gpus: 1\ntolerations:\n  - {key: a, operator: Exists}\n")
    )
    root = tree({**files, "inventory.yaml": files["inventory.yaml"].replace("count: 1}", TAINTED)})
    assert check(root, ".", "-i", "inventory.yaml", "--select", "KLG202").told == [("KLG202", "chart/values.yaml", 2)]


def test_a_line_of_a_text_that_the_template_evaluates_is_a_place(check, tree):
    pod = POD.replace("  containers", "  affinity:\n{{ tpl .Values.affinity . | indent 4 }}\n  containers")
    text = """\
gpus: 1
affinity: |
  nodeAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms:
        - matchExpressions:
            - {key: kubernetes.io/os, operator: Exists}
            - key: '{{ .Release.Name }}'
              operator: In # nowhere
              values: [a]
"""
    root = tree(inventory(chart({"templates/pod.yaml": pod}, values=text)))
    (found,) = check(root, ".", "-i", "inventory.yaml", "--select", "KLG402").findings
    assert place(found)[:3] == ("KLG402", "chart/values.yaml", 8)
    assert ("chart/templates/pod.yaml", 8) in {(one["path"], one["line"]) for one in found["related"]}


def test_a_whole_mapping_stands_at_no_value_that_only_changes_a_part_of_it(check, tree):
    pod = POD.replace(
        "priorityClassName: serving", 'serviceAccountName: {{ eq .Values.account "b" | ternary "c" "d" }}'
    )
    root = tree(inventory(chart({"templates/pod.yaml": pod}, values='account: ""\ngpus: 1\n')))
    assert check(root, ".", "-i", "inventory.yaml", "--select", "KLG301").told == [
        ("KLG301", "chart/templates/pod.yaml", 5)
    ]
