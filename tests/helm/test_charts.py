"""`kubelint-gpu check` of directories with charts."""

from __future__ import annotations

import pytest
from helm_runs import CHART, INVENTORY, POD, SELECTED, chart, committed, git, inventory, packed, place, with_dependency


def test_values_of_environments_are_renders_of_their_own(check, tree):
    files = chart({"templates/pod.yaml": POD, "values-big.yaml": "gpus: 2\n", "ci/huge-values.yaml": "gpus: 3\n"})
    ran = check(tree(inventory(files)), ".", "-i", "inventory.yaml", "--select", "KLG503")
    assert ran.told == [("KLG503", "chart/ci/huge-values.yaml", 1), ("KLG503", "chart/values-big.yaml", 1)]


def test_one_cause_seen_through_several_values_is_one_finding(check, tree):
    files = chart({"templates/pod.yaml": POD, "values-a.yaml": "other: 1\n"}, values="gpus: 2\n")
    (found,) = check(tree(inventory(files)), ".", "-i", "inventory.yaml", "--select", "KLG503").findings
    assert place(found)[:3] == ("KLG503", "chart/values.yaml", 1)
    assert any("in chart with values-a.yaml, too" in one["message"] for one in found["related"])


def test_the_configuration_says_how_a_chart_is_rendered(check, tree):
    named = "metadata:\n  name: {{ .Release.Name }}\n  namespace: {{ .Release.Namespace }}\n"
    files = chart({"templates/pod.yaml": POD.replace("metadata:\n  name: {{ .Release.Name }}\n", named)})
    files |= {
        "envs/prod.yaml": "gpus: 2\n",
        ".kubelint-gpu.yaml": "inventory: inventory.yaml\ncharts:\n"
        "  - {path: chart, release: blue, namespace: vision, values: [envs/prod.yaml]}\n"
        "  - {path: chart, release: green, set: {gpus: 3}}\n",
    }
    ran = check(tree(inventory(files)), ".", "--select", "KLG503")
    told = sorted((one["object"], *place(one)[1:3]) for one in ran.findings)
    assert told == [("Pod/default/green", ".kubelint-gpu.yaml", 4), ("Pod/vision/blue", "envs/prod.yaml", 1)]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("{path: ../other}", "not a path within the repository"),
        ("{release: a}", "must name one chart with path"),
        ("{path: chart, release: A_b}", "must be a lowercase name"),
        ("{path: chart, value: a}", "did you mean values?"),
        ("{path: chart, set: {a=b: 1}}", "must be a path of values"),
    ],
)
def test_a_wrong_entry_of_charts_is_an_error_with_its_line(check, tree, entry, said):
    root = tree({**chart({}), ".kubelint-gpu.yaml": f"charts:\n  - {entry}\n"})
    ran = check(root, ".")
    assert ran.code == 2
    assert said in ran.err
    assert ".kubelint-gpu.yaml:2:" in ran.err


def test_flags_of_one_run_take_the_place_of_what_is_found(check, tree):
    root = tree(inventory(chart({"templates/pod.yaml": POD, "values-a.yaml": "gpus: 2\n"}) | {"b.yaml": "gpus: 4\n"}))
    ran = check(root, ".", "-i", "inventory.yaml", "--values", "b.yaml", "--release", "blue", "--select", "KLG503")
    assert [(one["object"], *place(one)[1:3]) for one in ran.findings] == [("Pod/blue", "b.yaml", 1)]
    ran = check(root, "chart", "-i", "inventory.yaml", "--set", "gpus=7", "--values", "b.yaml", "--select", "KLG503")
    assert "7 nvidia.com/gpu" in ran.findings[0]["message"]


@pytest.mark.parametrize("name", ["templates/deployment.yaml", "values-prod.yaml"])
def test_a_hook_renders_the_chart_of_a_changed_file(check, example, name):
    committed(example)
    path = example / "tracker" / name
    path.write_text(f"{path.read_text()}# changed\n")
    git(example, "add", "-A")
    ran = check(example, "--hook", f"tracker/{name}", "-i", "inventory.yaml")
    assert ran.told == [("KLG101", "tracker/values.yaml", 8)]
    assert "left out" not in ran.err


@pytest.mark.parametrize(
    ("further", "told"),
    [((), ["values-a.yaml"]), (("templates/pod.yaml",), ["values-a.yaml", "values-b.yaml"])],
)
def test_a_hook_leaves_renders_alone_that_do_not_read_the_changed_values(check, tree, further, told):
    root = tree(
        inventory(chart({"templates/pod.yaml": POD, "values-a.yaml": "gpus: 2\n", "values-b.yaml": "gpus: 3\n"}))
    )
    committed(root)
    changed = [f"chart/{name}" for name in ("values-a.yaml", *further)]
    for name in changed:
        (root / name).write_text(f"{(root / name).read_text()}# changed\n")
    git(root, "add", "-A")
    ran = check(root, "--hook", *changed, "-i", "inventory.yaml", "--select", "KLG503")
    assert ran.told == [("KLG503", f"chart/{name}", 1) for name in told]


def test_a_change_is_compared_with_the_render_of_a_revision(check, example):
    committed(example)
    helpers = example / "tracker" / "templates" / "_helpers.tpl"
    helpers.write_text(helpers.read_text().replace("{{ .Chart.Name }}", "other"))
    ran = check(example, ".", "-i", "inventory.yaml", "--against", "HEAD", "--select", "KLG009")
    assert [place(one)[:3] for one in ran.findings] == [("KLG009", "tracker/templates/_helpers.tpl", 2)]


RECREATED = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}}
spec:
  strategy: {type: Recreate}
  selector: {matchLabels: {app: a}}
  template:
    metadata: {labels: {app: a}}
    spec:
      nodeSelector: {kubernetes.io/hostname: {{ .Values.node }}}
      containers: [{name: main, image: a, resources: {limits: {nvidia.com/gpu: 1}}}]
"""
RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: %s, namespace: %s}
spec: {chart: {spec: {chart: ./chart, sourceRef: {kind: GitRepository, name: platform}}}, values: {node: gpu-%s}}
"""


@pytest.mark.parametrize("arguments", [(".", "--against", "HEAD"), ("--hook", "chart/templates/a.yaml")])
def test_releases_in_namespaces_of_their_own_are_compared_each_with_itself(check, tree, arguments):
    """The template names no namespace: each object is in that of its release, before and after."""
    files = chart({"templates/a.yaml": RECREATED}) | {
        f"{name}.yaml": RELEASE % (f"r{name}", f"of-{name}", name) for name in "12"
    }
    other = INVENTORY[INVENTORY.index("  - name: gpu-1") : INVENTORY.index("priorityClasses")].replace("gpu-1", "gpu-2")
    root = tree(files | {"inventory.yaml": INVENTORY.replace("priorityClasses", f"{other}priorityClasses")})
    committed(root)
    template = root / "chart" / "templates" / "a.yaml"
    template.write_text(template.read_text().replace("image: a", "image: b"))
    git(root, "add", "-A")
    assert check(root, *arguments, "-i", "inventory.yaml", "--select", "KLG1").told == []


def test_a_library_says_nothing(check, tree):
    files = chart({"templates/_a.tpl": '{{ define "a" }}{{ end }}'}, head=f"{CHART}type: library\n")
    root = tree(files | {"other.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"})
    ran = check(root, ".")
    assert ran.told == []
    assert "left out" not in ran.err


def test_a_packed_subchart_is_rendered(check, tree):
    root = tree(
        inventory(chart({}, folder="parent", head=with_dependency("repository: ''"), values="serving: {gpus: 3}\n"))
    )
    (root / "parent" / "charts").mkdir()
    inner = packed({f"serving/{name[6:]}": text for name, text in chart({"templates/pod.yaml": POD}).items()})
    (root / "parent" / "charts" / "serving-0.1.0.tgz").write_bytes(inner)
    ran = check(root, ".", "-i", "inventory.yaml", "--select", "KLG503")
    assert ran.told == [("KLG503", "parent/values.yaml", 1)]


def test_a_dependency_of_the_repository_needs_no_vendoring(check, tree):
    head = with_dependency("repository: file://../serving")
    files = chart({"templates/pod.yaml": POD}, folder="serving", values="gpus: 2\n")
    root = tree(inventory(files | chart({}, folder="parent", head=head, values="")))
    ran = check(root, "parent", "-i", "inventory.yaml", "--select", "KLG503,KLG006")
    assert ran.told == [("KLG503", "serving/values.yaml", 1)]


def test_a_dependency_that_is_not_vendored_is_named_with_its_command(check, tree):
    head = with_dependency("repository: https://charts.example.com", name="other") + "description: waves 👋\n"
    root = tree(inventory(chart({"templates/pod.yaml": POD}, folder="parent", head=head, values="gpus: 2\n")))
    ran = check(root, ".", "-i", "inventory.yaml", "--select", "KLG503,KLG006")
    assert ran.told == [("KLG006", "parent/Chart.yaml", 5), ("KLG503", "parent/values.yaml", 1)]
    note = next(one for one in ran.findings if one["code"] == "KLG006")
    assert note["severity"] == "note"
    assert "the dependency other is not vendored below charts/" in note["message"]
    assert "helm dependency build parent" in check(root, ".", "--output-format", "text").out


def test_a_file_of_values_that_is_not_there_is_told(check, tree):
    root = tree(chart({"templates/pod.yaml": POD}))
    ran = check(root, ".", "--values", "none.yaml")
    assert ran.told == [("KLG006", "chart/Chart.yaml", 2)]
    assert "the file of values none.yaml cannot be read" in ran.findings[0]["message"]


@pytest.mark.parametrize("text", ["{{/* nothing */}}", "{{- if .Values.none }}\na: b\n{{- end }}\n"])
def test_a_render_that_prints_nothing_has_no_objects(check, tree, text):
    files = chart({"templates/a.yaml": text}) | {"other.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"}
    assert check(tree(files), ".").told == []


def test_a_switch_of_the_only_template_is_tried(check, tree):
    pod = f"{{{{- if .Values.enabled }}}}\n{POD}{{{{- end }}}}\n"
    root = tree(inventory(chart({"templates/pod.yaml": pod}, values="enabled: true\ngpus: 2\n")))
    assert check(root, ".", "-i", "inventory.yaml").told == [("KLG503", "chart/values.yaml", 2)]


QUOTA = """\
apiVersion: v1
kind: ResourceQuota
metadata: {name: none, namespace: vision}
spec: {hard: {requests.nvidia.com/gpu: "0"}}
"""


def test_what_names_no_namespace_is_in_that_of_its_release(check, tree):
    root = tree({**chart({"templates/pod.yaml": POD}), "inventory.yaml": f"{INVENTORY}---\n{QUOTA}"})
    ran = check(root, ".", "-i", "inventory.yaml", "--namespace", "vision")
    assert {one["code"]: one["object"] for one in ran.findings} == {"KLG109": "Pod/vision/serving"}
    assert check(root, ".", "-i", "inventory.yaml").told == []


def test_other_workloads_of_the_same_value_are_findings_of_their_own(check, tree):
    other = POD.replace("{{ .Release.Name }}", "other").replace("{{ .Values.gpus }}", "{{ mul .Values.gpus 2 }}")
    root = tree(inventory(chart({"templates/pod.yaml": POD, "templates/other.yaml": other}, values="gpus: 2\n")))
    ran = check(root, ".", "-i", "inventory.yaml")
    assert sorted(one["object"] for one in ran.findings) == ["Pod/other", "Pod/serving"]


def test_a_hook_without_helm_names_the_chart(check, example):
    committed(example)
    path = example / "tracker" / "values.yaml"
    path.write_text(f"{path.read_text()}# changed\n")
    git(example, "add", "-A")
    ran = check(example, "--hook", "tracker/values.yaml", helm=None, env={"PATH": "/usr/bin:/bin"})
    assert ran.told == [("KLG006", "tracker/Chart.yaml", 2)]


@pytest.mark.parametrize(("gpus", "level", "code"), [(2, "warning", 1), (1, "warning", 0), (1, "note", 1)])
def test_without_helm_other_findings_decide_the_exit_code(check, tree, gpus, level, code):
    plain = POD.replace("{{ .Values.gpus }}", str(gpus)).replace("{{ .Release.Name }}", "plain")
    root = tree(inventory(chart({"templates/pod.yaml": POD}) | {"plain.yaml": plain}))
    asked = (root, ".", *SELECTED, "--fail-on", level)
    for name in ("json", "sarif", "text"):
        ran = check(*asked, "--output-format", name, helm=None, env={"PATH": "/usr/bin:/bin"})
        assert ran.code == code
        assert "No workload of chart/Chart.yaml is judged: there is no helm on the PATH" in " ".join(ran.out.split())
    assert ("KLG006", "chart/Chart.yaml", 2) in check(*asked, helm=None, env={"PATH": "/usr/bin:/bin"}).told


def test_a_configured_chart_that_is_not_there_is_an_error_with_its_line(check, tree):
    ran = check(tree({**chart({}), ".kubelint-gpu.yaml": "charts:\n  - path: chrt\n"}), ".")
    assert ran.code == 2
    assert ".kubelint-gpu.yaml:2:11: there is no Chart.yaml in chrt" in ran.err


def test_a_target_that_names_the_folder_of_a_chart_takes_it_with_values_from_elsewhere(check, tree):
    files = inventory({**chart({"templates/pod.yaml": POD}), "envs/prod.yaml": "gpus: 2\n"})
    files[".kubelint-gpu.yaml"] = (
        "charts: [{path: chart, values: [envs/prod.yaml]}]\ntargets: {chart/**: {files: [inventory.yaml]}}\n"
    )
    assert check(tree(files), ".", "--select", "KLG503").told == [("KLG503", "envs/prod.yaml", 1)]
