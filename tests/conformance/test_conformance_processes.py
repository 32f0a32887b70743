"""A run that ends, however it ends, leaves no process and no file outside its folders."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conformance import processes

ROOT = Path(__file__).resolve().parents[2]
# as a run does it: programs that would go on for ever, one deaf to SIGTERM, one with a child of its own, and files
RUN = """
import sys, time
from conformance.processes import Supervisor

supervisor = Supervisor()
try:
    supervisor.start("obedient", ["sleep", "1000"])
    supervisor.start("deaf", ["sh", "-c", "trap '' TERM; while :; do sleep 0.1; done"])
    supervisor.start("parent", ["sh", "-c", "sleep 1000 & wait"])
    (supervisor.folder / "data").write_text("x")
    print(*(process.pid for _, process in supervisor._running), flush=True)
    if sys.argv[1:] == ["fail"]:
        raise RuntimeError("a suite failed")
    time.sleep(1000)
finally:
    supervisor.stop()
"""


# as a build does it: a program that starts others, and a folder for what they leave on the way
BUILD = """
import subprocess, sys
from conformance import tools
from conformance.processes import group_ended, interruptible, scratch, tied_to_parent

interruptible()
(tools.cache() / "runs").mkdir(parents=True)
with scratch() as folder:
    (folder / "data").write_text("x")
    command, nowhere = ["sh", "-c", "sleep 1000 & wait"], subprocess.DEVNULL
    build = subprocess.Popen(command, stdout=nowhere, stderr=nowhere, start_new_session=True, preexec_fn=tied_to_parent)
    with group_ended(build):
        print(build.pid, flush=True)
        build.wait()
"""


@pytest.fixture
def started(tmp_path):
    runs = []

    def start(*arguments, code=RUN, folder=tmp_path):
        places = {"HOME": folder, "TMPDIR": folder / "tmp", "KUBELINT_GPU_CONFORMANCE_CACHE": folder / "cache"}
        (folder / "tmp").mkdir(parents=True, exist_ok=True)
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
        environment |= {name: str(path) for name, path in places.items()}
        run = subprocess.Popen(
            [sys.executable, "-c", code, *arguments],
            env=environment,
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        runs.append(run)
        return run, [int(word) for word in run.stdout.readline().split()]

    yield start
    for run in runs:
        run.kill()
        run.communicate()


def alive(groups):
    """The processes of some groups; a leader's group is called after it."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, _, group = (entry / "stat").read_text().rpartition(")")[2].split()[:3]
            except OSError:
                continue
            if int(group) in groups and state != "Z":
                found.append(int(entry.name))
    return found


def gone(groups, seconds=60):
    until = time.monotonic() + seconds
    while alive(groups) and time.monotonic() < until:
        time.sleep(0.05)
    return not alive(groups)


def left(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


def test_a_run_leaves_no_process_and_no_file_however_it_ends(tmp_path, started):
    """Side by side, for each waits some seconds for the program that is deaf."""
    codes = {"SIGINT": 130, "SIGTERM": 143, "SIGHUP": 129, "again and again": 130, "fail": 1}
    runs = {how: started(how, folder=tmp_path / how) for how in codes}
    for how, (run, groups) in runs.items():
        assert len(groups) == 3, how
        if how != "fail":
            assert alive(groups), how
            run.send_signal(getattr(signal, how, signal.SIGINT))
    insistent, _ = runs["again and again"]
    for _ in range(5):
        time.sleep(0.2)
        if insistent.poll() is None:
            insistent.send_signal(signal.SIGINT)
    assert {how: run.wait(120) for how, (run, _) in runs.items()} == codes
    for how, (_, groups) in runs.items():
        assert gone(groups), how
        assert left(tmp_path / how) == [], how


def test_programs_die_with_a_run_that_is_killed_and_the_next_run_removes_its_files(tmp_path, started):
    run, groups = started()
    run.kill()
    run.wait(120)
    assert gone(groups[:2])
    for pid in alive(groups):
        os.kill(pid, signal.SIGKILL)
    assert left(tmp_path) != []
    other, _ = started()
    other.send_signal(signal.SIGTERM)
    other.wait(120)
    assert left(tmp_path) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_build_leaves_no_process_and_no_file(tmp_path, started, number):
    run, groups = started(code=BUILD)
    assert len(groups) == 1
    assert alive(groups)
    run.send_signal(number)
    assert run.wait(120) == 128 + number
    assert gone(groups)
    assert left(tmp_path) == []


def test_what_a_killed_build_leaves_is_removed_by_the_next(tmp_path, started, monkeypatch):
    run, groups = started(code=BUILD)
    run.kill()
    run.wait(120)
    for pid in alive(groups):
        os.kill(pid, signal.SIGKILL)
    assert len(left(tmp_path)) == 1
    monkeypatch.setenv("KUBELINT_GPU_CONFORMANCE_CACHE", str(tmp_path / "cache"))
    processes.sweep()
    assert left(tmp_path) == []
