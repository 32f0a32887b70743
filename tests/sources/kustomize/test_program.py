"""The program that renders: how it is started, and how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from kustomize_runs import fake

from kubelint_gpu.sources.kustomize.program import Program, build
from kubelint_gpu.sources.rendering_program import MOST_TIMES, ProgramError, RenderTime

COMMAND = Path(sys.executable).parent / "kubelint-gpu"
SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: chat}\nspec: {ports: [{port: 80}]}\n"


def test_without_a_program_the_run_says_what_is_missing(check, tree, tmp_path):
    folder = tree(**{"a/kustomization.yaml": "resources: [pod.yaml]\n", "a/pod.yaml": SERVICE})
    empty = tmp_path / "empty"
    empty.mkdir()
    ran = check(folder, "a", kustomize=None, env={"PATH": str(empty)})
    assert ran.code == 2
    assert "neither kustomize nor kubectl is on the PATH" in ran.err
    ran = check(folder, "a", kustomize=str(empty / "kustomize"))
    assert ran.code == 2
    assert "there is no program" in ran.err


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("import time\ntime.sleep(300)\n", "kustomize took longer than 5 seconds"),
        ("print('a: ' + 'x' * 70_000_000)\n", "kustomize printed more than 64 MB, the most that is read"),
        ("import sys\nsys.exit('Error: no such thing')\n", "no such thing"),
    ],
)
def test_a_program_that_misbehaves_is_ended(check, tree, tmp_path, body, message):
    folder = tree(**{"a/kustomization.yaml": "resources: [pod.yaml]\n", "a/pod.yaml": SERVICE})
    ran = check(folder, "a", "--kustomize-timeout", "5", kustomize=fake(tmp_path / "kustomize", body))
    [finding] = ran.findings
    assert (finding["code"], finding["severity"], finding["path"]) == ("KLG006", "error", "a/kustomization.yaml")
    assert message in finding["message"]


def test_the_program_gets_a_small_environment_and_no_file_of_the_user(check, tree, tmp_path):
    folder = tree(**{"a/kustomization.yaml": "resources: [pod.yaml]\n", "a/pod.yaml": SERVICE, "a/other.yaml": SERVICE})
    told = tmp_path / "told.json"
    body = (
        "import json, os, sys\n"
        "top = os.path.dirname(sys.argv[2])\n"
        "files = sorted(os.path.relpath(os.path.join(d, f), top) for d, _, names in os.walk(top) for f in names)\n"
        f"json.dump([dict(os.environ), sys.argv[1:], files, os.getcwd()], open({str(told)!r}, 'w'))\n"
    )
    secret = {"AWS_SECRET_ACCESS_KEY": "x", "KUBECONFIG": "/home/me/.kube/config", "HTTPS_PROXY": "http://proxy"}
    check(folder, "a", kustomize=fake(tmp_path / "kustomize", body), env=secret)
    environment, arguments, files, where = json.loads(told.read_text())
    assert set(environment) - {"__CF_USER_TEXT_ENCODING", "LC_CTYPE"} == {
        *("HOME", "XDG_CONFIG_HOME", "TMPDIR", "PATH", "KUBECONFIG", "LC_ALL"),
        *("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"),
    }
    assert environment["PATH"] == ""
    assert environment["HTTPS_PROXY"] == "http://127.0.0.1:9"
    assert not Path(environment["HOME"]).is_relative_to(folder)
    assert where == environment["HOME"]
    assert arguments[0] == "build"
    assert files == ["a/kustomization.yaml", "a/pod.yaml"]
    assert not Path(where).exists()


def test_flags_are_handed_on(check, tree, tmp_path):
    folder = tree(**{"a/kustomization.yaml": "resources: [pod.yaml]\n", "a/pod.yaml": SERVICE})
    told = tmp_path / "told.json"
    body = f"import json, sys\njson.dump(sys.argv[3:], open({str(told)!r}, 'w'))\n"
    check(folder, "a", "--kustomize-flag=--enable-helm", kustomize=fake(tmp_path / "kustomize", body))
    assert json.loads(told.read_text()) == ["--enable-helm"]


@pytest.mark.skipif(os.name == "nt", reason="signals and process groups of POSIX")
@pytest.mark.parametrize(
    ("number", "code", "said"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, ""), (signal.SIGHUP, 129, "")],
)
def test_an_interrupted_run_leaves_no_program_and_no_file(tree, tmp_path, number, code, said):
    folder = tree(**{"a/kustomization.yaml": "resources: [pod.yaml]\n", "a/pod.yaml": SERVICE})
    told = tmp_path / "told"
    body = f"import os, time\nopen({str(told)!r}, 'w').write(f'{{os.getpid()}} {{os.getcwd()}}')\ntime.sleep(300)\n"
    program = fake(tmp_path / "kustomize", body)
    run = subprocess.Popen([str(COMMAND), "check", "a", "--kustomize", program], cwd=folder, stderr=subprocess.PIPE)
    for _ in range(600):
        if told.exists() and " " in told.read_text():
            break
        time.sleep(0.05)
    run.send_signal(number)
    _, err = run.communicate(timeout=120)
    assert (run.returncode, err.decode().strip()) == (code, said)
    pid, home = told.read_text().split(" ", 1)
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)
    assert not Path(home).parent.exists()


@pytest.mark.skipif(os.name == "nt", reason="a script as a program")
def test_the_builds_of_a_run_have_a_bounded_time_together(tmp_path):
    slow = Program((fake(tmp_path / "kustomize", "import time\ntime.sleep(300)\n"),))
    time_left, said = RenderTime(0.05), []
    for _ in range(MOST_TIMES + 1):
        with pytest.raises(ProgramError) as error:
            build(slow, tmp_path, tmp_path, (), time_left)
        said.append(str(error.value))
    assert "took longer than" in said[0]
    assert "took 0.5 seconds together" in said[-1]
