"""pre-commit, a repository that offers the hooks, and users' repositories."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TRACKER = ROOT / "examples" / "tracker"
PRE_COMMIT = Path(sys.executable).parent / "pre-commit"
KEPT = ("kubelint_gpu", "rules", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml")
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PRE_COMMIT"))},
    **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "somebody"),
    **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "somebody@example.org"),
    "GIT_CONFIG_GLOBAL": os.devnull,
    "PYTHONUTF8": "1",
}


def run(folder, *command, check=True, **environment):
    ran = subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env=ENVIRONMENT | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert ran.returncode == 0 or not check, ran.stdout + ran.stderr
    return ran


def git(folder, *arguments):
    return run(folder, "git", *arguments).stdout


@dataclass(frozen=True)
class Offer:
    """The repository that a user names under `repo:`, and where pre-commit keeps what it installs from there."""

    repository: Path
    revision: str
    home: Path


def offer(folder):
    """The program and its hooks as they are now; made once by whichever test process comes first."""
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        repository = folder / "hooks"
        if not repository.exists():
            _make(repository)
        return Offer(repository, git(repository, "rev-parse", "HEAD").strip(), folder / "home")


def _make(repository):
    repository.mkdir()
    for name in KEPT:
        path = ROOT / name
        if path.is_dir():
            shutil.copytree(path, repository / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(path, repository / name)
    git(repository, "init", "-q")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "hooks")


class User:
    """A user's repository whose configuration names some of the hooks."""

    def __init__(self, folder, offer):
        self.folder = folder
        self.offer = offer
        git(folder, "init", "-q")

    def write(self, path, text):
        full = self.folder / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_text(text, encoding="utf-8")

    def stage(self, path, text):
        self.write(path, text)
        git(self.folder, "add", "--", path)

    def wants(self, *hooks):
        """Each hook with its arguments, as YAML."""
        listed = "".join(f"  - {hook}\n" for hook in hooks)
        self.stage(
            ".pre-commit-config.yaml",
            f"repos:\n- repo: {self.offer.repository}\n  rev: {self.offer.revision}\n  hooks:\n{listed}",
        )

    def commit(self, message="change", *options):
        """`git commit`, with the installed hook if there is one."""
        return run(self.folder, "git", "commit", "-qm", message, *options, check=False, **self.environment)

    def commit_unchecked(self):
        git(self.folder, "commit", "-qnm", "unchecked")

    def pre_commit(self, *arguments):
        return run(self.folder, PRE_COMMIT, *arguments, check=False, **self.environment)

    @property
    def environment(self):
        folder = str(PRE_COMMIT.parent)
        return {"PRE_COMMIT_HOME": str(self.offer.home), "PATH": f"{folder}{os.pathsep}{ENVIRONMENT['PATH']}"}
