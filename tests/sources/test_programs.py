"""No program of a checkout is started by its name, and a run that is killed leaves nothing beside the manifests."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hostile_files import INVENTORY, deployment, git
from limited import run

ROOT = Path(__file__).parents[2]
FIXABLE = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: a}
spec:
  replicas: 1
  selector: {matchLabels: {app: a}}
  template:
    metadata: {labels: {app: a}}
    spec:
      containers: [{name: a, image: a, resources: {requests: {nvidia.com/gpu: 1}}}]
"""


@pytest.fixture
def repository(tmp_path):
    checkout = tmp_path / "checkout"
    (checkout / "app").mkdir(parents=True)
    (checkout / "a.yaml").write_text(deployment("first"))
    (checkout / "i.yaml").write_text(INVENTORY)
    (checkout / "app" / "kustomization.yaml").write_text("resources: [b.yaml]\n")
    (checkout / "app" / "b.yaml").write_text(deployment("second"))
    git(checkout, "init", "-q")
    git(checkout, "add", "-A")
    git(checkout, "commit", "-qm", "first")
    (checkout / "bin").mkdir()
    for folder in (checkout, checkout / "bin"):
        for name in ("git", "kustomize", "kubectl"):
            (folder / name).write_text(f"#!/bin/sh\necho {name} >>{tmp_path}/ran\nexit 1\n")
            (folder / name).chmod(0o755)
    return checkout


PATHS = ("", ":REST", ".:REST", "bin:REST", "./bin:REST", "REST:", "REST:.", "HERE/bin:REST", "HERE:REST", "LINK:REST")


@pytest.mark.parametrize("path", PATHS)
def test_programs_come_from_outside_of_the_checkout(path, repository, tmp_path):
    (tmp_path / "link").symlink_to(repository / "bin")
    rest = os.path.dirname(shutil.which("git"))  # noqa: PTH120 - text
    if path.startswith("REST"):
        rest = str(tmp_path / "empty")
    path = path.replace("HERE", str(repository)).replace("LINK", str(tmp_path / "link")).replace("REST", rest)
    for folder in (repository, repository / "app"):
        for arguments in (("check", "--hook", "."), ("check", ".", "--against", "HEAD"), ("inventory", "capture")):
            ended = run(*arguments, cwd=folder, environment={"PATH": path})
            assert b"internal error" not in ended.stderr
        run("--verbose", "--version", cwd=folder, environment={"PATH": path})
    assert not (tmp_path / "ran").exists(), (tmp_path / "ran").read_text()


def test_the_one_of_the_checkout_is_named_and_may_be_given(repository, tmp_path):
    ended = run("check", "app", cwd=repository, environment={"PATH": str(repository / "bin")})
    assert ended.returncode == 2
    assert b"bin/kustomize lies in the checkout" in ended.stderr
    run("check", "app", "--kustomize", "bin/kustomize", cwd=repository)
    assert (tmp_path / "ran").read_text() == "kustomize\n"


def killed(folder, number, at):
    """A `--fix` that is ended by a signal when it calls a function of os; what lies in its folder then."""
    (folder / "sitecustomize.py").write_text(
        "import os, signal, time\n"
        f"before = os.{at}\n"
        "def ending(*arguments, **options):\n"
        f"    os.kill(os.getpid(), {int(number)})\n"
        "    time.sleep(5)\n"
        "    return before(*arguments, **options)\n"
        f"os.{at} = ending\n"
    )
    work = folder / "work"
    work.mkdir()
    (work / "a.yaml").write_text(FIXABLE)
    (work / "i.yaml").write_text(INVENTORY)
    ended = subprocess.run(
        [sys.executable, "-m", "kubelint_gpu", "check", "a.yaml", "-i", "i.yaml", "--fix", "--unsafe-fixes"],
        cwd=work,
        env={**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"},
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert ended.returncode in (-number, 128 + number, 130), ended.stderr
    assert (work / "a.yaml").read_text() == FIXABLE
    return sorted(path.name for path in work.iterdir())


@pytest.mark.parametrize("at", ["fsync", "replace"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_fix_that_is_ended_leaves_nothing(number, at, tmp_path):
    assert killed(tmp_path, number, at) == ["a.yaml", "i.yaml"]


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="a file without a name, of Linux")
def test_a_fix_that_is_killed_while_it_writes_leaves_nothing(tmp_path):
    assert killed(tmp_path, signal.SIGKILL, "fsync") == ["a.yaml", "i.yaml"]


SLOW_START = """
import subprocess, time
start = subprocess.Popen.__init__
def later(*args, **options):
    time.sleep(1)
    start(*args, **options)
subprocess.Popen.__init__ = later
"""


@pytest.mark.parametrize("before", ["", SLOW_START], ids=["the program runs", "it is about to be started"])
def test_a_render_that_is_ended_leaves_nothing(before, repository, tmp_path):
    """What Kustomize is given lies in the folder for temporary files."""
    (tmp_path / "sitecustomize.py").write_text(before)
    (tmp_path / "slow").write_text("#!/bin/sh\nexec /bin/sleep 300\n")
    (tmp_path / "slow").chmod(0o755)
    (tmp_path / "temporary").mkdir()
    started = subprocess.Popen(
        [sys.executable, "-m", "kubelint_gpu", "check", "app", "--kustomize", str(tmp_path / "slow")],
        cwd=repository,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}", "TMPDIR": str(tmp_path / "temporary")},
    )
    while not list((tmp_path / "temporary").iterdir()):
        assert started.poll() is None
        time.sleep(0.05)
    started.send_signal(signal.SIGTERM)
    assert started.wait(120) == 128 + signal.SIGTERM
    assert list((tmp_path / "temporary").iterdir()) == []
