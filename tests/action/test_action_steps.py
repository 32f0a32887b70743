"""The scripts of the Action, each run as a step with the environment that a runner gives it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from runner import ROOT, TRACKER, Runner, git

TRACKED = (TRACKER / "tracker.yaml").read_text()
FIXED = (TRACKER / "fixed.yaml").read_text()
NODES = (TRACKER / "nodes.yaml").read_text()


def prepared(folder):
    runner = Runner(folder)
    runner.write("cluster.yaml", NODES)
    runner.write("deploy/a.yaml", TRACKED)
    return runner


@pytest.fixture
def runner(tmp_path):
    return prepared(tmp_path)


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    """A runner and the check that most workflows make, made once."""
    runner = prepared(tmp_path_factory.mktemp("usual"))
    return runner, runner.check(**CLUSTER)


def found(step, name="found.sarif"):
    return (Path(step.outputs["found"]) / name).read_text(encoding="utf-8")


def codes(step):
    return sorted(result["ruleId"] for result in json.loads(found(step))["runs"][0]["results"])


def deadlock(step):
    """What the step says of a rollout: how severe, and whether it is the one of this change or the next one."""
    results = json.loads(found(step))["runs"][0]["results"]
    (one,) = (result for result in results if result["ruleId"] == "KLG101")
    return one["level"], "next" if "the next rollout" in one["message"]["text"] else "this"


CLUSTER = {"INPUT_INVENTORY": "cluster.yaml", "INPUT_PATHS": "deploy"}


def test_findings_do_not_fail_the_check_but_the_verdict(usual):
    runner, checked = usual
    assert checked.code == 0, checked.log
    assert "KLG101" in codes(checked)
    outputs = checked.outputs
    assert (outputs["exit-code"], outputs["errors"], outputs["upload"]) == ("1", "1", "true")
    assert Path(outputs["sarif-file"]).is_file()
    verdict = runner.verdict(checked, UPLOAD="success")
    assert verdict.code == 1
    assert "::error" not in verdict.log


def test_nothing_found_passes(runner):
    runner.write("deploy/a.yaml", FIXED)
    checked = runner.check(**CLUSTER)
    assert checked.outputs["exit-code"] == "0"
    assert (checked.outputs["errors"], checked.outputs["warnings"]) == ("0", "0")
    assert runner.verdict(checked, UPLOAD="success").code == 0


def test_the_summary_is_markdown_with_a_table_and_the_first_deadlock(usual):
    runner, checked = usual
    summary = checked.summary
    assert summary.startswith("**kubelint-gpu** ")
    assert "| --- |" in summary
    assert "How KLG101 comes about" in summary
    assert runner.check(**CLUSTER, INPUT_SUMMARY="false").summary == ""


@pytest.mark.parametrize(
    ("upload", "wish", "annotated"),
    [
        ("success", "auto", False),
        ("skipped", "auto", True),
        ("failure", "auto", True),
        ("success", "always", True),
        ("skipped", "never", False),
    ],
)
def test_findings_are_annotated_where_they_were_not_uploaded(usual, upload, wish, annotated):
    runner, checked = usual
    verdict = runner.verdict(checked, UPLOAD=upload, INPUT_ANNOTATIONS=wish)
    assert verdict.code == 1
    assert ("::error file=deploy/a.yaml,line=8" in verdict.log) is annotated
    assert ("upload failed" in verdict.log) is (upload == "failure")


def test_a_fork_may_not_upload_and_is_told_so(runner):
    runner.write("deploy/b.yaml", FIXED)
    base = runner.commit()
    fork = {"EVENT_NAME": "pull_request", "HEAD_REPOSITORY": "stranger/repository", "BASE_SHA": base}
    checked = runner.check(**CLUSTER, **fork)
    assert "upload" not in checked.outputs
    assert "a pull request from a fork has no permission" in checked.log
    own = fork | {"HEAD_REPOSITORY": "somebody/repository"}
    checked = runner.check(**CLUSTER, **own)
    assert checked.outputs["upload"] == "true"
    assert "fork" not in checked.log


def test_upload_can_be_switched_off(runner):
    assert "upload" not in runner.check(**CLUSTER, INPUT_SARIF="false").outputs


def test_a_pull_request_is_compared_with_its_base(runner):
    runner.write("deploy/a.yaml", TRACKED.replace("tracker-node", "gpu-1"))
    base = runner.commit()
    runner.write("deploy/a.yaml", TRACKED)
    runner.commit()
    request = {"EVENT_NAME": "pull_request", "BASE_SHA": base}
    assert deadlock(runner.check(**CLUSTER, **request)) == ("warning", "next")
    assert deadlock(runner.check(**CLUSTER, **request, INPUT_AGAINST="none")) == ("error", "this")
    assert deadlock(runner.check(**CLUSTER, EVENT_NAME="push", BASE_SHA=base)) == ("error", "this")
    assert deadlock(runner.check(**CLUSTER, EVENT_NAME="push", INPUT_AGAINST="HEAD~1")) == ("warning", "next")


def test_no_file_of_a_pull_request_takes_the_place_of_its_base(runner):
    runner.write("deploy/a.yaml", TRACKED.replace("tracker-node", "gpu-1"))
    base = runner.commit()
    runner.write("deploy/a.yaml", TRACKED)
    for name in (base, f"rev:{base}"):
        runner.write(f"{name}/a.yaml", TRACKED)
    runner.commit()
    request = {"EVENT_NAME": "pull_request", "BASE_SHA": base}
    assert deadlock(runner.check(**CLUSTER, **request)) == ("warning", "next")


def test_the_job_of_gitlab_passes_its_base_as_a_revision():
    assert '"--against=rev:$base"' in (ROOT / "examples" / "gitlab" / "kubelint-gpu.gitlab-ci.yml").read_text()


def test_a_shallow_checkout_fetches_the_base(runner, tmp_path):
    runner.write("deploy/a.yaml", TRACKED.replace("tracker-node", "gpu-1"))
    base = runner.commit()
    runner.write("deploy/a.yaml", TRACKED)
    runner.commit()
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{runner.checkout}", str(shallow))
    runner.checkout = shallow
    request = {"EVENT_NAME": "pull_request", "BASE_SHA": base}
    assert deadlock(runner.check(**CLUSTER, **request)) == ("warning", "next")


def test_a_base_that_cannot_be_had_is_a_warning(runner):
    runner.commit()
    checked = runner.check(**CLUSTER, EVENT_NAME="pull_request", BASE_SHA="1" * 40)
    assert "fetch-depth: 2" in checked.log
    assert "KLG101" in codes(checked)


def test_a_run_that_fails_fails_whatever_fail_says(runner):
    checked = runner.check(**CLUSTER | {"INPUT_INVENTORY": "missing.yaml"})
    assert checked.code == 0, checked.log
    assert checked.outputs["exit-code"] == "2"
    assert runner.verdict(checked, INPUT_FAIL="false").code == 2


def test_findings_need_not_fail(usual):
    runner, checked = usual
    assert runner.verdict(checked, INPUT_FAIL="false").code == 0


def test_wrong_usage_fails_and_writes_no_report(runner):
    checked = runner.check(**CLUSTER, INPUT_ARGUMENTS="--no-such-option")
    assert checked.outputs["exit-code"] == "2"
    assert "sarif-file" not in checked.outputs
    assert runner.verdict(checked).code == 2


@pytest.mark.parametrize("name", ["SARIF", "SUMMARY", "FAIL", "ANNOTATIONS"])
def test_an_input_that_is_not_understood_fails(runner, name):
    checked = runner.check(**CLUSTER, **{f"INPUT_{name}": "yes please"})
    assert checked.code == 2
    assert f'the input {name.lower()} is "yes please"' in checked.log


def test_several_paths_and_arguments_stand_on_lines_of_their_own(runner):
    runner.write("more/with space.yaml", TRACKED)
    checked = runner.check(
        INPUT_INVENTORY="  cluster.yaml\n\n",
        INPUT_PATHS="deploy/a.yaml\n  more/with space.yaml  \n",
        INPUT_ARGUMENTS="--select\nKLG101\n--min-severity=error",
    )
    assert codes(checked) == ["KLG101", "KLG101"]


@pytest.mark.parametrize(
    "evil", ["$(touch pwned)", "`touch pwned`", "; touch pwned", '\' "; touch pwned; "', "-x; touch pwned"]
)
def test_no_input_runs_anything(runner, evil):
    """Neither in the shell, which is given all inputs at once, nor in git, which is given the base."""
    every = dict.fromkeys(("INPUT_PATHS", "INPUT_INVENTORY", "INPUT_AGAINST", "INPUT_ARGUMENTS"), evil)
    for inputs in (every, {"INPUT_AGAINST": evil}):
        runner.check(**CLUSTER | inputs | {"INPUT_SARIF": "false"})
    assert not (runner.checkout / "pwned").exists()


def test_a_path_is_no_option(runner):
    checked = runner.check(**CLUSTER | {"INPUT_PATHS": "--exit-zero\ndeploy"})
    assert checked.outputs["exit-code"] == "2"


def test_text_of_a_manifest_gives_the_runner_no_commands(runner):
    """Whatever a line of the log begins with, the runner has been told not to listen."""
    runner.write("deploy/a.yaml", TRACKED.replace("tracker-node", '"x ::error::pwned ##[error]pwned"'))
    log = runner.check(**CLUSTER).log
    match = re.search(r"^::stop-commands::([0-9a-f]{32})$", log, re.MULTILINE)
    end = log.index(f"\n::{match[1]}::\n")
    assert "pwned" in log[match.end() : end]
    assert "pwned" not in log[: match.start()] + log[end:]


def test_nothing_of_the_checked_repository_is_imported(runner):
    for name in ("json.py", "click.py", "kubelint_gpu.py", "secrets.py", "sitecustomize.py"):
        runner.write(name, "raise SystemExit('imported from the checked repository')\n")
    checked = runner.check(**CLUSTER)
    assert "KLG101" in codes(checked)
    assert "imported from" not in checked.log


def test_a_missing_python_is_named(runner):
    step = runner.install(INPUT_PYTHON="python-that-is-not-there")
    assert step.code == 2
    assert "::error::kubelint-gpu: there is no python-that-is-not-there on this runner" in step.log


def test_an_old_python_is_refused(runner):
    runner.write("python", '#!/bin/sh\n[ "$1" = --version ] && echo "Python 3.8.1" && exit\nexit 1\n')
    (runner.checkout / "python").chmod(0o755)
    step = runner.install(INPUT_PYTHON=str(runner.checkout / "python"))
    assert step.code == 2
    assert "is Python 3.8.1; Python 3.10 or newer is needed" in step.log


def test_every_script_is_used():
    text = (ROOT / "action.yml").read_text()
    for script in (ROOT / "action").glob("*.sh"):
        assert f'bash "$ACTION_PATH/action/{script.name}"' in text
