"""The hooks, run by the real pre-commit: `try-repo`, `run`, and installed under `git commit`."""

from __future__ import annotations

import re

import pytest
import yaml
from hook_repository import ROOT, TRACKER, git

TRACKED = (TRACKER / "tracker.yaml").read_text()
RECREATED = TRACKED.replace("  replicas: 1\n", "  replicas: 1\n  strategy: {type: Recreate}\n")
FIXED = (TRACKER / "fixed.yaml").read_text()
NODES = (TRACKER / "nodes.yaml").read_text()
CLUSTER = "args: [--inventory, cluster.yaml]"
CHANGED = "{id: kubelint-gpu, " + CLUSTER + "}"
WHOLE = "{id: kubelint-gpu-repository, " + CLUSTER + "}"
QUIET = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: quiet}\n"
PRIORITY = "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: vision}\nvalue: 1000\n"


@pytest.fixture
def cluster(user):
    """A user's repository with an inventory and a first commit."""
    user.stage("cluster.yaml", NODES)
    user.commit_unchecked()
    return user


@pytest.fixture
def installed(cluster):
    """The same with the hook for changed files installed."""
    cluster.wants(CHANGED)
    cluster.commit_unchecked()
    assert cluster.pre_commit("install").returncode == 0
    return cluster


def codes(ran):
    return sorted(set(re.findall(r"^(?:error|warning)\[(KLG\d+)\]", ran.stdout + ran.stderr, re.MULTILINE)))


def deadlock(ran):
    """How severe the one deadlock is, and whether it is that of this change or of the next one."""
    told = r"^(error|warning)\[KLG101\]: \S+ \S+:\s+(?:this\s+change\s+rolls\s+out,\s+and\s+)?the\s+(next\s+)?rollout\s+never"
    (one,) = set(re.findall(told, ran.stdout + ran.stderr, re.MULTILINE))
    return one[0], one[1].strip() or "this"


@pytest.mark.thorough
def test_try_repo_fails_on_the_tracker(cluster, hooks):
    cluster.stage("tracker.yaml", TRACKED)
    cluster.stage(".kubelint-gpu.yaml", "inventory: cluster.yaml\n")
    ran = cluster.pre_commit("try-repo", hooks.repository, "kubelint-gpu", "--ref", hooks.revision, "--all-files")
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "KLG101" in codes(ran)


def test_the_deadlock_cannot_be_committed_and_the_fixed_version_can(installed):
    installed.stage("deploy.yaml", TRACKED)
    ran = installed.commit()
    assert ran.returncode == 1
    assert "KLG101" in codes(ran)
    assert "deploy.yaml:8:1" in ran.stdout + ran.stderr
    installed.stage("deploy.yaml", FIXED)
    ran = installed.commit()
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_very_first_commit_has_nothing_to_compare_with(user):
    user.wants(CHANGED, WHOLE)
    user.stage("cluster.yaml", NODES)
    user.stage("deploy.yaml", FIXED)
    assert user.pre_commit("install").returncode == 0
    ran = user.commit()
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert len(git(user.folder, "log", "--oneline").splitlines()) == 1


def test_fix_changes_the_file_and_the_next_try_passes(cluster):
    cluster.wants("{id: kubelint-gpu, args: [--inventory, cluster.yaml, --select, KLG101, --fix]}")
    cluster.stage("deploy.yaml", TRACKED)
    ran = cluster.pre_commit("run")
    assert ran.returncode == 1
    assert "files were modified by this hook" in ran.stdout
    assert "maxSurge: 0" in (cluster.folder / "deploy.yaml").read_text()
    git(cluster.folder, "add", "deploy.yaml")
    ran = cluster.pre_commit("run")
    assert ran.returncode == 0, ran.stdout


def test_what_is_staged_is_compared_with_head(installed):
    """A selector that moves to a free node rolls out, and a warning says that the moved manifest could not again."""
    installed.stage("deploy.yaml", TRACKED)
    installed.commit_unchecked()
    installed.stage(
        "deploy.yaml", TRACKED.replace("tracker-node", "gpu-1").replace("nvidia.com/gpu: 1", "nvidia.com/gpu: 2")
    )
    assert deadlock(installed.commit()) == ("warning", "next")
    installed.commit_unchecked()
    again = TRACKED.replace("tracker-node", "gpu-1").replace("nvidia.com/gpu: 1", "nvidia.com/gpu: 2")
    installed.stage("deploy.yaml", again.replace('value: "30"', 'value: "31"'))
    ran = installed.commit()
    assert ran.returncode == 1
    assert deadlock(ran) == ("error", "this")


def test_against_in_the_arguments_takes_the_place_of_head(cluster):
    cluster.stage("deploy.yaml", TRACKED.replace("tracker-node", "gpu-1"))
    cluster.commit_unchecked()
    git(cluster.folder, "tag", "released")
    cluster.stage("deploy.yaml", TRACKED)
    cluster.commit_unchecked()
    cluster.stage("deploy.yaml", TRACKED.replace('value: "30"', 'value: "31"'))
    cluster.wants(CHANGED)
    assert deadlock(cluster.pre_commit("run")) == ("error", "this")
    cluster.wants("{id: kubelint-gpu, args: [--inventory, cluster.yaml, --against, released]}")
    assert deadlock(cluster.pre_commit("run")) == ("warning", "next")


def test_what_a_commit_leaves_alone_is_judged_by_itself(cluster):
    """`run --all-files` in a CI job has nothing interchangeable, and finds what the hook would have found."""
    cluster.stage("deploy.yaml", TRACKED)
    cluster.wants(CHANGED)
    cluster.commit_unchecked()
    ran = cluster.pre_commit("run", "--all-files")
    assert ran.returncode == 1
    assert "KLG101" in codes(ran)


def test_a_range_of_commits_is_compared_with_its_beginning(cluster):
    cluster.wants(CHANGED)
    cluster.stage("deploy.yaml", TRACKED.replace("tracker-node", "gpu-1"))
    cluster.commit_unchecked()
    cluster.stage("deploy.yaml", TRACKED)
    cluster.commit_unchecked()
    cluster.stage("other.yaml", QUIET)
    cluster.commit_unchecked()
    ran = cluster.pre_commit("run", "--from-ref", "HEAD~2", "--to-ref", "HEAD")
    assert deadlock(ran) == ("warning", "next")
    assert deadlock(cluster.pre_commit("run", "--all-files")) == ("error", "this")


def test_an_untracked_neighbour_is_not_looked_at(cluster):
    cluster.wants(WHOLE)
    cluster.stage("deploy.yaml", FIXED)
    cluster.write("draft.yaml", TRACKED)
    ran = cluster.pre_commit("run")
    assert ran.returncode == 0, ran.stdout
    git(cluster.folder, "add", "draft.yaml")
    ran = cluster.pre_commit("run")
    assert ran.returncode == 1
    assert "draft.yaml:8:1" in ran.stdout


def test_an_unstaged_change_neither_saves_nor_spoils_a_commit(installed):
    installed.stage("deploy.yaml", TRACKED)
    installed.write("deploy.yaml", FIXED)
    ran = installed.commit()
    assert ran.returncode == 1
    assert "KLG101" in codes(ran)
    assert (installed.folder / "deploy.yaml").read_text() == FIXED
    installed.stage("deploy.yaml", FIXED)
    installed.write("deploy.yaml", TRACKED)
    ran = installed.commit()
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_a_deletion_starts_the_hook_for_the_repository_only(cluster):
    cluster.wants(CHANGED, WHOLE)
    classes = "priorityClasses:\n  - {name: batch, value: 10}\n"
    cluster.stage("cluster.yaml", (TRACKER / "inventory.yaml").read_text() + classes)
    cluster.stage("priority.yaml", PRIORITY)
    cluster.stage(
        "deploy.yaml", RECREATED.replace("      containers:", "      priorityClassName: vision\n      containers:")
    )
    ran = cluster.pre_commit("run")
    assert ran.returncode == 0, ran.stdout
    cluster.commit_unchecked()
    git(cluster.folder, "rm", "-q", "priority.yaml")
    ran = cluster.pre_commit("run")
    assert ran.returncode == 1
    assert codes(ran) == ["KLG302"]
    assert re.search(r"^kubelint-gpu\.+\(no files to check\)Skipped$", ran.stdout, re.MULTILINE)


def test_a_moved_file_is_compared_with_what_it_was(cluster):
    cluster.wants(WHOLE)
    cluster.stage("old/deploy.yaml", TRACKED.replace("tracker-node", "gpu-1"))
    cluster.commit_unchecked()
    git(cluster.folder, "rm", "-q", "old/deploy.yaml")
    cluster.stage("new/deploy.yaml", TRACKED)
    assert deadlock(cluster.pre_commit("run")) == ("warning", "next")


def test_a_changed_inventory_makes_every_manifest_a_target(installed):
    installed.stage("deploy.yaml", RECREATED)
    installed.commit_unchecked()
    installed.stage("cluster.yaml", NODES.replace("tracker-node", "other-node"))
    ran = installed.commit()
    assert ran.returncode == 1
    assert "deploy.yaml:" in ran.stdout + ran.stderr
    assert "KLG402" in codes(ran)


def test_a_changed_configuration_makes_every_manifest_a_target(cluster):
    cluster.wants("{id: kubelint-gpu}")
    cluster.stage("deploy.yaml", TRACKED)
    cluster.commit_unchecked()
    cluster.stage("README.json", "{}\n")
    assert codes(cluster.pre_commit("run")) == []
    cluster.stage(".kubelint-gpu.yaml", "inventory: cluster.yaml\n")
    assert "KLG101" in codes(cluster.pre_commit("run"))


def test_inventories_have_a_hook_that_takes_each_for_a_cluster_of_its_own(cluster):
    cluster.wants("{id: kubelint-gpu-inventory}")
    cluster.stage("inventories/east.yaml", NODES)
    cluster.stage("inventories/west.yaml", NODES)
    ran = cluster.pre_commit("run", "--all-files")
    assert ran.returncode == 0, ran.stdout
    cluster.stage("cluster.yaml", "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nnodes: 5\n")
    ran = cluster.pre_commit("run")
    assert ran.returncode == 1
    assert codes(ran) == ["KLG601"]


def test_more_names_than_fit_on_a_command_line_are_all_checked(cluster):
    cluster.wants("{id: kubelint-gpu, verbose: true, args: [--inventory, cluster.yaml]}")
    names = [f"{'long-name-' * 12}{number:04}.yaml" for number in range(1200)]
    assert sum(map(len, names)) > 128 * 1024
    for name in names:
        cluster.write(name, QUIET)
    cluster.write("zz.yaml", TRACKED)
    git(cluster.folder, "add", "-A")
    ran = cluster.pre_commit("run")
    assert ran.returncode == 1
    assert "zz.yaml:8:1" in ran.stdout
    assert len(re.findall(r"checked|^Checked", ran.stdout, re.MULTILINE)) == 2, ran.stdout


def test_odd_names_are_names(cluster):
    cluster.wants("{id: kubelint-gpu, args: [--inventory, cluster.yaml, --unit, file, --output-format, concise]}")
    names = ("with space.yaml", "検査.yaml", "-x.yaml", "--fix.yaml", "--output-file=x.yaml", "quo'te\".yaml")
    for number, name in enumerate(names):
        cluster.stage(name, TRACKED.replace("object-tracker", f"tracker-{number}"))
    ran = cluster.pre_commit("run")
    assert ran.returncode == 1
    for number, name in enumerate(names):
        assert f"{name}:8:1" in ran.stdout
        assert f"tracker-{number}" in (cluster.folder / name).read_text()


def test_the_manifest_of_hooks_is_valid_and_names_three(cluster):
    ran = cluster.pre_commit("validate-manifest", ROOT / ".pre-commit-hooks.yaml")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert [hook["id"] for hook in hooks] == ["kubelint-gpu", "kubelint-gpu-repository", "kubelint-gpu-inventory"]
    whole = hooks[1]
    assert (whole["pass_filenames"], whole["always_run"]) == (False, True)
