"""The sessions that docs/outlets.md shows are run again, and must look the same."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
import shutil
import subprocess

import pytest
from hook_repository import ROOT, git
from outside import RECORDED, held, program, replay

PAGE = ROOT / "docs" / "outlets.md"
SESSIONS = ROOT / "tools" / "sessions"
WORKFLOW = """\
name: rollouts
on: push
permissions: {}
jobs:
  check:
    runs-on: ubuntu-latest
    permissions: {contents: read, security-events: write}
    steps:
      - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0
      - uses: ./
        with:
          paths: examples/tracker/tracker.yaml
          inventory: examples/tracker/inventory.yaml
"""
UPLOAD = re.search(r"uses: (github/codeql-action)/upload-sarif@([0-9a-f]{40})", (ROOT / "action.yml").read_text())


@pytest.fixture(scope="module")
def transcript():
    spec = importlib.util.spec_from_file_location("transcript", ROOT / "tools" / "transcript.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.transcript


@pytest.fixture
def session(transcript, tmp_path, monkeypatch, request):
    """Runs a session and compares it with the page's block of its name, or writes that block with --update.

    A session that needs a program which is not here is replayed.
    """

    def played(name, *needs, about="", **settings):
        path = RECORDED / f"session-{name}.json"
        question = hashlib.sha256((about + (SESSIONS / name).read_text()).encode()).hexdigest()
        missing = [need for need in needs if program(need) is None]
        update = request.config.getoption("--update")
        if missing:
            shown = replay(missing[0], path, question).out
        else:
            for key, value in {"ROOT": ROOT, **settings}.items():
                monkeypatch.setenv(key, str(value))
            folder = tmp_path / "session"
            folder.mkdir()
            shown = transcript(SESSIONS / name, folder)
            if needs and not update:
                held(needs[0], path, question)
            elif needs:
                record = {"program": needs[0], "question": question, "code": 0, "out": shown, "err": ""}
                path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        text = PAGE.read_text(encoding="utf-8")
        block = re.search(rf"<!-- session: {name} -->\n```console\n(.*?)```", text, re.DOTALL)
        if update:
            PAGE.write_text(text[: block.start(1)] + shown + text[block.end(1) :], encoding="utf-8")
        else:
            assert shown == block[1]
        return shown

    return played


def test_the_page_shows_the_hook(session, hooks):
    shown = session("hook", HOOKS=hooks.repository, REVISION=hooks.revision, PRE_COMMIT_HOME=hooks.home)
    assert "files were modified by this hook" in shown
    assert shown.rstrip().endswith("Passed")


def test_the_page_shows_gitlabs_report(session):
    assert '"check_name": "rollout-deadlock"' in session("gitlab")


def test_the_page_shows_sarif_for_editors(session):
    assert "error: 1" in session(
        "editor", "sarif", about=(ROOT / "kubelint_gpu" / "report" / "formats" / "sarif.py").read_text()
    )


def test_the_page_shows_a_run_of_the_action(session, tmp_path):
    checkout = tmp_path / "checkout"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
    for name in listed.split("\0"):
        if name.startswith(("kubelint_gpu/", "rules/", "action", "examples/tracker/")) or name in (
            "pyproject.toml",
            "README.md",
            "LICENSE",
        ):
            copy = checkout / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy)
    workflow = checkout / ".github" / "workflows" / "rollouts.yml"
    workflow.parent.mkdir(parents=True)
    workflow.write_text(WORKFLOW)
    upload = tmp_path / "upload"
    (upload / "upload-sarif").mkdir(parents=True)
    steps = [{"shell": "bash", "run": "true"}]
    action = {"name": "upload", "inputs": {"sarif_file": {}}, "runs": {"using": "composite", "steps": steps}}
    (upload / "upload-sarif" / "action.yml").write_text(json.dumps(action))
    for folder in (checkout, upload):
        git(folder, "init", "-q", "-b", "main")
        git(folder, "add", "-A")
        git(folder, "commit", "-qm", "all")
    act = f"--pull=false --no-cache-server --action-cache-path={tmp_path / 'cache'} "
    act += f"--local-repository={UPLOAD[1]}@{UPLOAD[2]}={upload}"
    scripts = [ROOT / "action.yml", *sorted((ROOT / "action").glob("*.sh"))]
    shown = session(
        "action", "act", about=WORKFLOW + "".join(one.read_text() for one in scripts), CHECKOUT=checkout, ACT=act
    )
    assert "Failure - Main Verdict" in shown
