"""Manifests that another tool changes before they are applied: SOPS, Flux, Kustomize, Helm."""

from __future__ import annotations

import pytest
from checks_units import deployment, findings

from kubelint_gpu.documents import read
from kubelint_gpu.documents.scalars import with_defaults

ENCRYPTED = "ENC[AES256_GCM,data:Ew==,iv:yy,tag:zz,type:int]"
SOPS = "sops: {mac: x, version: 3.8.1}\n"


def codes(text, inventory=""):
    return [one.code for one in findings(text, inventory)]


@pytest.mark.parametrize("kind", ["Secret", "ConfigMap"])
def test_how_an_object_is_encrypted_is_no_field_of_it(kind):
    text = f"apiVersion: v1\nkind: {kind}\nmetadata: {{name: a}}\n"
    assert codes(text + SOPS) == []
    assert codes(f"{text}sops: 3\n") == ["KLG002"]


def test_an_encrypted_value_is_not_known():
    found, room = [
        one for one in findings(deployment(spec=f"replicas: '{ENCRYPTED}'") + SOPS, "") if one.severity != "error"
    ]
    assert (found.code, found.severity) == ("KLG003", "note")
    assert "something fills in later" in found.message
    assert (room.code, room.severity, room.certainty) == ("KLG114", "note", "possible")
    assert room.message.startswith("depending on spec.replicas, ")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${a:=1}", 1),
        ("${a:-1}", 1),
        ("'${a:=1}'", "1"),
        ("${a=x}-${b:=2}", "x-2"),
        ("${a:=}", None),
        ("${a:=1}${b}", "${a:=1}${b}"),
        ("${a}", "${a}"),
        ("${a:?needed}", "${a:?needed}"),
    ],
)
def test_a_variable_with_a_default_is_that(text, value):
    assert read("a.yaml", f"a: {text}\n".encode()).documents[0].value == {"a": value}


def test_a_default_is_one_line():
    assert with_defaults("${a:=1\n}") == "${a:=1\n}"


@pytest.mark.parametrize("more", ["$patch: replace\n", "template: {$retainKeys: [spec]}\n"])
def test_an_object_that_says_how_it_is_merged_is_a_patch(more):
    text = f"apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: a}}\nspec:\n  replicas: 2\n  {more}"
    assert codes(text) == []


def test_a_whole_deployment_with_a_directive_is_no_deployment():
    text = deployment().replace("- name: main\n", "- name: main\n          $patch: replace\n")
    assert text != deployment()
    assert codes(text) == []


@pytest.mark.parametrize(("chart", "severity"), [(True, "note"), (False, "error")])
def test_a_part_of_a_chart_is_one_note(tmp_path, monkeypatch, capsys, chart, severity):
    from kubelint_gpu.cli.main import invoke

    monkeypatch.chdir(tmp_path)
    (tmp_path / "x" / "files").mkdir(parents=True)
    if chart:
        (tmp_path / "x" / "Chart.yaml").write_text("name: x\n")
    (tmp_path / "x" / "files" / "a.yaml").write_text("a: {{ .Values.a }}\n---\n{{ include . }}\n---\nb: {{ b }}\n")
    invoke(["check", "x/files/a.yaml", "--isolated", "--output-format", "concise", "-q"])
    lines = capsys.readouterr().out.splitlines()
    assert {line.split()[1] for line in lines} == {f"{severity}[KLG001]"}
    assert not chart or len(lines) == 1
