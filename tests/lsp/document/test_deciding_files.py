"""What other files of the repository bring is known."""

from __future__ import annotations

import pytest
from editor import TRACKER, checked, codes
from lsprotocol import types

pytestmark = pytest.mark.asyncio(loop_scope="session")


TEXT = (TRACKER / "tracker.yaml").read_text()


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
    assert codes(found) == [one["code"] for one in told] == ["KLG109"]
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
