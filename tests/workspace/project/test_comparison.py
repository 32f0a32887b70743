"""--against: what runs now is another revision of the manifests."""

from __future__ import annotations

import pytest
from command_line import READY as TRACKED
from command_line import TRACKER, check_json, kubelint
from revisions import KEEPS, ONE, git, small


@pytest.fixture
def repository(tmp_path):
    (tmp_path / "deploy").mkdir()
    (tmp_path / "cluster.yaml").write_text((TRACKER / "nodes.yaml").read_text())
    (tmp_path / "deploy" / "tracker.yaml").write_text(TRACKED)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "first")
    return tmp_path


def changed(repository, *replacements):
    text = TRACKED
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    (repository / "deploy" / "tracker.yaml").write_text(text)


def codes(repository, *options):
    return check_json("deploy", "-i", "cluster.yaml", "--select", "KLG1", *options, cwd=repository).codes


def test_a_selector_that_moves_to_a_free_node_rolls_out(repository):
    changed(repository, ("tracker-node", "gpu-1"))
    assert codes(repository, "--against", "HEAD") == []


def test_a_request_that_grows_beyond_what_is_left_beside_the_old_pod_is_a_deadlock(repository):
    changed(repository, ("hostname: tracker-node", "hostname: gpu-1"))
    git(repository, "commit", "-qam", "moved")
    assert codes(repository, "--against", "HEAD") == []
    changed(repository, ("hostname: tracker-node", "hostname: gpu-1"), ("nvidia.com/gpu: 1", "nvidia.com/gpu: 2"))
    assert codes(repository, "--against", "HEAD") == ["KLG101"]


def test_a_path_serves_as_well_as_a_revision(repository, tmp_path):
    old = tmp_path / "old"
    old.mkdir()
    (old / "was.yaml").write_text(TRACKED)
    changed(repository, ("tracker-node", "gpu-1"))
    assert codes(repository, "--against", old) == []


def test_a_strategy_changed_in_the_same_commit_counts(repository):
    changed(repository, ("  replicas: 1\n", "  replicas: 1\n  strategy: {type: Recreate}\n"))
    assert codes(repository, "--against", "HEAD") == []


def test_a_workload_that_was_not_there_is_judged_as_it_is(repository):
    changed(repository, ("name: object-tracker", "name: other-tracker"))
    assert codes(repository, "--against", "HEAD") == ["KLG101", "KLG109"]


def test_a_file_that_was_renamed_still_holds_the_same_workload(repository):
    (repository / "deploy" / "tracker.yaml").rename(repository / "deploy" / "renamed.yaml")
    assert codes(repository, "--against", "HEAD") == []
    text = TRACKED.replace('value: "30"', 'value: "31"')
    assert text != TRACKED
    (repository / "deploy" / "renamed.yaml").write_text(text)
    assert codes(repository, "--against", "HEAD") == ["KLG101"]


def test_a_workload_that_moved_to_another_file_is_the_same_one(repository):
    (repository / "deploy" / "tracker.yaml").write_text("apiVersion: v1\nkind: Namespace\nmetadata: {name: vision}\n")
    (repository / "deploy" / "other.yaml").write_text(TRACKED)
    assert codes(repository, "--against", "HEAD") == []


@pytest.fixture
def overlay(repository):
    folder = repository / "overlay"
    folder.mkdir()
    (folder / "kustomization.yaml").write_text("resources: [../deploy]\nnameSuffix: -prod\n")
    (repository / "deploy" / "kustomization.yaml").write_text("resources: [tracker.yaml]\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "an overlay")
    return repository


def overlaid(repository, *options):
    return check_json("overlay", "deploy", "-i", "cluster.yaml", "--select", "KLG1", *options, cwd=repository).codes


def test_an_old_kustomization_is_rendered_from_the_revision_and_not_from_the_work_tree(overlay):
    assert overlaid(overlay) == ["KLG101"]
    assert overlaid(overlay, "--against", "HEAD") == []
    changed(overlay, ('value: "30"', 'value: "31"'))
    assert overlaid(overlay, "--against", "HEAD") == ["KLG101"]
    changed(overlay, ("tracker-node", "gpu-1"))
    assert overlaid(overlay, "--against", "HEAD") == []


def test_a_patch_that_moves_the_selector_is_compared_with_what_was_rendered(overlay):
    (overlay / "overlay" / "patch.yaml").write_text(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: object-tracker, namespace: vision}\n"
        "spec: {template: {spec: {nodeSelector: {kubernetes.io/hostname: gpu-1}}}}\n"
    )
    (overlay / "overlay" / "kustomization.yaml").write_text(
        "resources: [../deploy]\nnameSuffix: -prod\npatches: [{path: patch.yaml}]\n"
    )
    assert overlaid(overlay, "--against", "HEAD") == []


@pytest.mark.parametrize("revision", ["--output=stolen", "HEAD --output=stolen", "HEAD:deploy", "-h"])
def test_a_revision_is_never_an_option_of_git(repository, revision):
    ran = kubelint("check", "deploy", f"--against={revision}", cwd=repository)
    assert ran.code == 2
    assert not (repository / "stolen").exists()


@pytest.mark.parametrize("revision", ["nosuchrevision", "--help", "-x"])
def test_what_is_no_revision_fails_the_run(repository, revision):
    ran = kubelint("check", "deploy", "-i", "cluster.yaml", f"--against={revision}", cwd=repository)
    assert ran.code == 2
    assert "--against" in ran.err


def test_outside_of_a_repository_it_fails_the_run(tmp_path):
    (tmp_path / "a.yaml").write_text(TRACKED)
    ran = kubelint(
        "check", "a.yaml", "--against", "HEAD", cwd=tmp_path, env={"GIT_CEILING_DIRECTORIES": str(tmp_path.parent)}
    )
    assert ran.code == 2
    assert "not a git repository" in ran.err


def test_an_unchanged_template_is_not_rolled_out(repository):
    assert codes(repository, "--against", "HEAD") == []
    changed(repository, ("replicas: 1", "replicas: 2"), ("hostname: tracker-node", "hostname: gpu-1"))
    git(repository, "commit", "-qam", "two on two GPUs")
    changed(
        repository,
        ("replicas: 1", "replicas: 2"),
        ("hostname: tracker-node", "hostname: gpu-1"),
        ('value: "30"', 'value: "31"'),
    )
    assert codes(repository, "--against", "HEAD") == ["KLG101"]


def test_a_commit_that_repairs_a_pod_that_could_not_run_is_no_deadlock(repository):
    changed(repository, ("nvidia.com/gpu: 1", "nvidia.com/gpu: 9"), ("hostname: tracker-node", "hostname: gpu-1"))
    git(repository, "commit", "-qam", "too many")
    changed(repository, ("hostname: tracker-node", "hostname: gpu-1"))
    assert codes(repository, "--against", "HEAD") == []


def test_a_field_that_no_update_may_change_is_found_only_in_comparison(repository):
    changed(repository, ("app: object-tracker", "app: tracker"))
    immutable = ("deploy", "-i", "cluster.yaml", "--select", "KLG009")
    assert check_json(*immutable, cwd=repository).codes == []
    assert check_json(*immutable, "--against", "HEAD", cwd=repository).codes == ["KLG009"]


@pytest.fixture
def plain(tmp_path):
    """A repository with one Deployment on the only GPU, and what a change of its file finds."""
    (tmp_path / "cluster.yaml").write_text(ONE)
    (tmp_path / "a.yaml").write_text(small("chat"))
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "first")

    def found(text, *options, file="a.yaml", path=""):
        (tmp_path / file).write_text(text)
        options = options or ("--against", "HEAD")
        ran = check_json(path or file, "-i", "cluster.yaml", "--select", "KLG1", *options, cwd=tmp_path)
        return [(one["code"], one["severity"], one["message"].partition(":")[0]) for one in ran.json["findings"]]

    return found


def test_a_new_workload_has_no_old_pods_and_waits_for_those_that_are_there(plain):
    told = [("KLG109", "error", "its 1 replica cannot run beside the other workloads")]
    assert plain(small("chat") + small("more")) == told
    deadlock = [("KLG101", "warning", "this change starts it, and the next rollout never ends")]
    assert plain(small("other", strategy=KEEPS), file="b.yaml") == deadlock
    waits = "until Deployment default/chat is deleted, which the manifests no longer have, its 1 replica cannot run"
    assert plain(small("other", strategy=KEEPS), "--against", "a.yaml", file="b.yaml") == [
        ("KLG109", "warning", waits),
        *deadlock,
    ]
    assert plain(small("other", strategy=KEEPS), "--ignore", "KLG114", file="b.yaml") == [
        ("KLG101", "error", "the rollout never ends")
    ]


def test_a_renamed_workload_waits_until_what_it_was_is_deleted(plain):
    assert plain(small("talk")) == [
        (
            "KLG109",
            "warning",
            "until Deployment default/chat is deleted, which the manifests no longer have, its 1 replica cannot run",
        )
    ]
    assert plain(small("talk"), "--ignore", "KLG114") == []


def test_a_workload_that_moves_to_another_file_is_not_gone(plain, tmp_path):
    (tmp_path / "a.yaml").unlink()
    assert plain(small("chat"), file="b.yaml", path=".") == []


def test_arguments_that_change_roll_the_pods_out(plain, tmp_path):
    (tmp_path / "a.yaml").write_text(small("chat", strategy=KEEPS))
    git(tmp_path, "commit", "-qam", "keeps")
    assert plain(small("chat", strategy=KEEPS)) == []
    assert plain(small("chat", strategy=KEEPS, args='          args: ["--verbose"]\n')) == [
        ("KLG101", "error", "the rollout never ends")
    ]
