"""Documents are checked with the configuration, the inventory and the unit as they are in the editor."""

from __future__ import annotations

import pytest
from editor import TRACKER, checked, codes
from lsprotocol import types

pytestmark = pytest.mark.asyncio(loop_scope="session")


TEXT = (TRACKER / "tracker.yaml").read_text()


async def test_the_inventory_as_it_is_typed_decides(folder, desk):
    async with desk(folder) as editor:
        editor.open("tracker.yaml")
        assert codes(await editor.diagnostics("tracker.yaml")) == ["KLG101"]
        editor.open("cluster.yaml")
        await editor.diagnostics("cluster.yaml")
        lines = editor.texts["cluster.yaml"].split("\n")
        number = next(index for index, line in enumerate(lines) if "nvidia.com/gpu: '1'" in line)
        editor.change("cluster.yaml", lines[number].replace("'1'", "'2'"), ((number, 0), (number, len(lines[number]))))
        await editor.until(lambda one: one.uri == editor.uri("tracker.yaml") and codes(one.diagnostics) == ["KLG118"])


async def test_the_configuration_decides_and_its_errors_stand_in_it(folder, desk):
    async with desk(folder) as editor:
        editor.open("tracker.yaml")
        assert codes(await editor.diagnostics("tracker.yaml")) == ["KLG101"]
        editor.open(".kubelint-gpu.yaml")
        editor.change(".kubelint-gpu.yaml", "inventry: cluster.yaml\n")
        broken = await editor.until(lambda one: one.uri == editor.uri(".kubelint-gpu.yaml") and one.diagnostics)
        assert 'unknown key "inventry"; did you mean inventory?' in broken.diagnostics[0].message
        assert str(broken.diagnostics[0].range) == "0:0-0:8"
        left = await editor.until(lambda one: one.uri == editor.uri("tracker.yaml"))
        assert "cannot be used" in left.diagnostics[0].message
        editor.change(".kubelint-gpu.yaml", "inventory: cluster.yaml\nselect: KLG9\n")
        wrong = await editor.until(lambda one: one.uri == editor.uri(".kubelint-gpu.yaml") and one.diagnostics)
        assert 'there is no rule "KLG9"' in wrong.diagnostics[0].message
        assert str(wrong.diagnostics[0].range) == "1:8-1:12"
        editor.change(".kubelint-gpu.yaml", "inventory: [cluster.yaml, absent.yaml]\n")
        absent = await editor.until(
            lambda one: one.uri == editor.uri(".kubelint-gpu.yaml") and "absent" in str(one.diagnostics)
        )
        assert str(absent.diagnostics[0].range) == "0:26-0:37"
        editor.change(".kubelint-gpu.yaml", "inventory: cluster.yaml\nselect: KLG301\n")
        await editor.until(lambda one: codes(one.diagnostics) == ["KLG301"])


async def test_a_unit_is_checked_with_what_is_open_in_the_editor(folder, desk):
    (folder / ".kubelint-gpu.yaml").write_text("inventory: cluster.yaml\nunits: {vision: ['*.yaml']}\nselect: KLG007\n")
    (folder / "twin.yaml").write_text("kind: ConfigMap\napiVersion: v1\nmetadata: {name: other}\n")
    async with desk(folder) as editor:
        editor.open("one.yaml", "kind: ConfigMap\napiVersion: v1\nmetadata: {name: same}\n")
        assert await editor.diagnostics("one.yaml") == []
        editor.open("twin.yaml")
        editor.change("twin.yaml", "kind: ConfigMap\napiVersion: v1\nmetadata: {name: same}\n")
        twice = await editor.until(lambda one: codes(one.diagnostics) == ["KLG007"])
        names = {editor.uri("one.yaml"), editor.uri("twin.yaml")}
        assert twice.uri in names
        assert {each.location.uri for each in twice.diagnostics[0].related_information} <= names


async def test_two_folders_have_their_own_configurations(tmp_path, desk):
    root = tmp_path.resolve()
    for name, text in (("a", "select: KLG114\n"), ("b", "ignore: KLG114\n")):
        (root / name).mkdir()
        (root / name / ".kubelint-gpu.yaml").write_text(text)
        (root / name / "tracker.yaml").write_text(TEXT)
    async with desk(root) as editor:
        editor.open("a/tracker.yaml")
        assert codes(await editor.diagnostics("a/tracker.yaml")) == ["KLG114"]
        editor.open("b/tracker.yaml")
        assert "KLG114" not in codes(await editor.diagnostics("b/tracker.yaml"))


async def test_what_runs_beside_decides_in_the_editor_as_on_the_command_line(folder, desk):
    """The neighbour holds the GPU that the tracker needs for its rollout; the editor knows what the context says."""
    (folder / "deployed").mkdir()
    other = TEXT.replace("object-tracker", "neighbour")
    (folder / "deployed" / "neighbour.yaml").write_text(other)
    for context in ("", "context: [deployed/**]\n"):
        (folder / ".kubelint-gpu.yaml").write_text(f"inventory: cluster.yaml\nselect: [KLG1, KLG2]\n{context}")
        told = [one for one in checked(folder) if one["path"] == "tracker.yaml"]
        async with desk(folder) as editor:
            editor.open("tracker.yaml")
            found = await editor.diagnostics("tracker.yaml")
        # at a line of its own the editor shows what is a line of another finding elsewhere
        lines = {related["message"] for one in told for related in one["related"]}
        whole = [(one.code, one.message) for one in found if f"{one.message} ({one.code})" not in lines]
        assert sorted(whole) == sorted((one["code"], one["message"]) for one in told)
        assert ("KLG109" in [one["code"] for one in told]) == bool(context)


async def test_a_class_that_another_file_of_the_repository_brings_is_known(folder, desk):
    text = TEXT.replace("      containers:", "      priorityClassName: mine\n      containers:")
    (folder / ".kubelint-gpu.yaml").write_text("inventory: cluster.yaml\nselect: KLG302\n")
    async with desk(folder) as editor:
        editor.open("tracker.yaml", text)
        assert codes(await editor.diagnostics("tracker.yaml")) == ["KLG302"]
        (folder / "classes.yaml").write_text(
            "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: mine}\nvalue: 7\n"
        )
        editor.client.workspace_did_change_watched_files(
            types.DidChangeWatchedFilesParams(
                [types.FileEvent(editor.uri("classes.yaml"), types.FileChangeType.Created)]
            )
        )
        await editor.until(lambda one: one.uri == editor.uri("tracker.yaml") and not one.diagnostics)


async def test_the_files_of_a_directory_are_one_unit_in_the_editor_as_on_the_command_line(folder, desk):
    """The command reports one finding of both files where the editor reports one in each."""
    (folder / ".kubelint-gpu.yaml").write_text("inventory: cluster.yaml\nselect: KLG1\n")
    (folder / "a.yaml").write_text(TEXT.replace("object-tracker", "neighbour"))
    told = [one for one in checked(folder) if one["path"] == "tracker.yaml"]
    async with desk(folder) as editor:
        editor.open("tracker.yaml")
        found = await editor.diagnostics("tracker.yaml")
    assert sorted(codes(found)) == sorted(one["code"] for one in told) == ["KLG101", "KLG109"]
    (folder / "a.yaml").write_text(TEXT)
    assert [one["code"] for one in checked(folder) if one["path"] == "tracker.yaml"] == ["KLG101"]
    async with desk(folder) as editor:
        editor.open("tracker.yaml")
        assert codes(await editor.diagnostics("tracker.yaml")) == ["KLG101"]


async def test_a_quota_of_another_directory_decides_in_the_editor_as_on_the_command_line(folder, desk):
    (folder / ".kubelint-gpu.yaml").write_text("inventory: cluster.yaml\nselect: KLG109\n")
    (folder / "policy").mkdir()
    meta, hard = "metadata: {name: gpus, namespace: vision}", "spec: {hard: {requests.nvidia.com/gpu: 0}}"
    (folder / "policy" / "quota.yaml").write_text(f"apiVersion: v1\nkind: ResourceQuota\n{meta}\n{hard}\n")
    for more in ("", TEXT):
        (folder / "policy" / "web.yaml").write_text(more)
        told = [one["message"] for one in checked(folder) if one["path"] == "tracker.yaml"]
        async with desk(folder) as editor:
            editor.open("tracker.yaml")
            assert [one.message for one in await editor.diagnostics("tracker.yaml")] == told
        assert bool(told) == (not more)
