"""The hooks, run by the real pre-commit in temporary repositories, from a clone of this one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
TRACKER = ROOT / "examples" / "tracker"
PRE_COMMIT = Path(sys.executable).parent / "pre-commit"
KEPT = ("kubelint_gpu", "rules", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml")
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "somebody"),
    **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "somebody@example.org"),
    "GIT_CONFIG_GLOBAL": os.devnull,
}


def git(folder, *arguments):
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, env=ENVIRONMENT)


@pytest.fixture(scope="module")
def hooks(tmp_path_factory):
    """A repository that holds the program and its hooks as they are now."""
    folder = tmp_path_factory.mktemp("hooks")
    for name in KEPT:
        path = ROOT / name
        if path.is_dir():
            shutil.copytree(path, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(path, folder / name)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "hooks")
    return folder


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """One place for the environments that pre-commit makes, so that they are made once."""
    return tmp_path_factory.mktemp("pre-commit-home")


@pytest.fixture
def repository(tmp_path):
    """A user's repository with an inventory."""
    git(tmp_path, "init", "-q")
    shutil.copy(TRACKER / "nodes.yaml", tmp_path / "cluster.yaml")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "cluster")
    return tmp_path


def hook(hooks, home, repository, *arguments, config):
    (repository / ".pre-commit-config.yaml").write_text(config.replace("HOOKS", str(hooks)))
    git(repository, "add", ".pre-commit-config.yaml")
    return subprocess.run(
        [PRE_COMMIT, *arguments],
        cwd=repository,
        env=ENVIRONMENT | {"PRE_COMMIT_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


CONFIG = """
repos:
- repo: HOOKS
  rev: HEAD
  hooks:
  - id: kubelint-gpu
    args: [--inventory, cluster.yaml]
  - id: kubelint-gpu-repository
    stages: [manual]
    args: [--inventory, cluster.yaml]
  - id: kubelint-gpu-inventory
    files: ^cluster.yaml$
"""


def revision(hooks):
    found = subprocess.run(["git", "rev-parse", "HEAD"], cwd=hooks, check=True, capture_output=True, text=True)
    return CONFIG.replace("rev: HEAD", f"rev: {found.stdout.strip()}")


def test_try_repo_fails_on_the_tracker(hooks, home, repository):
    shutil.copy(TRACKER / "tracker.yaml", repository)
    (repository / ".kubelint-gpu.yaml").write_text("inventory: cluster.yaml\n")
    git(repository, "add", "tracker.yaml", ".kubelint-gpu.yaml")
    ran = subprocess.run(
        [PRE_COMMIT, "try-repo", str(hooks), "kubelint-gpu", "--verbose", "--all-files"],
        cwd=repository,
        env=ENVIRONMENT | {"PRE_COMMIT_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "error[KLG101]" in ran.stdout


def test_a_commit_that_brings_the_deadlock_fails_and_the_fixed_one_passes(hooks, home, repository):
    shutil.copy(TRACKER / "tracker.yaml", repository / "deploy.yaml")
    git(repository, "add", "deploy.yaml")
    ran = hook(hooks, home, repository, "run", config=revision(hooks))
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "error[KLG101]" in ran.stdout
    assert "deploy.yaml:8:1" in ran.stdout
    shutil.copy(TRACKER / "fixed.yaml", repository / "deploy.yaml")
    git(repository, "add", "deploy.yaml")
    ran = hook(hooks, home, repository, "run", config=revision(hooks))
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_whole_repository_and_the_inventory_have_hooks(hooks, home, repository):
    shutil.copy(TRACKER / "tracker.yaml", repository / "deploy.yaml")
    git(repository, "add", "deploy.yaml")
    ran = hook(
        hooks, home, repository, "run", "kubelint-gpu-repository", "--hook-stage", "manual", config=revision(hooks)
    )
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "error[KLG101]" in ran.stdout
    ran = hook(hooks, home, repository, "run", "kubelint-gpu-inventory", "--all-files", config=revision(hooks))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (repository / "cluster.yaml").write_text("apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nnodes: 5\n")
    git(repository, "add", "cluster.yaml")
    ran = hook(hooks, home, repository, "run", "kubelint-gpu-inventory", "--all-files", config=revision(hooks))
    assert ran.returncode == 1
    assert "KLG601" in ran.stdout
