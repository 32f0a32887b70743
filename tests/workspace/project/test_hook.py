"""--hook: what is new in a commit is judged like what is new in comparison with a revision, and so is what it takes away."""

from __future__ import annotations

import pytest
from command_line import check_json
from revisions import KEEPS, ONE, git, small

LATER = ("KLG101", "warning", "this change starts it, and the next rollout never ends")
NOW = ("KLG101", "error", "the rollout never ends")
GONE = (
    "KLG109",
    "warning",
    "until Deployment default/chat is deleted, which the manifests no longer have, only 0 of 1 replica can run",
)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "cluster.yaml").write_text(ONE)
    git(tmp_path, "init", "-q")
    return tmp_path


def commit(folder, **files):
    write(folder, **files)
    git(folder, "commit", "-qm", "x")


def write(folder, **files):
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text)
    git(folder, "add", "-A")


def told(folder, *paths, how="--hook"):
    ran = check_json(*paths, "-i", "cluster.yaml", "--select", "KLG1", *how.split(), cwd=folder)
    return [(one["code"], one["severity"], one["message"].partition(":")[0]) for one in ran.json["findings"]]


@pytest.mark.parametrize("how", ["--hook", "--against HEAD"])
def test_a_new_workload_has_no_old_pods_and_its_next_rollout_is_judged(folder, how):
    commit(folder, a=small("quiet", 0))
    write(folder, a=small("quiet", 0) + small("chat", strategy=KEEPS))
    assert told(folder, "a.yaml", how=how) == [LATER]
    write(folder, a=small("quiet", 0), b=small("chat", strategy=KEEPS))
    assert told(folder, "a.yaml", "b.yaml", how=how) == [LATER]


def test_in_the_first_commit_everything_is_new(folder):
    write(folder, a=small("chat", strategy=KEEPS))
    assert told(folder, "a.yaml") == [LATER]


def test_what_a_commit_leaves_alone_is_judged_by_its_next_rollout_and_what_it_changes_by_this_one(folder):
    commit(folder, a=small("chat", strategy=KEEPS))
    assert told(folder, "a.yaml") == [NOW]
    write(folder, a=small("chat", strategy=KEEPS) + small("quiet", 0))
    assert told(folder, "a.yaml") == [NOW]
    write(folder, a=small("chat", strategy=KEEPS, args='          args: ["x"]\n'))
    assert told(folder, "a.yaml") == [NOW]


def test_what_moves_to_another_file_is_not_new(folder):
    commit(folder, a=small("chat", strategy=KEEPS) + small("quiet", 0))
    write(folder, a=small("quiet", 0), b=small("chat", strategy=KEEPS, args='          args: ["x"]\n'))
    assert told(folder, "a.yaml", "b.yaml") == [NOW]
    git(folder, "mv", "a.yaml", "c.yaml")
    assert told(folder, "b.yaml", "c.yaml") == [NOW]


def test_of_a_list_that_is_split_what_comes_from_the_other_half_is_not_new(folder):
    commit(folder, a=small("chat", strategy=KEEPS) + small("quiet", 0))
    write(folder, a=small("quiet", 0), b=small("chat", strategy=KEEPS, args='          args: ["x"]\n'))
    assert told(folder, "b.yaml") == [NOW]


@pytest.mark.parametrize("how", ["--hook", "--against HEAD"])
def test_a_renamed_workload_waits_for_what_it_was(folder, how):
    commit(folder, a=small("chat"))
    write(folder, a=small("talk"))
    assert told(folder, "a.yaml", how=how) == [GONE]


def test_of_a_list_that_is_split_what_stands_in_the_other_half_is_not_gone(folder):
    commit(folder, a=small("quiet", 0), b=small("chat"))
    write(folder, a=small("quiet", 0) + small("talk"), b=small("chat", args='          args: ["x"]\n'))
    assert told(folder, "a.yaml", how="--hook --unit file") == []


def test_the_unchanged_neighbours_of_a_file_are_seen_and_nothing_is_reported_of_them(folder):
    commit(folder, a=small("quiet", 0), b=small("chat"))
    write(folder, a=small("quiet", 0) + small("talk"), b=small("chat"))
    alone, beside = told(folder, "a.yaml", how="--hook --unit file"), told(folder, "a.yaml")
    assert beside != alone
    ran = check_json("a.yaml", "-i", "cluster.yaml", "--select", "KLG1", "--hook", cwd=folder)
    assert {one["path"] for one in ran.json["findings"]} == {"a.yaml"}


PRIORITY = "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: fast}\nvalue: 10\n"


@pytest.mark.parametrize("how", ["--hook", ""])
def test_a_class_may_stand_in_any_directory_of_the_repository(folder, how):
    commit(folder, a=small("quiet", 0))
    write(folder, a=small("chat", 0).replace("containers:", "priorityClassName: fast\n      containers:", 1))
    ask = ("a.yaml", "-i", "cluster.yaml", "--select", "KLG302", *how.split())
    assert check_json(*ask, cwd=folder).codes == ["KLG302"]
    (folder / "platform").mkdir()
    (folder / "platform" / "classes.yaml").write_text(PRIORITY)
    git(folder, "add", "-A")
    assert check_json(*ask, cwd=folder).codes == []
    (folder / "platform" / "classes.yaml").write_text(PRIORITY.replace("fast", "slow"))
    git(folder, "add", "-A")
    assert check_json(*ask, cwd=folder).codes == ["KLG302"]
