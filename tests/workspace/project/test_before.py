"""What is gone from the manifests keeps running, whether a revision or a path tells of it: nothing deletes it by itself."""

from __future__ import annotations

import shutil

import pytest
from command_line import check_json, kubelint
from revisions import KEEPS, ONE, git, small

GONE = "until Deployment default/chat is deleted, which the manifests no longer have, its 1 replica cannot run"
LATER = ("KLG101", "warning", "this change starts it, and the next rollout never ends")


@pytest.fixture
def compared(tmp_path):
    """Two versions of a directory, and what is found in the second, compared with a revision and with a path."""

    def found(before, after, *arguments, past="old", more=()):
        arguments = arguments or ("deploy",)
        for folder, files in (("deploy", before), ("old", before)):
            shutil.rmtree(tmp_path / folder, ignore_errors=True)
            for name, text in files.items():
                (tmp_path / folder / name).parent.mkdir(parents=True, exist_ok=True)
                (tmp_path / folder / name).write_text(text)
        (tmp_path / "cluster.yaml").write_text(ONE)
        if not (tmp_path / ".git").exists():
            git(tmp_path, "init", "-q")
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-q", "--allow-empty", "-m", "before")
        shutil.rmtree(tmp_path / "deploy")
        for name, text in after.items():
            (tmp_path / "deploy" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "deploy" / name).write_text(text)

        def told(against):
            ran = check_json(
                *arguments, "-i", "cluster.yaml", "--select", "KLG1", "--against", against, *more, cwd=tmp_path
            )
            return [(one["code"], one["severity"], one["message"].partition(":")[0]) for one in ran.json["findings"]]

        revision, path = told("HEAD"), told(f"path:{past}")
        assert revision == path
        return path

    return found


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"a.yaml": small("chat")}, {"a.yaml": small("talk")}),
        (
            {"a.yaml": small("chat"), "b.yaml": small("other", 0)},
            {"b.yaml": small("other", 0), "c.yaml": small("talk")},
        ),
        ({"x/a.yaml": small("chat")}, {"x/b.yaml": small("talk")}),
    ],
    ids=["renamed", "file-deleted", "folders"],
)
def test_a_workload_that_is_gone_keeps_what_it_holds(compared, before, after):
    assert compared(before, after) == [("KLG109", "warning", GONE)]


def test_that_it_cannot_start_is_told_beside_what_its_rollouts_do_later(compared, tmp_path):
    renamed = {"a.yaml": small("talk", strategy=KEEPS)}
    assert compared({"a.yaml": small("chat")}, renamed) == [("KLG109", "warning", GONE), LATER]
    checked = check_json("deploy", "-i", "cluster.yaml", "--select", "KLG1", "--against", "./old", cwd=tmp_path)
    assert [len(one["fixes"]) > 0 for one in checked.json["findings"]] == [False, True]


def test_a_single_file_is_compared_with_a_single_file_or_with_its_place_in_a_folder(compared):
    before, after = (
        {"a.yaml": small("chat"), "b.yaml": small("else")},
        {"a.yaml": small("talk"), "b.yaml": small("else")},
    )
    told = [("KLG109", "warning", GONE)]
    assert compared(before, after, "deploy/a.yaml", past="old/a.yaml") == told
    assert compared(before, after, "deploy/a.yaml") == told
    assert compared(before, after, "deploy/b.yaml") == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"a.yaml": small("chat")}, {"b.yaml": small("chat")}),
        ({"a.yaml": small("chat") + small("talk", 0)}, {"a.yaml": small("talk", 0), "b.yaml": small("chat")}),
    ],
    ids=["file-renamed", "moved"],
)
def test_what_moves_to_another_file_is_neither_gone_nor_new(compared, before, after):
    assert compared(before, after) == []


def test_of_files_that_are_alternatives_each_is_compared_with_its_own(compared):
    before = {"a.yaml": small("chat"), "b.yaml": small("chat", strategy=KEEPS)}
    after = {"a.yaml": small("chat"), "b.yaml": small("chat", strategy=KEEPS, args='          args: ["x"]\n')}
    assert compared(before, after) == [("KLG101", "error", "the rollout never ends")]


def test_a_new_file_is_new(compared):
    assert compared(
        {"a.yaml": small("else", 0)}, {"a.yaml": small("else", 0), "b.yaml": small("talk", strategy=KEEPS)}
    ) == [LATER]


def test_a_file_that_is_gone_from_elsewhere_is_none_of_those_that_are_checked(compared):
    before = {"x/a.yaml": small("chat"), "y/b.yaml": small("else", 0)}
    assert compared(before, {"y/b.yaml": small("talk")}, "deploy/y", past="old/y") == []


def test_what_goes_to_another_cluster_is_not_gone_from_this_one(compared, tmp_path):
    (tmp_path / ".kubelint-gpu.yaml").write_text("targets: {deploy/x/**: x.yaml, deploy/y/**: y.yaml}\n")
    (tmp_path / "x.yaml").write_text(ONE)
    (tmp_path / "y.yaml").write_text(ONE)
    before = {"x/a.yaml": small("chat"), "y/b.yaml": small("else", 0)}
    shutil.copy(tmp_path / ".kubelint-gpu.yaml", tmp_path / "c.yaml")

    def told(against):
        ran = check_json("deploy", "--select", "KLG1", "--against", against, cwd=tmp_path)
        return [one["code"] for one in ran.json["findings"]]

    compared(before, {"x/c.yaml": small("talk", 0), "y/b.yaml": small("talk")})
    assert told("HEAD") == told("./old") == []
    (tmp_path / "deploy" / "x" / "c.yaml").write_text(small("talk"))
    assert told("HEAD") == told("./old") == ["KLG109"]


def test_what_is_assumed_is_said(tmp_path):
    (tmp_path / "cluster.yaml").write_text(ONE)
    (tmp_path / "old.yaml").write_text(small("chat"))
    (tmp_path / "new.yaml").write_text(small("talk"))
    ran = kubelint("check", "new.yaml", "-i", "cluster.yaml", "--against", "old.yaml", cwd=tmp_path)
    assert "kubectl apply deletes nothing without --prune" in ran.out
    told = " ".join(kubelint("check", "--help", cwd=tmp_path).out.split())
    assert "Deleted objects keep running: nothing is pruned." in told


NOW = ("KLG101", "error", "the rollout never ends")
GONE_WITH_A_COMMIT = (
    "KLG109",
    "warning",
    "until Deployment default/chat is deleted, which the manifests no longer have, its 1 replica cannot run",
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
    assert told(folder, "a.yaml", how=how) == [GONE_WITH_A_COMMIT]


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


@pytest.mark.parametrize("how", ["--hook", "--against HEAD"])
def test_a_quota_that_stops_the_next_rollout_of_an_unchanged_neighbour_is_reported(folder, how):
    commit(folder, a=small("chat", 0, strategy=KEEPS))
    quota = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q}\nspec: {hard: {pods: '1'}}\n"
    write(folder, a=small("chat", 0, strategy=KEEPS), q=quota)
    paths = ["q.yaml"] if how == "--hook" else ["."]
    assert told(folder, *paths, how=how) == [
        ("KLG105", "warning", "with this change the next rollout of Deployment default/chat never ends")
    ]


QUOTA = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: default}\nspec: {hard: {pods: '%s'}}\n"
LIMITS = (
    "apiVersion: v1\nkind: LimitRange\nmetadata: {name: small, namespace: default}\n"
    "spec: {limits: [{type: Container, max: {nvidia.com/gpu: %s}}]}\n"
)


@pytest.mark.parametrize("how", ["--hook", "--against HEAD"])
@pytest.mark.parametrize(("before", "now", "ends"), [(2, 1, False), (3, 2, True)])
def test_a_quota_of_another_directory_that_stops_next_rollouts_is_reported(folder, how, before, now, ends):
    (folder / "apps").mkdir()
    text = small("chat", 0, strategy=KEEPS).replace("{name: chat", "{namespace: default, name: chat", 1)
    (folder / "apps" / "chat.yaml").write_text(text)
    commit(folder, quota=QUOTA % before)
    write(folder, quota=QUOTA % now)
    stopped = ("KLG105", "warning", "with this change the next rollout of Deployment default/chat never ends")
    assert told(folder, *(["quota.yaml"] if how == "--hook" else ["."]), how=how) == ([] if ends else [stopped])


def test_limits_of_another_directory_that_refuse_unchanged_pods_are_reported_in_the_hook(folder):
    (folder / "apps").mkdir()
    text = small("chat").replace("{name: chat", "{namespace: default, name: chat", 1)
    (folder / "apps" / "chat.yaml").write_text(text)
    commit(folder, limits=LIMITS % 8, quota=QUOTA % 9)
    write(folder, limits=LIMITS % 0, quota=QUOTA % 9)
    ask = ("-i", "cluster.yaml", "--select", "KLG003", "--hook")
    found = check_json("limits.yaml", *ask, cwd=folder).json["findings"]
    assert [(one["path"], one["severity"]) for one in found] == [("apps/chat.yaml", "error")]
    assert check_json("quota.yaml", *ask, cwd=folder).json["findings"] == []


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


def test_a_class_that_a_commit_deletes_is_missed_by_unchanged_workloads_of_any_namespace(folder):
    (folder / "apps").mkdir()
    text = small("chat").replace("{name: chat", "{namespace: ml, name: chat", 1)
    (folder / "apps" / "chat.yaml").write_text(
        text.replace("containers:", "priorityClassName: fast\n      containers:", 1)
    )
    slow = PRIORITY.replace("fast", "slow")
    commit(folder, classes=f"{PRIORITY}---\n{slow}", other=PRIORITY.replace("fast", "other"))
    ask = ("-i", "cluster.yaml", "--select", "KLG302", "--hook")

    def missed(*paths):
        found = check_json(*paths, *ask, cwd=folder).json["findings"]
        return [(one["path"], one["message"].partition(",")[0]) for one in found]

    write(folder, classes=slow)
    expected = [("apps/chat.yaml", "once PriorityClass fast is deleted")]
    assert missed("classes.yaml") == missed(".") == expected
    write(folder, classes=f"{slow}---\n{PRIORITY}")
    assert missed("classes.yaml") == []
    (folder / "classes.yaml").unlink()
    write(folder, other=PRIORITY.replace("fast", "more"))
    assert [path for path, _ in missed("other.yaml")] == ["apps/chat.yaml"]


BUDGET = (
    "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: all, namespace: default}\n"
    "spec: {minAvailable: %s, selector: {matchLabels: {app: chat}}}\n"
)


def test_a_budget_of_another_directory_that_stops_drains_is_reported_in_the_hook(folder):
    (folder / "apps").mkdir()
    text = small("chat").replace("{name: chat", "{namespace: default, name: chat", 1)
    (folder / "apps" / "chat.yaml").write_text(text)
    commit(folder, budget=BUDGET % 0)
    write(folder, budget=BUDGET % 1)
    found = check_json("budget.yaml", "-i", "cluster.yaml", "--select", "KLG112", "--hook", cwd=folder).json["findings"]
    assert [one["code"] for one in found] == ["KLG112"]
