"""Nothing that a repository says of itself is run: its own `.git`, and a folder of it that looks like a bare repository."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hostile_files import IDENTITY, INVENTORY, deployment, git
from limited import run

HOOKS = (
    "applypatch-msg",
    "fsmonitor-watchman",
    "post-applypatch",
    "post-checkout",
    "post-index-change",
    "post-merge",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "pre-rebase",
    "prepare-commit-msg",
    "reference-transaction",
)
GONE = "gone.yaml"
"""A file of the commit whose contents the repository does not have."""
MISSING = ["cat-file", "blob", f"HEAD:{GONE}"]


def promised(url, **more):
    """A remote that is asked for what is missing."""
    return {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": url,
        **more,
    }


def _attributed(folder, attribute):
    (folder / "info").mkdir(exist_ok=True)
    (folder / "info" / "attributes").write_text(f"* {attribute}\n")


def _settings(settings, attribute=""):
    """A plant of settings, each with PROGRAM in place of what must not run."""

    def plant(repository, program):
        for key, value in settings.items():
            git(
                repository.parent,
                "config",
                "--file",
                str(repository / "config"),
                key,
                value.replace("PROGRAM", program),
            )
        if attribute:
            _attributed(repository, attribute)

    return plant


def _hooks(folder):
    def plant(repository, program):
        target = repository / folder
        target.mkdir(exist_ok=True)
        for name in HOOKS:
            shutil.copy(program, target / name)
        if folder != "hooks":
            _settings({"core.hooksPath": str(target)})(repository, program)

    return plant


def _included(repository, program):
    """All that settings can do, by way of another file."""
    other = repository / "more"
    for settings in ALL.values():
        for key, value in settings.items():
            git(repository.parent, "config", "--file", str(other), key, value.replace("PROGRAM", program))
    _attributed(repository, "filter=x diff=x")
    _settings({"include.path": "more", "includeIf.gitdir:/.path": "more"})(repository, program)


def _alternate(repository, program):
    other = repository / "other"
    git(repository.parent, "init", "-q", "--bare", str(other))
    (repository / "objects" / "info").mkdir(exist_ok=True)
    (repository / "objects" / "info" / "alternates").write_text(f"{other}/objects\n")
    _settings({"core.alternateRefsCommand": "PROGRAM"})(repository, program)


ALL = {
    "clean": {"filter.x.clean": "PROGRAM", "filter.x.required": "true"},
    "process": {"filter.x.process": "PROGRAM", "filter.x.smudge": "PROGRAM"},
    "fsmonitor": {"core.fsmonitor": "PROGRAM", "core.fsmonitorHookVersion": "2"},
    "textconv": {"diff.x.textconv": "PROGRAM", "diff.x.cachetextconv": "true"},
    "external": {"diff.external": "PROGRAM"},
    "driver": {"diff.x.command": "PROGRAM"},
    "ext": promised("ext::PROGRAM", **{"protocol.ext.allow": "always", "protocol.allow": "always"}),
    "ssh": promised("ssh://nowhere.invalid/x", **{"core.sshCommand": "PROGRAM", "ssh.variant": "ssh"}),
    "uploadpack": promised(
        "file:///nowhere", **{"remote.origin.uploadpack": "PROGRAM", "protocol.file.allow": "always"}
    ),
    "proxy": promised("git://nowhere.invalid/x", **{"core.gitProxy": "PROGRAM"}),
    "helper": promised(
        "http://127.0.0.1:9/x",
        **{"credential.helper": "!PROGRAM", "core.askPass": "PROGRAM", "http.proxy": "http://x@127.0.0.1:9"},
    ),
    "pager": {"core.pager": "PROGRAM", "pager.ls-tree": "PROGRAM", "pager.diff": "PROGRAM", "core.editor": "PROGRAM"},
    "alias": dict.fromkeys(("alias.ls-tree", "alias.ls-files", "alias.rev-parse", "alias.cat-file"), "!PROGRAM"),
}
PLANTS = {
    **{
        name: _settings(
            settings,
            {"clean": "filter=x", "process": "filter=x", "textconv": "diff=x", "driver": "diff=x"}.get(name, ""),
        )
        for name, settings in ALL.items()
    },
    "hooks": _hooks("hooks"),
    "hooksPath": _hooks("elsewhere"),
    "alternates": _alternate,
    "include": _included,
}
# what shows that a plant does run its program where git is asked without care; None where that needs a terminal or a server
SHOWN = {
    "clean": ["diff"],
    "process": ["diff"],
    "fsmonitor": ["status"],
    "textconv": ["diff", "a.yaml"],
    "external": ["diff", "a.yaml"],
    "driver": ["diff", "a.yaml"],
    "ext": MISSING,
    "ssh": MISSING,
    "uploadpack": MISSING,
    "proxy": MISSING,
    "helper": ["credential", "fill"],
    "pager": None,
    "alias": None,
    "hooks": ["update-index", "--really-refresh"],
    "hooksPath": ["update-index", "--really-refresh"],
    "alternates": None,
    "include": ["diff"],
}
CALLS = (("--hook", "a.yaml"), (".", "--against", "HEAD"), ("a.yaml",))


@pytest.fixture
def planted(tmp_path):
    """A program that says that it ran."""
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho ran >>{tmp_path}/ran\nexit 1\n")
    program.chmod(0o755)
    return program


def filled(folder, *, whole=False):
    """A repository with a commit, a change on top of it, one deleted file, which it does not have unless it is whole."""
    folder.mkdir(parents=True)
    (folder / "a.yaml").write_text(deployment("first"))
    (folder / GONE).write_text(deployment("gone"))
    (folder / ".kubelint-gpu.yaml").write_text("units: {all: ['*.yaml']}\ninventory: i.yaml\n")
    (folder / "i.yaml").write_text(INVENTORY)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "first")
    lost = git(folder, "rev-parse", f"HEAD:{GONE}").stdout.decode().strip()
    if not whole:
        (folder / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    (folder / GONE).unlink()
    (folder / "a.yaml").write_text(deployment("other"))
    # other times than in the index: git itself would compare the contents
    for name in ("a.yaml", "i.yaml"):
        os.utime(folder / name, (2**31 - 9, 2**31 - 9))
    return folder


@pytest.fixture
def repository(tmp_path):
    return filled(tmp_path / "repository")


@pytest.fixture
def bare(tmp_path):
    """A repository, and a folder of it that is a bare repository to git, with the folder as its work tree."""
    other = filled(tmp_path / "other")
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q")
    (outer / "x.yaml").write_text(deployment("outer"))
    shutil.copytree(other, outer / "sub", ignore=shutil.ignore_patterns(".git"))
    for path in (other / ".git").iterdir():
        if path.name != "hooks":
            (shutil.copytree if path.is_dir() else shutil.copy2)(path, outer / "sub" / path.name)
    inner = outer / "sub"
    for key, value in {"core.bare": "false", "core.worktree": "."}.items():
        git(outer, "config", "--file", str(inner / "config"), key, value)
    git(outer, "add", "-A")
    git(outer, "commit", "-qm", "with a folder")
    return inner


def ran(tmp_path):
    return (tmp_path / "ran").exists()


def checked(folder, *arguments):
    ended = run("check", *arguments, cwd=folder, environment=IDENTITY)
    assert b"internal error" not in ended.stderr, ended.stderr
    assert ended.returncode in (0, 1, 2)
    return ended


@pytest.mark.parametrize("name", PLANTS)
def test_the_repository_itself(name, repository, planted, tmp_path):
    PLANTS[name](repository / ".git", str(planted))
    for arguments in CALLS:
        checked(repository, *arguments)
        assert not ran(tmp_path), arguments


@pytest.mark.parametrize("name", PLANTS)
def test_a_folder_that_looks_like_a_repository(name, bare, planted, tmp_path):
    PLANTS[name](bare, str(planted))
    for arguments in CALLS[:2]:
        checked(bare, *arguments)
        assert not ran(tmp_path), arguments


@pytest.mark.parametrize("name", [name for name, command in SHOWN.items() if command])
def test_each_plant_would_run(name, repository, planted, tmp_path):
    PLANTS[name](repository / ".git", str(planted))
    git(repository, *SHOWN[name], check=False, input=b"url=http://127.0.0.1:9/x\n\n", timeout=60)
    assert ran(tmp_path)


@pytest.mark.parametrize("arguments", [("--hook", "."), (".", "--against", "HEAD")])
def test_a_kustomization_of_another_revision(arguments, planted, tmp_path):
    repository = filled(tmp_path / "repository", whole=True)
    (repository / "app").mkdir()
    (repository / "app" / "kustomization.yaml").write_text("resources: [../a.yaml]\n")
    git(repository, "add", "app")
    git(repository, "commit", "-qm", "with a kustomization")
    _included(repository / ".git", str(planted))
    checked(repository, *arguments)
    assert not ran(tmp_path)


def submodule(repository, program):
    """A submodule with a filter and a monitor of its own, changed."""
    inner = filled(repository.parent / "inner", whole=True)
    git(repository, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "--force", str(inner), "module")
    git(repository, "commit", "-qm", "with a module")
    (repository / "module" / "a.yaml").write_text(deployment("changed"))
    inside = repository / ".git" / "modules" / "module"
    _settings({**ALL["clean"], **ALL["fsmonitor"]}, "filter=x")(inside, program)
    for key, value in {"submodule.recurse": "true", "diff.ignoreSubmodules": "none"}.items():
        git(repository, "config", key, value)
    git(repository, "config", "submodule.module.update", f"!{program}")


def test_a_submodule(planted, tmp_path):
    repository = filled(tmp_path / "repository", whole=True)
    submodule(repository, str(planted))
    for arguments in CALLS:
        checked(repository, *arguments)
        checked(repository / "module", *arguments)
        assert not ran(tmp_path), arguments
    git(repository, "diff", "HEAD", check=False)
    assert ran(tmp_path)


def test_the_users_own_settings_still_count(repository, tmp_path):
    """A repository of somebody else is refused as git refuses it, and not where the user trusts it."""
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text("[core]\n\tabbrev = 40\n")
    strange = {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1", "HOME": str(home)}
    arguments = ("check", "--hook", "a.yaml")
    refused = run(*arguments, cwd=repository, environment=strange)
    assert refused.returncode == 2
    assert b"dubious ownership" in refused.stderr
    (home / ".gitconfig").write_text(f"[safe]\n\tdirectory = {repository}\n")
    (repository / GONE).write_text(deployment("gone"))
    git(repository, "add", GONE)
    allowed = run(*arguments, cwd=repository, environment=strange)
    assert allowed.returncode == 1, allowed.stderr


def test_what_a_partial_clone_does_not_have_is_told(repository):
    ended = checked(repository, ".", "--against", "HEAD")
    assert ended.returncode == 2
    assert b"gone.yaml of " in ended.stderr
    assert b"nothing is fetched" in ended.stderr


def test_another_work_tree_in_the_configuration_hides_nothing(repository, tmp_path):
    (repository / GONE).write_text(deployment("gone"))
    git(repository, "add", GONE)
    before = checked(repository, "--hook", "a.yaml", "--output-format", "json")
    assert before.returncode == 1
    (tmp_path / "elsewhere").mkdir()
    for elsewhere in (tmp_path / "elsewhere", tmp_path):
        git(repository.parent, "config", "--file", str(repository / ".git" / "config"), "core.worktree", str(elsewhere))
        assert checked(repository, "--hook", "a.yaml").returncode == 1


def test_only_one_module_starts_git():
    package = Path(__file__).parents[2] / "kubelint_gpu"
    starting = [path for path in package.rglob("*.py") if 'find("git"' in path.read_text(encoding="utf-8")]
    assert [path.relative_to(package).as_posix() for path in starting] == ["sources/git.py"]
