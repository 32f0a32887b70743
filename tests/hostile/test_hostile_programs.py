"""No program of any checkout that a run reads is started, wherever the run is started."""

from __future__ import annotations

import os
import shutil

import pytest
from hostile_files import INVENTORY, deployment, git
from limited import run

PROGRAMS = ("git", "kustomize", "kubectl", "helm", "aws")


@pytest.fixture
def checkouts(tmp_path):
    """A checkout with a folder of programs, a repository in it, and two folders beside it, one with a repository."""
    checkout, empty = tmp_path / "checkout", tmp_path / "empty"
    for folder in (checkout / "app", checkout / "nested" / "app", tmp_path / "other" / "app"):
        folder.mkdir(parents=True)
        (folder / "kustomization.yaml").write_text("resources: [a.yaml]\n")
        (folder / "a.yaml").write_text(deployment("first"))
    empty.mkdir()
    for folder in (checkout, tmp_path / "other", checkout / "nested"):
        (folder / "i.yaml").write_text(INVENTORY)
        (folder / ".kubelint-gpu.yaml").write_text("ignore: [KLG118]\n")
        (folder / "accepted").write_text("{}\n")
        git(folder, "init", "-q")
        git(folder, "add", "app", "i.yaml")
        git(folder, "commit", "-qm", "first")
        (folder / "bin").mkdir()
        for name in PROGRAMS:
            (folder / "bin" / name).write_text(f"#!/bin/sh\necho {folder.name} {name} >>{tmp_path}/ran\nexit 1\n")
            (folder / "bin" / name).chmod(0o755)
    return tmp_path


def started(folder, where, bins, *arguments):
    """What planted programs wrote where a run has some folders of the checkouts on its PATH."""
    rest = os.path.dirname(shutil.which("git"))  # noqa: PTH120 - text
    path = os.pathsep.join([*(str(folder / one) for one in bins), rest])
    ended = run(*arguments, cwd=folder / where, environment={"PATH": path, "KUBELINT_GPU_NO_CACHE": "1"})
    assert b"internal error" not in ended.stderr, ended.stderr
    ran = folder / "ran"
    return ran.read_text() if ran.exists() else ""


MINE = ("checkout/bin",)
BOTH = ("checkout/nested/bin", "checkout/bin")
RUNS = {
    "a folder, from outside": (".", MINE, "check", "checkout/app"),
    "a file, from outside": (".", MINE, "check", "checkout/app/a.yaml"),
    "a path without links": ("empty", MINE, "check", "HERE/checkout/app"),
    "a path behind a link": (".", MINE, "check", "link/app"),
    "against a revision": (".", MINE, "check", "checkout/app", "--against", "HEAD"),
    "an explanation": (".", MINE, "explain", "Deployment/first", "checkout/app"),
    "an inventory": ("other", MINE, "check", "app", "-i", "../checkout/i.yaml"),
    "an inventory of an explanation": ("other", MINE, "explain", "Deployment/first", "app", "-i", "../checkout/i.yaml"),
    "a configuration": ("other", MINE, "check", "app", "--config", "../checkout/.kubelint-gpu.yaml"),
    "a baseline": ("other", MINE, "check", "app", "--baseline", "../checkout/accepted"),
    "a node that joins": ("other", MINE, "check", "app", "--add-node", "../checkout/i.yaml"),
    "what it was": ("other", MINE, "check", "app", "--against", "../checkout/app"),
    "a report": ("other", MINE, "check", "app", "--output-file", "../checkout/report"),
    "a baseline that is written": ("other", MINE, "check", "app", "--write-baseline", "../checkout/written"),
    "in a nested repository": ("checkout/nested", BOTH, "check", "--hook", "app"),
    "a nested repository, from above": ("checkout", BOTH, "check", "nested/app"),
    "a nested repository, from outside": (".", BOTH, "check", "checkout/nested/app"),
    "below a folder that is no repository": (".", ("other/bin", *BOTH), "check", "."),
    "a captured inventory": (".", MINE, "inventory", "capture", "--output", "checkout/captured.yaml"),
    "what is rendered and the version": ("checkout/nested", BOTH, "--verbose", "--version"),
}


@pytest.mark.parametrize("case", RUNS)
def test_no_program_of_a_checkout_is_started(case, checkouts):
    (checkouts / "link").symlink_to(checkouts / "checkout")
    where, bins, *arguments = RUNS[case]
    arguments = [one.replace("HERE", str(checkouts)) for one in arguments]
    assert started(checkouts, where, bins, *arguments) == ""


@pytest.mark.parametrize("by", ["a base", "a link"])
def test_what_a_kustomization_outside_reads_counts_too(by, checkouts):
    """Which checkout its files lie in is known when they have been found."""
    outside = checkouts / "outside"
    outside.mkdir()
    if by == "a link":
        (outside / "a.yaml").symlink_to(checkouts / "checkout" / "app" / "a.yaml")
    resource = "a.yaml" if by == "a link" else "../checkout/app"
    (outside / "kustomization.yaml").write_text(f"resources: [{resource}]\n")
    assert started(checkouts, "empty", MINE, "check", "../outside") == ""


def test_a_link_to_a_program_of_the_checkout_is_not_started(checkouts):
    links = checkouts / "links"
    links.mkdir()
    for name in PROGRAMS:
        (links / name).symlink_to(checkouts / "checkout" / "bin" / name)
    for more in ((), ("--against", "HEAD")):
        assert started(checkouts, "empty", ("links",), "check", "../checkout/app", *more) == ""


def test_kubectl_finds_none_either(checkouts):
    """A kubeconfig names programs that give credentials."""
    mine = checkouts / "mine"
    mine.mkdir()
    (mine / "kubectl").write_text("#!/bin/sh\naws\nexit 1\n")
    (mine / "kubectl").chmod(0o755)
    assert started(checkouts, "checkout", (*MINE, "mine"), "inventory", "capture") == ""


def test_a_program_of_another_repository_is_started(checkouts):
    """Where a program lies says nothing of it, as long as the run has nothing to do with the repository."""
    assert "other kustomize" in started(checkouts, ".", ("other/bin",), "check", "checkout/app")
