"""What `warm` runs ends as the command that is started does."""

from __future__ import annotations

import os
import resource
import subprocess

import pytest
import warm
from command_line import COMMAND, ROOT, TRACKER

CALLS = {
    "check": ("check", TRACKER / "tracker.yaml", "-i", TRACKER / "nodes.yaml"),
    "sarif": ("check", TRACKER / "tracker.yaml", "-i", TRACKER / "nodes.yaml", "--output-format", "sarif"),
    "standard input": ("check", "-", "-i", TRACKER / "nodes.yaml"),
    "explain": ("explain", "KLG101"),
    "rules": ("rules",),
    "no such option": ("check", "--none"),
    "no such file": ("check", "none.yaml"),
    "help": ("--help",),
}


@pytest.mark.parametrize("name", sorted(CALLS))
def test_a_warm_run_says_what_a_started_one_says(name):
    given = (TRACKER / "tracker.yaml").read_bytes()
    environment = dict(os.environ)
    warmed = warm.run(CALLS[name], cwd=ROOT, environment=environment, given=given)
    command = [COMMAND, *CALLS[name]]
    started = subprocess.run(command, cwd=ROOT, env=environment, input=given, capture_output=True, check=False)
    assert (warmed.returncode, warmed.stdout, warmed.stderr) == (started.returncode, started.stdout, started.stderr)


def test_one_run_leaves_nothing_to_the_next(tmp_path):
    environment = {**os.environ, "KUBELINT_GPU_TRACEBACK": "1"}
    first = warm.run(CALLS["sarif"], cwd=ROOT, environment=environment)
    assert warm.run(("check", "."), cwd=tmp_path, environment=dict(os.environ)).returncode == 2
    assert warm.run(CALLS["sarif"], cwd=ROOT, environment=environment).stdout == first.stdout


def test_a_limit_of_cpu_time_ends_the_run_with_its_signal():
    limits = [(resource.RLIMIT_CPU, (0, 0))]
    assert warm.run(CALLS["check"], cwd=ROOT, environment=dict(os.environ), limits=limits).returncode < 0


def test_a_run_that_takes_too_long_is_ended():
    with pytest.raises(subprocess.TimeoutExpired):
        warm.run(CALLS["check"], cwd=ROOT, environment=dict(os.environ), timeout=0.001)
    assert warm.run(("rules",), cwd=ROOT, environment=dict(os.environ)).returncode == 0
