"""A kustomization file, whatever it holds."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from surveying import found, told


def test_a_kustomization_that_is_no_mapping_is_no_crash(tree):
    for text in ("", "- a\n", "resources: {a: b}\n", "resources: [1, {a: b}]\npatches: x\n"):
        assert not found(tree(**{"top/kustomization.yaml": text})).obstacles


@pytest.mark.parametrize(
    "field", ["Resources: [a]", "re\u017fources: [a]", "patches: [{Path: a}]", "HelmCharts: [{name: a}]"]
)
def test_fields_in_other_letters_are_not_overlooked(tree, field):
    [(_, line, message, withheld)] = told(tree(**{"top/kustomization.yaml": f"{field}\n"}))
    assert (line, withheld) == (1, False)
    assert " must be written " in message


COMMAND = Path(sys.executable).parent / "kubelint-gpu"
HOOK = """\
import os, sys
told = os.environ.get("OPENED")
def hook(event, arguments):
    if told and event in ("open", "os.listdir", "os.scandir") and isinstance(arguments[0], (str, bytes, os.PathLike)):
        path = os.path.realpath(os.fsdecode(arguments[0]))
        fd = hook.write(path)
def write(path, seen=set()):
    if path not in seen:
        seen.add(path)
        os.write(LOG, (path + "\\n").encode())
hook.write = write
if told:
    LOG = os.open(told, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    sys.addaudithook(hook)
"""
UNREAD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: secret}
spec:
  selector: {matchLabels: {app: secret}}
  template:
    metadata: {labels: {app: secret}}
    spec:
      containers: [{name: a, image: a, resources: {limits: {nvidia.com/gpu: 1}}}]
"""
POD = UNREAD.replace("secret", "own")
INVENTORY = "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nnodes: [{name: a, gpus: {model: L4, count: 1}}]\n"


@pytest.fixture
def world(tmp_path):
    """A repository, and beside it what must stay unread."""
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "sitecustomize.py").write_text(HOOK)
    for name in ("deployment.yaml", "kustomization.yaml"):
        (tmp_path / "outside").mkdir(exist_ok=True)
        (tmp_path / "outside" / name).write_text(UNREAD if name[0] == "d" else "resources: [deployment.yaml]\n")
    write(tmp_path / "repository", {"own.yaml": POD, "i.yaml": INVENTORY})
    git(tmp_path / "repository", "init", "-q")
    return tmp_path


def write(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def git(folder, *arguments):
    names = ("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL")
    environment = {**os.environ, **dict.fromkeys(names, "x@example.org"), "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, env=environment)


def hostile(repository):
    """Every way out that a tree may try."""
    write(
        repository,
        {
            "app/a/kustomization.yaml": "resources: [link.yaml]\n",
            "app/b/kustomization.yaml": "resources: [folder]\n",
            "app/c/kustomization.yaml": "resources: [../../../outside]\n",
            "app/d/kustomization.yaml": f"resources: [{repository.parent / 'outside' / 'deployment.yaml'}]\n",
            "app/e/kustomization.yaml": "resources: [own.yaml]\nconfigMapGenerator: [{name: x, files: [link.yaml]}]\n",
            "app/e/own.yaml": POD,
            "app/f/kustomization.yaml": "resources: [own.yaml]\npatches: [{path: folder/deployment.yaml}]\n",
            "app/f/own.yaml": POD,
            "app/g/readme.txt": "",
            "app/h/kustomization.yaml": "resources: [own.yaml]\ntransformers: [folder]\ncrds: [link.yaml]\n",
            "app/h/own.yaml": POD,
        },
    )
    outside = repository.parent / "outside"
    for name in "aeh":
        (repository / "app" / name / "link.yaml").symlink_to(outside / "deployment.yaml")
    for name in "bfh":
        (repository / "app" / name / "folder").symlink_to(outside)
    (repository / "app" / "g" / "kustomization.yaml").symlink_to(outside / "kustomization.yaml")
    (repository / "linked.yaml").symlink_to(outside / "deployment.yaml")
    (repository / "linked").symlink_to(outside)


@pytest.fixture
def run(world, program):
    def checked(*arguments):
        told = world / "opened"
        told.unlink(missing_ok=True)
        environment = {**os.environ, "PYTHONPATH": str(world / "hook"), "OPENED": str(told)}
        done = subprocess.run(
            [str(COMMAND), "check", *arguments, "--kustomize", program, "--output-format", "json"],
            cwd=world / "repository",
            capture_output=True,
            text=True,
            check=False,
            env=environment,
        )
        assert "internal error" not in done.stderr
        assert done.returncode in (0, 1, 2), done.stderr
        assert done.stdout, done.stderr
        opened = told.read_text().splitlines()
        assert [path for path in opened if path.startswith(str(world / "repository"))]
        assert [path for path in opened if path.startswith(str(world / "outside"))] == []
        assert "Deployment/secret" not in done.stdout
        return done

    return checked


def test_the_tree_itself(world, run):
    hostile(world / "repository")
    run(".", "-i", "i.yaml")


def test_the_hook_sees_what_is_opened(run):
    with pytest.raises(AssertionError, match="outside"):
        run("own.yaml", "../outside/deployment.yaml")


def test_what_the_configuration_names(world, run):
    hostile(world / "repository")
    for text in ("context: ['**']\n", "units: {all: ['**']}\n", "targets: {'**': i.yaml}\n"):
        write(world / "repository", {".kubelint-gpu.yaml": text})
        for tracked in (False, True):
            if tracked:
                git(world / "repository", "add", "-A")
            run("own.yaml")
            run(".")


def test_another_revision(world, run):
    hostile(world / "repository")
    git(world / "repository", "add", "-A")
    git(world / "repository", "commit", "-qm", "hostile")
    run(".", "--against", "HEAD")
    # the tree is harmless now, and what it was is not
    for name in "abcdfgh":
        for path in sorted((world / "repository" / "app" / name).iterdir()):
            path.unlink()
        write(
            world / "repository",
            {f"app/{name}/kustomization.yaml": "resources: [own.yaml]\n", f"app/{name}/own.yaml": POD},
        )
    (world / "repository" / "linked.yaml").unlink()
    write(world / "repository", {"linked.yaml": POD})
    run(".", "--against", "HEAD")
    run("app/a", "app/g", "--against", "HEAD")


def test_another_path(world, run):
    hostile(world / "repository")
    run("own.yaml", "--against", "./app")
