"""--fix and --diff: what they change, and that nothing else changes."""

from __future__ import annotations

import stat
import subprocess

import pytest
from command_line import TRACKER, check_json, kubelint

NODES = TRACKER / "nodes.yaml"


@pytest.fixture
def manifest(tmp_path):
    path = tmp_path / "deploy" / "tracker.yaml"
    path.parent.mkdir()
    path.write_bytes((TRACKER / "tracker.yaml").read_bytes())
    return path


def test_fix_makes_the_safe_fix_and_reports_what_is_left(manifest, tmp_path):
    before = manifest.read_text()
    ran = kubelint("check", manifest, "-i", NODES, "--fix", "--output-format", "json", cwd=tmp_path)
    assert ran.serious == []
    assert "fixed KLG101" in ran.err
    added = "  strategy:\n    type: RollingUpdate\n    rollingUpdate:\n      maxSurge: 0\n      maxUnavailable: 1\n"
    assert manifest.read_text().replace(added, "") == before


def test_a_second_fix_changes_nothing(manifest, tmp_path):
    kubelint("check", manifest, "-i", NODES, "--fix", cwd=tmp_path)
    once = manifest.read_bytes()
    kubelint("check", manifest, "-i", NODES, "--fix", cwd=tmp_path)
    assert manifest.read_bytes() == once


@pytest.mark.parametrize("name", ["c\nd\x1b[31m.yaml", 'say "a\\b".yaml', "größe.yaml"])
def test_a_file_name_is_quoted_in_a_diff_as_git_reads_it(name, manifest, tmp_path):
    (tmp_path / name).write_bytes(manifest.read_bytes())
    ran = kubelint("check", name, "-i", NODES, "--diff", cwd=tmp_path)
    assert len(ran.out.split("\n--- ")) == 1
    assert "\x1b" not in ran.out
    subprocess.run(["git", "apply", "-p0", "-"], input=ran.out.encode(), cwd=tmp_path, check=True)
    kubelint("check", manifest, "-i", NODES, "--fix", cwd=tmp_path)
    assert (tmp_path / name).read_bytes() == manifest.read_bytes()


def test_diff_shows_the_change_and_writes_nothing(manifest, tmp_path):
    before = manifest.read_bytes()
    ran = kubelint("check", manifest, "-i", NODES, "--diff", cwd=tmp_path)
    assert ran.code == 1
    assert "+    rollingUpdate:" in ran.out
    assert manifest.read_bytes() == before


def test_permissions_line_ends_and_byte_order_mark_are_kept(manifest, tmp_path):
    data = b"\xef\xbb\xbf" + manifest.read_bytes().replace(b"\n", b"\r\n")
    manifest.write_bytes(data)
    manifest.chmod(0o640)
    kubelint("check", manifest, "-i", NODES, "--fix", cwd=tmp_path)
    after = manifest.read_bytes()
    assert after != data
    assert after.startswith(b"\xef\xbb\xbf")
    assert after.count(b"\n") == after.count(b"\r\n")
    assert stat.S_IMODE(manifest.stat().st_mode) == 0o640


def test_a_link_out_of_the_repository_is_not_followed(manifest, tmp_path):
    repository = tmp_path / "repository"
    repository.mkdir()
    link = repository / "linked.yaml"
    link.symlink_to(manifest)
    before = manifest.read_bytes()
    ran = kubelint("check", "linked.yaml", "-i", NODES, "--fix", cwd=repository)
    assert ran.code == 2
    assert "outside" in ran.err
    assert manifest.read_bytes() == before


def test_a_link_inside_the_repository_is_followed_and_stays_a_link(manifest, tmp_path):
    link = tmp_path / "linked.yaml"
    link.symlink_to(manifest)
    assert kubelint("check", "linked.yaml", "-i", NODES, "--fix", cwd=tmp_path).code == 0
    assert link.is_symlink()
    assert "maxSurge: 0" in manifest.read_text()


def test_standard_input_is_not_fixed_in_place():
    ran = kubelint("check", "-", "--fix", stdin=b"kind: A\n")
    assert ran.code == 2
    assert "--diff" in ran.err


def test_unsafe_fixes_are_made_only_when_asked_for(manifest, tmp_path):
    inventory = tmp_path / "cluster.yaml"
    inventory.write_text(
        f"{(TRACKER / 'inventory.yaml').read_text()}priorityClasses: [{{name: gpu-serving, value: 1000}}]\n"
    )
    text = manifest.read_text().replace("    spec:\n", "    spec:\n      priorityClassName: gpu-servin\n", 1)
    manifest.write_text(text.replace("  replicas: 1\n", "  replicas: 1\n  strategy: {type: Recreate}\n", 1))
    before = manifest.read_text()
    assert check_json(manifest, "-i", inventory).serious == ["KLG302"]
    kubelint("check", manifest, "-i", inventory, "--fix", cwd=tmp_path)
    assert manifest.read_text() == before
    one = ("--select", "KLG302", "--fix", "--unsafe-fixes")
    ran = kubelint("check", manifest, "-i", inventory, *one, cwd=tmp_path)
    assert "fixed KLG302" in ran.err
    assert manifest.read_text() == before.replace("gpu-servin\n", "gpu-serving\n")


def test_a_fix_that_would_bring_another_error_is_not_offered(manifest):
    """The right name of the node would bring the deadlock: the name is suggested, not written."""
    manifest.write_text(manifest.read_text().replace("hostname: tracker-node", "hostname: traker-node"))
    found = next(one for one in check_json(manifest, "-i", NODES).json["findings"] if one["code"] == "KLG402")
    assert found["fixes"] == []


def test_only_what_is_reported_is_fixed(manifest, tmp_path):
    before = manifest.read_bytes()
    kubelint("check", manifest, "-i", NODES, "--fix", "--ignore", "KLG101", cwd=tmp_path)
    assert manifest.read_bytes() == before


def test_a_diff_that_does_not_mend_everything_exits_1(manifest, tmp_path):
    """KLG301 is left, and nothing mends it."""
    nodes = tmp_path / "cluster.yaml"
    nodes.write_text(
        f"{(TRACKER / 'inventory.yaml').read_text()}priorityClasses: [{{name: gpu-serving, value: 1000}}]\n"
    )
    kubelint("check", manifest, "-i", nodes, "--fix", cwd=tmp_path)
    ran = kubelint("check", manifest, "-i", nodes, "--diff", cwd=tmp_path)
    assert (ran.code, ran.out) == (1, "")
    assert kubelint("check", manifest, "-i", nodes, "--diff", "--exit-zero", cwd=tmp_path).code == 0
    assert kubelint("check", manifest, "-i", nodes, "--diff", "--ignore", "KLG301", cwd=tmp_path).code == 0
    accepted = tmp_path / "accepted.json"
    kubelint("check", manifest, "-i", nodes, "--write-baseline", accepted, cwd=tmp_path)
    assert kubelint("check", manifest, "-i", nodes, "--diff", "--baseline", accepted, cwd=tmp_path).code == 0


def test_a_fix_that_cannot_be_made_is_told_with_its_cause(tmp_path):
    path = tmp_path / "deployment.yaml"
    path.write_text(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a, annotations: {class: &class servin}}\n"
        "spec:\n  strategy: {type: Recreate}\n  selector: {matchLabels: {app: a}}\n"
        "  template:\n    metadata: {labels: {app: a}}\n"
        "    spec: {priorityClassName: *class, containers: [{name: a, image: a}]}\n"
    )
    (tmp_path / "cluster.yaml").write_text(
        "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nnodes: [{name: a, allocatable: {cpu: 1}}]\n"
        "priorityClasses: [{name: serving, value: 1}]\n"
    )
    ran = kubelint("check", path, "-i", "cluster.yaml", "--fix", "--unsafe-fixes", cwd=tmp_path)
    assert (
        "deployment.yaml:9: KLG302 is not fixed: use PriorityClass serving: the value comes from an anchor" in ran.err
    )
    assert ran.code == 1


def test_a_fix_of_a_note_is_made_where_its_code_is_selected(manifest, tmp_path):
    before = manifest.read_text()
    ran = kubelint("check", manifest, "--fix", cwd=tmp_path)
    assert (ran.code, manifest.read_text()) == (0, before)
    assert "KLG114" in ran.out
    kubelint("check", manifest, "--fix", "--unsafe-fixes", "--select", "KLG1", cwd=tmp_path)
    assert manifest.read_text() == before
    kubelint("check", manifest, "--fix", "--unsafe-fixes", "--select", "KLG114", cwd=tmp_path)
    assert "maxSurge: 0" in manifest.read_text()
