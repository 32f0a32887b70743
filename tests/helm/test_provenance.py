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
