"""The Action as a whole, run by a real runner: nektos/act, without containers.

The action that uploads SARIF to code scanning is replaced by one that keeps the file, or fails.
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from outside import ask
from runner import ROOT, git

UPLOAD = re.search(r"uses: (github/codeql-action)/upload-sarif@([0-9a-f]{40})", (ROOT / "action.yml").read_text())
KEEPS = 'echo "uploaded $(basename "$FILE")" && test -s "$FILE"'
REFUSES = 'echo "Resource not accessible by integration" && exit 1'
NOISE = re.compile(
    r"^.*(?:LocalRepositoryCache|Using docker host|Skip memory|Complete job|Start image|git clone).*\n|\[[\d.]+[µmn]?s\]",
    re.MULTILINE,
)
SELF_TEST = (ROOT / ".github" / "workflows" / "action.yml").read_text()
USER = """
name: user
on: [push, pull_request]
permissions: {}
jobs:
  check:
    runs-on: ubuntu-latest
    permissions: {contents: read, security-events: write}
    steps:
      - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0
      - uses: ./
        with: {paths: examples/tracker/tracker.yaml, inventory: examples/tracker/inventory.yaml, against: none}
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """The repository as a user's checkout would be, and the place where a runner keeps actions."""
    folder = tmp_path_factory.mktemp("act")
    repository = folder / "repository"
    repository.mkdir()
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in listed.stdout.decode().split("\0"):
        if name and not name.startswith(("tests/", "conformance/", "docs/")) and (ROOT / name).is_file():
            copy = repository / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes((ROOT / name).read_bytes())
    git(repository, "init", "-q", "-b", "main")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "all")
    return repository


def stand_in(folder, script):
    """An action in the place of the one that uploads."""
    action = folder / "upload" / "upload-sarif" / "action.yml"
    action.parent.mkdir(parents=True)
    action.write_text(
        json.dumps(
            {
                "name": "upload",
                "inputs": {"sarif_file": {"required": True}},
                "runs": {
                    "using": "composite",
                    "steps": [{"shell": "bash", "env": {"FILE": "${{ inputs.sarif_file }}"}, "run": script}],
                },
            }
        )
    )
    git(folder / "upload", "init", "-q", "-b", "main")
    git(folder / "upload", "add", "-A")
    git(folder / "upload", "commit", "-qm", "upload")
    return folder / "upload"


@pytest.fixture
def act(checkout, tmp_path, request):
    def run(recording, workflow, *arguments, upload=KEEPS, event=None):
        path = checkout / ".github" / "workflows" / "tested.yml"
        path.write_text(workflow)
        (tmp_path / "event.json").write_text(json.dumps(event or {}))
        replaced = f"{UPLOAD[1]}@{UPLOAD[2]}={stand_in(tmp_path, upload)}"
        scripts = sorted((ROOT / "action").glob("*.sh"))
        about = "\0".join(
            [
                workflow,
                upload,
                json.dumps(event),
                *arguments,
                *(one.read_text() for one in [ROOT / "action.yml", *scripts]),
            ]
        )
        options = [
            "--platform=ubuntu-latest=-self-hosted",
            "--pull=false",
            "--no-cache-server",
            "--workflows=.github/workflows/tested.yml",
        ]
        return ask(
            "act",
            [*arguments, *options],
            cwd=checkout,
            about=about.encode(),
            recording=f"act-{recording}",
            update=request.config.getoption("--update"),
            late=[
                f"--local-repository={replaced}",
                f"--eventpath={tmp_path / 'event.json'}",
                f"--action-cache-path={tmp_path / 'cache'}",
            ],
            clean=lambda text: NOISE.sub("", text.replace(str(tmp_path), "TMP").replace(str(Path.home()), "HOME")),
        )

    return run


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "said"), [("deadlock", "failure 1 1"), ("repaired", "success 0 0"), ("broken inventory", "failure 2 1")]
)
def test_the_self_test_passes(act, name, said):
    ran = act(
        f"self-test-{name.replace(' ', '-')}",
        SELF_TEST,
        "push",
        "--job=check",
        "--matrix=runner:ubuntu-latest",
        f"--matrix=name:{name}",
    )
    assert ran.code == 0, ran.out + ran.err
    assert f"the Action: {said}; expected: {said}" in ran.out
    assert "Job succeeded" in ran.out


def order(text, *parts):
    places = [text.find(part) for part in parts]
    assert -1 not in places, text
    assert places == sorted(places), places


@pytest.mark.thorough
def test_findings_are_uploaded_before_the_job_fails(act):
    ran = act("upload", USER, "push")
    assert ran.code == 1
    order(ran.out, "Success - Main Check", "uploaded found.sarif", "Failure - Main Verdict", "Job failed")
    assert "::error file=" not in ran.out


@pytest.mark.thorough
def test_where_the_upload_is_refused_findings_are_annotations(act):
    ran = act("upload-refused", USER, "push", upload=REFUSES)
    assert ran.code == 1
    order(
        ran.out,
        "Resource not accessible",
        "the SARIF upload failed",
        "::error file=examples/tracker/tracker.yaml,line=8",
        "Job failed",
    )


@pytest.mark.thorough
def test_a_fork_gets_annotations_and_a_sentence(act):
    head = {"repo": {"full_name": "stranger/repository"}}
    event = {"pull_request": {"head": head, "base": {"sha": "0" * 40}}}
    ran = act("fork", USER, "pull_request", event=event)
    assert ran.code == 1
    assert "a pull request from a fork has no permission to upload SARIF" in ran.out
    assert "uploaded" not in ran.out
    order(ran.out, "from a fork", "::error file=examples/tracker/tracker.yaml,line=8")
