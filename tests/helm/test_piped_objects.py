"""`helm template … | kubelint-gpu check -`: findings lead to the chart of the repository."""

from __future__ import annotations

import subprocess

import pytest
from helm_runs import CHART, POD, SELECTED, chart, committed, inventory, place

LABELLED = POD.replace("spec:", "  labels:\n    app.kubernetes.io/instance: {{ .Release.Name }}\nspec:", 1)
PLACED = POD.replace("spec:", "  namespace: {{ .Release.Namespace }}\nspec:", 1)
NAMED = PLACED.replace(
    "name: {{ .Release.Name }}",
    'name: {{ if contains "serving" .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-serving{{ end }}',
)
TEST = """\
---
# Source: serving/templates/test.yaml
apiVersion: v1
kind: Pod
metadata:
  name: try
  annotations: {helm.sh/hook: test}
spec: {containers: [{name: main, image: curl}]}
"""


def stream(gpus, *, text=POD, release="release-name", namespace="default", template="serving/templates/pod.yaml"):
    """What `helm template` prints for a template."""
    filled = text.replace("{{ .Values.gpus }}", str(gpus))
    if text is NAMED:
        filled = PLACED.replace("{{ .Values.gpus }}", str(gpus))
        filled = filled.replace("{{ .Release.Name }}", release if "serving" in release else f"{release}-serving")
    filled = filled.replace("{{ .Release.Name }}", release).replace("{{ .Release.Namespace }}", namespace)
    return f"---\n# Source: {template}\n{filled}"


@pytest.fixture
def serving(tree):
    """A repository with a chart, and a file of values beside it."""

    def write(text=POD, more=None, **options):
        files = chart({"templates/pod.yaml": text, "values-prod.yaml": "gpus: 4\n"}, **options)
        return tree(inventory(files | {"big.yaml": "gpus: 8\n"} | (more or {})))

    return write


@pytest.mark.parametrize(
    ("gpus", "flags", "found"),
    [
        (2, (), ("chart/values.yaml", 1)),
        (4, (), ("chart/values-prod.yaml", 1)),
        (8, ("--values", "big.yaml"), ("big.yaml", 1)),
        (9, ("--set", "gpus=9"), ("chart/templates/pod.yaml", 12)),
    ],
)
def test_what_the_chart_gives_leads_to_its_values(check, serving, gpus, flags, found):
    ran = check(serving(values="gpus: 2\n"), "-", *SELECTED, *flags, given=stream(gpus) + TEST)
    assert [place(one)[:3] for one in ran.findings] == [("KLG503", *found)]
    assert ran.findings[0]["object"] == "Pod/release-name"


@pytest.mark.parametrize(
    ("text", "flags", "release", "namespace"),
    [
        (POD, ("--release", "blue"), "blue", "default"),
        (LABELLED, (), "blue", "default"),
        (PLACED, (), "release-name", "vision"),
        (PLACED, ("--namespace", "vision"), "release-name", "vision"),
        (POD, (), "blue", "default"),
        (PLACED, (), "blue", "vision"),
        (NAMED, (), "blue", "vision"),
        (NAMED, ("--namespace", "vision"), "serving-blue", "vision"),
    ],
)
def test_a_release_is_known_by_its_flags_or_by_its_objects(check, serving, text, flags, release, namespace):
    given = stream(2, text=text, release=release, namespace=namespace)
    ran = check(serving(text, values="gpus: 2\n"), "-", *SELECTED, *flags, given=given)
    assert ran.told == [("KLG503", "chart/values.yaml", 1)]


def test_a_label_is_no_flag_of_helm(check, serving):
    given = stream(4, text=LABELLED, release="--debug", namespace="--debug")
    assert ("KLG006", "<stdin>", 4) in check(serving(LABELLED), "-", *SELECTED, given=given).told


def test_the_configuration_says_how_a_chart_is_rendered(check, serving):
    entry = "charts: [{path: chart, release: blue, values: [big.yaml]}]\n"
    root = serving(more={".kubelint-gpu.yaml": entry})
    assert check(root, "-", *SELECTED, given=stream(8, release="blue")).told == [("KLG503", "big.yaml", 1)]
    assert check(root, "-", *SELECTED, given=stream(4)).told == [("KLG503", "chart/values-prod.yaml", 1)]


def test_an_object_of_other_values_leads_to_its_template(check, serving):
    given = stream(7).replace("image: serving", "image: other")
    ran = check(serving(), "-", *SELECTED, given=given)
    note, found = ran.findings if ran.findings[0]["code"] == "KLG006" else ran.findings[::-1]
    assert place(found)[:3] == ("KLG503", "chart/templates/pod.yaml", 12)
    told = [(one["path"], one["line"], one["message"]) for one in found["related"]]
    assert ("<stdin>", 4, "this object is not what the chart gives: other values were used") in told
    assert place(note)[:3] == ("KLG006", "<stdin>", 4)
    assert note["severity"] == "note"
    assert "Pod release-name came of other values or of another release" in note["message"]
    assert "--values, --set, --release and --namespace of this command can name" in note["message"]


def test_a_file_of_values_that_is_not_there_is_an_error(check, serving):
    ran = check(serving(), "-", *SELECTED, "--values", "none.yaml", given=stream(4))
    error = next(one for one in ran.findings if one["code"] == "KLG006")
    assert error["severity"] == "error"
    assert "the file of values none.yaml cannot be read" in error["message"]


def test_a_field_that_does_not_differ_leads_to_its_value(check, serving):
    given = stream(4).replace("image: serving", "image: other")
    ran = check(serving(), "-", *SELECTED, given=given)
    assert ran.told == [("KLG006", "<stdin>", 4), ("KLG503", "chart/values-prod.yaml", 1)]


def test_a_chart_that_does_not_render_with_these_values_still_has_templates(check, serving):
    root = serving(POD + '# {{ required "name it" .Values.name }}\n')
    ran = check(root, "-", *SELECTED, given=stream(4))
    assert ("KLG503", "chart/templates/pod.yaml", 1) in ran.told
    assert {one["severity"] for one in ran.findings if one["code"] == "KLG006"} == {"note"}


def test_objects_of_several_charts_are_one_unit(check, serving, tree):
    serving(values="gpus: 2\n")
    root = tree(chart({"templates/pod.yaml": POD}, folder="more", values="gpus: 3\n", head=CHART.replace("serv", "k")))
    given = stream(2) + stream(3, release="other", template="king/templates/pod.yaml")
    ran = check(root, "-", *SELECTED, given=given)
    assert ("KLG503", "chart/values.yaml", 1) in ran.told
    assert ("KLG503", "more/values.yaml", 1) in ran.told


@pytest.mark.parametrize("name", ["other/templates/pod.yaml", "serving/templates/none.yaml"])
def test_an_object_of_no_chart_of_the_repository_stays_where_it_is(check, serving, name):
    ran = check(serving(), "-", *SELECTED, given=stream(7, template=name))
    assert [(code, path) for code, path, _ in ran.told if code == "KLG503"] == [("KLG503", "<stdin>")]


def test_without_helm_one_note_says_why(check, serving):
    ran = check(serving(), "-", *SELECTED, "--helm", "./none", helm="", given=stream(4) + stream(4, release="other"))
    assert [(code, path) for code, path, _ in ran.told] == [("KLG006", "<stdin>"), *[("KLG503", "<stdin>")] * 2]
    note = next(one for one in ran.findings if one["code"] == "KLG006")
    assert "do not lead to values of the chart chart: --helm: there is no program ./none" in note["message"]
    assert note["related"] == []


def test_a_tracked_chart_is_found_from_another_folder(check, serving):
    root = serving(more={"below/a.txt": ""})
    committed(root)
    ran = check(root / "below", "-", "-i", "../inventory.yaml", "--select", "KLG503", given=stream(4))
    assert ran.told == [("KLG503", "../chart/values-prod.yaml", 1)]


def test_a_fix_changes_the_values_of_the_chart(check, example, helm):
    tracker = example / "tracker"
    command = [helm, "template", "blue", str(tracker), f"--values={tracker / 'values-prod.yaml'}"]
    given = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    ran = check(example, "-", "-i", "inventory.yaml", "--output-format", "text", given=given)
    assert "--> tracker/values.yaml:8:1" in ran.out
    assert "--fix repairs 1 of them" in ran.out
    assert check(example, "-", "-i", "inventory.yaml", "--fix", given=given).code == 0
    assert "maxSurge: 0" in (tracker / "values.yaml").read_text()


def test_a_stream_that_no_chart_gives_cannot_be_fixed(check, serving):
    ran = check(serving(), "-", "--fix", given=stream(7))
    assert ran.code == 2
    assert "standard input cannot be fixed in place" in ran.err


def test_a_flag_for_charts_without_a_chart_is_told(check, serving):
    ran = check(serving(), "-", *SELECTED, "--set", "a=b", given="kind: A\n")
    assert "no chart is rendered: --set has no effect" in ran.err
    assert "has no effect" not in check(serving(), ".", *SELECTED, "--set", "a=b").err
