"""Which kustomizations of a run are rendered."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from kustomize_runs import fake

COMMAND = Path(sys.executable).parent / "kubelint-gpu"
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: %s}\nspec:\n  priorityClass: high\n  containers: [{name: a, image: a}]\n"


def test_files_that_are_rendered_are_not_checked_alone(check, tree):
    folder = tree(
        **{
            "app/kustomization.yaml": "resources: [pod.yaml]\n",
            "app/pod.yaml": POD % "used",
            "app/other.yaml": POD % "plain",
            "alone.yaml": POD % "alone",
        }
    )
    assert check(folder, ".").told == [("KLG002", path, 5) for path in ("alone.yaml", "app/other.yaml", "app/pod.yaml")]
    files = json.loads(check(folder, ".").out)["summary"]["files"]
    assert files == 4
    # a file that is named itself is checked as it is
    assert check(folder, "app/pod.yaml").told == [("KLG002", "app/pod.yaml", 5)]


def test_bases_of_what_is_not_rendered_are_rendered_themselves(check, tree):
    folder = tree(
        **{
            "base/kustomization.yaml": "resources: [pod.yaml]\n",
            "base/pod.yaml": POD % "a",
            "top/kustomization.yaml": "resources: [../base, 'https://example.com/x', own.yaml]\npatches: [path: patch.yaml]\n",
            "top/own.yaml": POD % "own",
            "top/patch.yaml": POD % "a",
        }
    )
    assert check(folder, ".").told == [
        ("KLG002", "base/pod.yaml", 5),
        ("KLG002", "top/own.yaml", 5),
        ("KLG006", "top/kustomization.yaml", 1),
    ]


def test_kustomizations_that_use_each_other_are_told(check, tree):
    folder = tree(**{"a/kustomization.yaml": "resources: [../b]\n", "b/kustomization.yaml": "resources: [../a]\n"})
    ran = check(folder, ".")
    assert ran.code != 0
    assert {one[0] for one in ran.told} == {"KLG006"}
    assert "a circle" in ran.findings[0]["message"]


INTERRUPTED = """
import sys, time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from kubelint_gpu.cli import run

submit = ThreadPoolExecutor.submit

def interrupted(*given):
    submit(*given)
    while not Path("begun").exists():
        time.sleep(0.02)
    raise KeyboardInterrupt

ThreadPoolExecutor.submit = interrupted
sys.argv = ["kubelint-gpu", "check", "a", "--kustomize", "./kustomize"]
run()
"""


def test_an_interrupt_as_a_program_is_handed_to_its_thread_ends_that_program(tree):
    folder = tree(**{"a/kustomization.yaml": "resources: [pod.yaml]\n", "a/pod.yaml": "a: 1\n"})
    fake(folder / "kustomize", f"import time\nopen({str(folder / 'begun')!r}, 'w')\ntime.sleep(300)\n")
    run = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], cwd=folder, capture_output=True, text=True, timeout=30, check=False
    )
    assert (run.returncode, run.stderr.strip()) == (130, "interrupted")
