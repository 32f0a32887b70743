"""`kubelint-gpu check` of directories with kustomizations."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from kustomize_runs import Ran, fake

ROOT = Path(__file__).resolve().parent.parent.parent
COMMAND = Path(sys.executable).parent / "kubelint-gpu"
EXAMPLE = ROOT / "examples" / "kustomize"
SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: chat}\nspec: {ports: [{port: 80}]}\n"
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: %s}\nspec:\n  priorityClass: high\n  containers: [{name: a, image: a}]\n"


def test_findings_stand_at_the_lines_that_people_write(check, example):
    ran = check(example, ".", "--inventory", "inventory.yaml")
    assert ran.code == 1
    deadlock = next(one for one in ran.findings if one["code"] == "KLG101")
    assert (deadlock["path"], deadlock["line"]) == ("base/deployment.yaml", 5)
    related = {(one["path"], one["line"]): one["message"] for one in deadlock["related"]}
    assert related["overlays/prod/gpus.yaml", 12] == "each pod takes 8 nvidia.com/gpu"
    assert related["overlays/prod/settings.env", 2] == "only large-1 can take it"
    assert related["overlays/prod/kustomization.yaml", 5] == "rendered by overlays/prod"
    assert "small-1" in related["overlays/staging/kustomization.yaml", 4]
    assert related["components/pinned/pin.yaml", 9].endswith("(KLG203)")


def test_an_entry_of_a_base_stays_where_one_of_its_overlays_is_checked(check, example):
    command = ("-i", "inventory.yaml", "--select", "KLG101,KLG203")
    check(example, ".", *command, "--write-baseline", "all.json")
    before = json.loads((example / "all.json").read_text())["findings"]
    ran = check(example, "overlays/prod", *command, "--baseline", "all.json", "--write-baseline", "one.json")
    assert "0 dropped" in ran.err
    assert before
    assert json.loads((example / "one.json").read_text())["findings"] == before


def test_a_directory_that_is_named_may_read_all_of_itself(check, tmp_path):
    """Neither in a repository nor below the working directory."""
    shutil.copytree(EXAMPLE, tmp_path / "elsewhere")
    (tmp_path / "here").mkdir()
    ran = check(tmp_path / "here", "../elsewhere", "-i", "../elsewhere/inventory.yaml")
    assert "KLG101" in {code for code, _, _ in ran.told}
    assert "KLG006" not in {code for code, _, _ in ran.told}
    alone = check(tmp_path / "here", "../elsewhere/overlays/prod", "-i", "../elsewhere/inventory.yaml")
    assert [code for code, _, _ in alone.told] == ["KLG006"]


@pytest.mark.parametrize("overlay", ["prod", "staging"])
def test_what_others_render_gives_the_same_findings_on_standard_input(check, example, overlay):
    """The rendered text is kept beside the tests, as trees keep an `expected.yaml`."""
    known = Path(__file__).parent / "expected" / f"{overlay}.yaml"
    told = check(example, f"overlays/{overlay}", "--inventory", "inventory.yaml")
    command = [str(COMMAND), "check", "-", "--inventory", "inventory.yaml", "--output-format", "json"]
    ran = Ran(
        subprocess.run(
            command, cwd=example, input=known.read_text(), capture_output=True, text=True, check=False, env=os.environ
        )
    )
    assert told.findings
    said = [
        sorted((one["code"], one["severity"], one["message"], one["object"]) for one in each.findings)
        for each in (ran, told)
    ]
    assert said[0] == said[1]


def test_nothing_of_the_rendered_text_is_in_any_report(check, example):
    forms = ("text", "json", "sarif", "github", "gitlab", "junit")
    wanted = [text for form in forms for text in ("--output-format", form, "--output-file", f"report.{form}")]
    assert check(example, ".", "--inventory", "inventory.yaml", *wanted).code == 1
    for form in forms:
        out = (example / f"report.{form}").read_text()
        assert "base/deployment.yaml" in out
        for word in ("config.kubernetes.io", "/kubelint-gpu-", "/tree/", "wrapper"):
            assert word not in out


def test_two_runs_print_the_same_bytes(check, example):
    one, other = (
        check(example, ".", "--inventory", "inventory.yaml", "--output-format", "gitlab", env={"PYTHONHASHSEED": seed})
        for seed in ("1", "2")
    )
    assert one.out == other.out != ""


def test_explain_renders_as_check_does(program, example, tmp_path):
    def explain(*arguments, env=None):
        command = [
            str(COMMAND),
            "explain",
            "Deployment/assistant-chat",
            "overlays/prod",
            "--inventory",
            "inventory.yaml",
        ]
        done = subprocess.run(
            [*command, *arguments],
            cwd=example,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, **(env or {})},
        )
        return Ran(done)

    ran = explain("--kustomize", program)
    assert ran.code == 0, ran.err
    assert "large-1" in ran.out
    slow = fake(
        tmp_path / "kustomize",
        "import sys, time\nopen(sys.argv[0] + '.told', 'w').write(sys.argv[-1])\ntime.sleep(60)\n",
    )
    ran = explain("--kustomize", slow, "--kustomize-timeout", "2", "--kustomize-flag=--enable-helm")
    assert ran.code == 2
    assert (tmp_path / "kustomize.told").read_text() == "--enable-helm"


def test_a_placeholder_that_is_left_after_rendering_says_so(check, tree):
    deployment = (EXAMPLE / "base" / "deployment.yaml").read_text().replace("gpu-class: small", "gpu-class: ${CLASS}")
    folder = tree(
        **{
            "base/kustomization.yaml": "resources: [deployment.yaml]\n",
            "base/deployment.yaml": deployment.replace("replicas: 1", "replicas: ${REPLICAS}"),
        }
    )
    ran = check(folder, ".", "--output-format", "text", "--select", "KLG003")
    assert "this is what the kustomization renders to" in ran.out
    assert "piping" not in ran.out
    (folder / "base" / "kustomization.yaml").unlink()
    assert "piping" in check(folder, ".", "--output-format", "text", "--select", "KLG003").out


def test_a_suppression_counts_where_it_is_written(check, tree):
    pod = (POD % "a").replace("priorityClass: high", "priorityClass: high # kubelint-gpu: ignore[KLG002] known")
    folder = tree(
        **{
            "base/kustomization.yaml": "resources: [pod.yaml]\n",
            "base/pod.yaml": pod,
            "one/kustomization.yaml": "resources: [../base]\n",
            # here the field is taken out, so that the suppression has no effect; it has one in the other overlay
            "two/kustomization.yaml": "resources: [../base]\npatches:\n- target: {kind: Pod}\n"
            "  patch: |\n    - op: remove\n      path: /spec/priorityClass\n",
        }
    )
    assert check(folder, ".").findings == []
    assert check(folder, "two").told == [("KLG005", "base/pod.yaml", 5)]


def test_what_is_not_rendered_is_told_and_never_exits_zero_with_nothing_checked(check, tree):
    folder = tree(**{"a/kustomization.yaml": "resources: ['https://example.com/x']\n"})
    ran = check(folder, ".")
    assert (ran.code, ran.told) == (2, [("KLG006", "a/kustomization.yaml", 1)])
    assert ran.findings[0]["severity"] == "note"
    tree(**{"pod.yaml": SERVICE})
    assert check(folder, ".").code == 0
    tree(**{"b/kustomization.yaml": "resources: [missing.yaml]\n"})
    ran = check(folder, ".")
    assert ran.code == 1
    assert [one["severity"] for one in ran.findings] == ["note", "error"]


def test_the_note_about_a_chart_that_is_not_rendered_fails_no_run(check, tree):
    folder = tree(
        **{
            "chart/Chart.yaml": "apiVersion: v2\nname: chat\nversion: 1.0.0\n",
            "chart/values.yaml": "gpus: 1\n",
            "chart/templates/pod.yaml": "kind: {{ .Values.kind }}\n",
        }
    )
    for path in ("chart", "."):
        ran = check(folder, path)
        assert (ran.code, ran.told) == (0, [("KLG006", "chart/Chart.yaml", 2)])
        assert check(folder, path, "--fail-on", "note").code == 1
        assert "`helm template chart`" in ran.findings[0]["message"]
    # a hook gives what a commit changes, and that may be a chart and nothing else
    assert check(folder, "chart/Chart.yaml", "chart/templates/pod.yaml").code == 0
    tree(**{"pod.yaml": SERVICE})
    assert check(folder, ".").code == 0


def test_a_link_out_of_the_repository_is_a_note_and_is_not_followed(check, tree):
    folder = tree(
        **{
            "in/pod.yaml": SERVICE,
            "in/a/kustomization.yaml": "resources:\n- link.yaml\n- all\n",
            "out/secret.yaml": "kind: Pod\nmetadata: {name: secret}\n",
        }
    )
    (folder / ".git").rmdir()
    (folder / "in" / ".git").mkdir()
    (folder / "in" / "a" / "link.yaml").symlink_to(folder / "out" / "secret.yaml")
    (folder / "in" / "a" / "all").symlink_to(folder / "out")
    ran = check(folder / "in", ".")
    assert (ran.code, ran.told) == (0, [("KLG006", "a/kustomization.yaml", 2)])
    [finding] = ran.findings
    assert (finding["severity"], [one["line"] for one in finding["related"]]) == ("note", [3])
    assert "secret:" not in ran.out
    # a kustomization that is itself such a link is none
    (folder / "in" / "a" / "kustomization.yaml").unlink()
    (folder / "in" / "a" / "kustomization.yaml").symlink_to(folder / "out" / "secret.yaml")
    ran = check(folder / "in", ".")
    assert (ran.code, ran.told) == (0, [])
    assert "a/kustomization.yaml: left out: a link to a file outside of the directory" in ran.err


def test_a_broken_file_costs_only_its_own_kustomization(check, tree):
    folder = tree(
        **{
            "a/kustomization.yaml": "resources: [pod.yaml]\n",
            "a/pod.yaml": "kind: Pod\n\tname: a\n",
            "b/kustomization.yaml": "resources: [pod.yaml]\n",
            "b/pod.yaml": POD % "b",
        }
    )
    assert check(folder, ".").told == [("KLG001", "a/pod.yaml", 2), ("KLG002", "b/pod.yaml", 5)]


@pytest.mark.skipif(os.name == "nt", reason="terminals of POSIX")
def test_a_terminal_shows_what_is_being_rendered(tree, tmp_path):
    import pty

    folder = tree(**{"a/kustomization.yaml": "resources: [pod.yaml]\n", "a/pod.yaml": SERVICE})
    command = [str(COMMAND), "check", "a", "--kustomize", fake(tmp_path / "kustomize", "import time\ntime.sleep(2)\n")]
    ours, theirs = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "PRE_COMMIT"} | {"TERM": "xterm"}
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=theirs, env=environment, check=False)
    os.close(theirs)
    assert b"rendering 1 of 1: a" in os.read(ours, 65536)


def test_no_file_is_left_in_the_tree(check, example):
    before = sorted(path for path in example.rglob("*"))
    check(example, ".", "--inventory", "inventory.yaml")
    assert sorted(path for path in example.rglob("*")) == before
