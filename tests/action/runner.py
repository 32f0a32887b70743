"""A step's surroundings on a runner: the environment that GitHub gives it, and the files that it writes to."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TRACKER = ROOT / "examples" / "tracker"
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "GITHUB_", "INPUT_"))},
    **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "somebody"),
    **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "somebody@example.org"),
    "GIT_CONFIG_GLOBAL": os.devnull,
}
INPUTS = {
    "INPUT_PATHS": ".",
    "INPUT_INVENTORY": "",
    "INPUT_AGAINST": "base",
    "INPUT_ARGUMENTS": "",
    "INPUT_SARIF": "true",
    "INPUT_ANNOTATIONS": "auto",
    "INPUT_SUMMARY": "true",
    "INPUT_FAIL": "true",
}


@dataclass(frozen=True)
class Step:
    """What a step did: its log, its outputs and what it wrote to the summary of the job."""

    code: int
    log: str
    outputs: dict[str, str]
    summary: str


def git(folder, *arguments):
    ran = subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True, env=ENVIRONMENT)
    return ran.stdout.strip()


class Runner:
    """A checkout and the scripts of the Action, run in it as the runner runs them."""

    def __init__(self, folder):
        self.checkout = folder / "checkout"
        self.temp = folder / "temp"
        self.checkout.mkdir()
        self.temp.mkdir()
        git(self.checkout, "init", "-q", "-b", "main")

    def write(self, path, text):
        full = self.checkout / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_text(text, encoding="utf-8")

    def commit(self):
        git(self.checkout, "add", "-A")
        git(self.checkout, "commit", "-qm", "commit")
        return git(self.checkout, "rev-parse", "HEAD")

    def check(self, **environment):
        given = {"EVENT_NAME": "push", "BASE_SHA": "", "HEAD_REPOSITORY": ""}
        return self._step(
            "check.sh", INPUTS | given | {"PROGRAM_HOME": str(Path(sys.executable).parent.parent)} | environment
        )

    def verdict(self, checked, **environment):
        given = {
            "UPLOAD": "skipped",
            "EXIT_CODE": checked.outputs["exit-code"],
            "FOUND": checked.outputs.get("found", ""),
        }
        return self._step("verdict.sh", INPUTS | given | environment)

    def install(self, **environment):
        return self._step("install.sh", environment)

    def _step(self, script, environment):
        output, summary = self.temp / "output", self.temp / "summary"
        output.write_text("")
        summary.write_text("")
        runner = {
            "ACTION_PATH": str(ROOT),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(summary),
            "GITHUB_REPOSITORY": "somebody/repository",
            "RUNNER_TEMP": str(self.temp),
        }
        ran = subprocess.run(
            ["bash", str(ROOT / "action" / script)],
            cwd=self.checkout,
            env=ENVIRONMENT | runner | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=300,
        )
        outputs = dict(line.split("=", 1) for line in output.read_text().splitlines())
        return Step(ran.returncode, ran.stdout, outputs, summary.read_text(encoding="utf-8"))
