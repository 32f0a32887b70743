"""The Action and all workflows, read by shellcheck, actionlint and zizmor, and held to some rules of our own."""

from __future__ import annotations

import re

import pytest
import yaml
from outside import ask
from runner import ROOT

ACTION = ROOT / "action.yml"
WORKFLOWS = sorted([*(ROOT / ".github" / "workflows").glob("*.yml"), *(ROOT / "examples" / "github").glob("*.yml")])
SCRIPTS = sorted(
    [
        *(ROOT / "action").glob("*.sh"),
        *(ROOT / name for name in ("action/lock", ".ci/run", ".ci/tools", "try", "test", "tools/set-up")),
    ]
)


def linted(name, arguments, files, request):
    about = b"\0".join(path.read_bytes() for path in [ACTION, *files])
    asked = ask(
        name,
        [*arguments, *(path.relative_to(ROOT) for path in files)],
        cwd=ROOT,
        about=about,
        recording=f"lint-{name}",
        update=request.config.getoption("--update"),
        clean=lambda text: re.sub(r"^ INFO .*\n", "", text, flags=re.MULTILINE),
    )
    assert asked.code == 0, asked.out + asked.err


def test_shellcheck_has_nothing_to_say(request):
    linted("shellcheck", ["--external-sources"], SCRIPTS, request)


def test_actionlint_has_nothing_to_say(request):
    linted("actionlint", ["-no-color", "-pyflakes="], WORKFLOWS, request)


def test_zizmor_has_nothing_to_say(request):
    linted(
        "zizmor", ["--offline", "--no-progress", "--color=never", "--persona=pedantic"], [ACTION, *WORKFLOWS], request
    )


@pytest.mark.parametrize("path", [ACTION, *WORKFLOWS], ids=lambda path: path.name)
def test_actions_of_others_are_pinned_by_commit_with_their_version_beside(path):
    for line in path.read_text().splitlines():
        match = re.search(r"uses: (\S+)(.*)", line)
        if match and match[1] != "./" and not match[1].startswith("kubelint-gpu/"):
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", match[1]), line
            assert re.fullmatch(r" # v\d+\.\d+\.\d+", match[2]), line


@pytest.mark.parametrize("path", [ACTION, *WORKFLOWS], ids=lambda path: path.name)
def test_no_script_line_holds_an_expression(path):
    found = yaml.safe_load(path.read_text())
    jobs = found["jobs"].values() if "jobs" in found else [found["runs"]]
    for job in jobs:
        for step in job["steps"]:
            assert "${{" not in step.get("run", "")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_have_no_permissions_but_those_of_their_jobs(path):
    found = yaml.safe_load(path.read_text())
    assert found["permissions"] == {}
    assert all("permissions" in job for job in found["jobs"].values())


def test_what_the_action_installs_is_what_the_project_needs():
    """A dependency that is added to pyproject.toml needs a run of action/lock."""
    project = (ROOT / "pyproject.toml").read_text()
    needs = []
    for key in ("requires", "dependencies"):
        needs += re.findall(r'"([\w.-]+)', re.search(rf"^{key} = \[(.*?)\]$", project, re.MULTILINE | re.DOTALL)[1])
    lock = (ROOT / "action" / "requirements.txt").read_text()
    pinned = re.findall(r"^([\w-]+)==", lock, re.MULTILINE)
    assert {need.lower().replace(".", "-") for need in needs} <= set(pinned)
    blocks = re.split(r"^(?=[\w-]+==)", lock, flags=re.MULTILINE)[1:]
    assert all("--hash=sha256:" in block for block in blocks)
