"""What programs answer about a hostile repository: it costs neither this one nor them more than a little."""

from __future__ import annotations

import json
import os
import shutil
import stat

import pytest
from hostile_files import deployment, git
from limited import run

LONG = "n" * 240
ENDLESS = f"#!/bin/sh\nexec {shutil.which('yes')} xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n"


def bomb(folder, layers=8, name=LONG):
    """A repository whose HEAD is a tree of ten to the power of `layers` + 1 paths, which takes some kilobytes."""
    git(folder, "init", "-q")
    (folder / "d.yaml").write_text(deployment("now"))
    git(folder, "add", "-A")

    def asked(*arguments, given):
        return git(folder, *arguments, input=given.encode()).stdout.decode().strip()

    blob = asked("hash-object", "-w", "--stdin", given="x\n")
    old = asked("hash-object", "-w", "--stdin", given=deployment("before"))
    tree = asked("mktree", given="".join(f"100644 blob {blob}\tf{name}{one}.yaml\n" for one in range(10)))
    for _ in range(layers - 1):
        tree = asked("mktree", given="".join(f"040000 tree {tree}\td{name}{one}\n" for one in range(10)))
    entries = [f"100644 blob {old}\td.yaml\n", *(f"040000 tree {tree}\td{name}{one}\n" for one in range(10))]
    tree = asked("mktree", given="".join(entries))
    git(folder, "update-ref", "HEAD", git(folder, "commit-tree", tree, "-m", "x").stdout.decode().strip())


@pytest.mark.parametrize(
    "arguments", [("--hook", "d.yaml"), ("--against=rev:HEAD", "d.yaml"), ("--against=rev:HEAD", ".")]
)
def test_a_commit_of_more_paths_than_can_be_listed_is_told_and_hides_no_finding(arguments, tmp_path):
    bomb(tmp_path)
    ended = run("check", *arguments, "--output-format", "json", cwd=tmp_path)
    assert b"HEAD: only the files that are checked are compared" in ended.stderr
    assert b"git needs more than 512 MB" in ended.stderr
    (name,) = {one["object"] for one in json.loads(ended.stdout)["findings"] if one["object"]} or {""}
    assert name in ("", "Deployment/now")
    assert json.loads(ended.stdout)["summary"]["workloads"] == 1


def test_a_commit_of_many_short_paths_is_compared_in_the_checked_files(tmp_path):
    """git can list them all, and each would be read."""
    bomb(tmp_path, layers=4, name="")
    ended = run("check", "--hook", "d.yaml", "--output-format", "json", cwd=tmp_path, memory=512 * 1024**2)
    assert b"HEAD: only the files that are checked are compared" in ended.stderr
    assert b"files differ, and at most 50000 are compared" in ended.stderr
    assert json.loads(ended.stdout)["summary"]["workloads"] == 1


def test_what_the_named_files_held_is_known_beside_such_a_commit(tmp_path):
    from kubelint_gpu.sources.git import differing

    bomb(tmp_path)
    found = differing("HEAD", tmp_path, ["d.yaml"])
    assert list(found.by_name) == ["d.yaml"]
    assert found.left_out
    assert not differing("HEAD", tmp_path, []).by_name


def test_kustomizations_are_not_compared_with_such_a_commit(tmp_path):
    bomb(tmp_path)
    (tmp_path / "kustomization.yaml").write_text("resources: [d.yaml]\n")
    program = tmp_path.parent / "kustomize"
    program.write_text(f"#!/bin/sh\ncat {tmp_path}/d.yaml\n")
    program.chmod(0o755)
    arguments = ("--kustomize", str(program), "--against=rev:HEAD", ".")
    ended = run("check", *arguments, cwd=tmp_path)
    assert b"what is rendered is not compared with what it was: git printed more than 128 MB" in ended.stderr


COMMANDS = {
    "git": ("check", "--hook", "d.yaml"),
    "kustomize": ("check", ".", "--output-format", "json"),
    "kubectl": ("inventory", "capture"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_program_that_prints_without_end_is_ended(name, tmp_path):
    checkout, programs = tmp_path / "checkout", tmp_path / "programs"
    checkout.mkdir(), programs.mkdir()
    (checkout / ".git").mkdir()
    (checkout / "d.yaml").write_text(deployment("now"))
    (checkout / "kustomization.yaml").write_text("resources: [d.yaml]\n")
    (programs / name).write_text(ENDLESS)
    (programs / name).chmod(stat.S_IRWXU)
    environment = {"PATH": f"{programs}{os.pathsep}{os.defpath}"}
    ended = run(*COMMANDS[name], cwd=checkout, environment=environment)
    assert ended.returncode in (1, 2)
    assert b"printed more than" in ended.stdout + ended.stderr
