"""What others have rendered: Helm's and Kustomize's output on standard input, and charts that are not rendered."""

from __future__ import annotations

import pytest
from command_line import TRACKER, check_json, kubelint

TRACKED = (TRACKER / "tracker.yaml").read_text()
INVENTORY = ("-i", TRACKER / "nodes.yaml")
CHART = "apiVersion: v2\nname: serving\nversion: 1.0.0\n"
TEMPLATE = "metadata:\n  name: {{ .Release.Name }}\n{{- if .Values.gpu }}\n  labels: {{ toYaml .Values.labels | nindent 4 }}\n{{- end }}\n"


def rendered(*sources):
    service = "apiVersion: v1\nkind: Service\nmetadata: {name: s}\nspec: {ports: [{port: 80}]}\n"
    return "".join(
        f"---\n# Source: {source}\n{text}" for source, text in sources or ((("a/templates/s.yaml"), service),)
    )


@pytest.mark.parametrize("template", ["first.yaml", "sub/second.yaml"])
def test_a_finding_on_helms_output_names_the_template(template):
    other = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
    text = rendered(("serving/templates/other.yaml", other), (f"serving/templates/{template}", TRACKED))
    ran = check_json("-", *INVENTORY, "--select", "KLG301", "--stdin-filename", "serving.yaml", stdin=text.encode())
    (found,) = ran.json["findings"]
    assert found["path"] == "serving.yaml"
    (one,) = [each for each in found["related"] if each["message"].startswith("rendered from")]
    assert one["message"] == f"rendered from serving/templates/{template}"
    assert text.splitlines()[one["line"] - 1] == f"# Source: serving/templates/{template}"


def test_a_comment_of_another_object_names_nothing():
    text = f"# Source: serving/templates/first.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\n---\n{TRACKED}"
    ran = check_json("-", *INVENTORY, "--select", "KLG101", stdin=text.encode())
    assert ran.codes == ["KLG101"]
    assert "rendered from" not in ran.out


def test_a_stream_is_one_unit():
    """Two workloads of one stream are applied together: both cannot have the one GPU."""
    text = rendered(("c/templates/a.yaml", TRACKED), ("c/templates/b.yaml", TRACKED.replace("object-tracker", "other")))
    assert "KLG109" in check_json("-", *INVENTORY, stdin=text.encode()).codes


@pytest.fixture
def chart(tmp_path):
    folder = tmp_path / "deploy" / "serving"
    for where in (folder, folder / "charts" / "sub"):
        (where / "templates").mkdir(parents=True)
        (where / "Chart.yaml").write_text(CHART)
        (where / "values.yaml").write_text("gpu: true\n")
        (where / "templates" / "deployment.yaml").write_text(TEMPLATE)
    return tmp_path


def test_a_chart_says_how_it_is_checked(chart):
    ran = check_json("deploy", cwd=chart)
    (finding,) = ran.json["findings"]
    assert (finding["code"], finding["severity"], finding["path"], finding["line"]) == (
        "KLG006",
        "note",
        "deploy/serving/Chart.yaml",
        2,
    )
    assert "helm template deploy/serving" in finding["message"]


def test_a_template_that_is_named_is_no_yaml_error(chart):
    ran = check_json("deploy/serving/templates/deployment.yaml", cwd=chart)
    assert (ran.code, ran.codes) == (0, [])
    assert "deployment.yaml: left out: templates of a Helm chart" in ran.err


def test_a_folder_called_templates_without_a_chart_is_read(tmp_path):
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "tracker.yaml").write_text(TRACKED)
    assert check_json("templates/tracker.yaml", *INVENTORY, "--select", "KLG101", cwd=tmp_path).codes == ["KLG101"]


def test_a_name_with_a_space_is_quoted_for_the_shell(tmp_path):
    folder = tmp_path / "my chart;ls"
    (folder / "templates").mkdir(parents=True)
    (folder / "Chart.yaml").write_text(CHART)
    (folder / "templates" / "a.yaml").write_text("a: b\n")
    assert "helm template 'my chart;ls' | kubelint-gpu check -" in kubelint("check", ".", cwd=tmp_path).out
