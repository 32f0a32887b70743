"""Findings reach the editor while somebody types."""

from __future__ import annotations

import shutil

import pytest
from editor import ROOT, TRACKER, checked, codes, editing
from lsprotocol import types

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEXT = (TRACKER / "tracker.yaml").read_text()
FIXED = "  strategy:\n    rollingUpdate: {maxSurge: 0, maxUnavailable: 1}\n"


async def test_a_deadlock_comes_goes_and_comes_back_as_one_types(folder, desk):
    async with desk(folder) as editor:
        editor.open("tracker.yaml")
        found = await editor.diagnostics("tracker.yaml")
        assert codes(found) == ["KLG101"]
        one = found[0]
        assert one.severity == types.DiagnosticSeverity.Error
        assert one.source == "kubelint-gpu"
        assert one.message.startswith("the rollout never ends")
        assert one.code_description.href.endswith("KLG101-rollout-deadlock/README.md")
        assert str(one.range) == "7:0-7:4"
        assert {each.location.uri for each in one.related_information} == {
            editor.uri("tracker.yaml"),
            editor.uri("cluster.yaml"),
        }
        place = next(each for each in one.related_information if each.location.uri == editor.uri("tracker.yaml"))
        assert place.location.range.start.line in (7, 38, 40)
        editor.change("tracker.yaml", FIXED, ((8, 0), (8, 0)))
        assert codes(await editor.diagnostics("tracker.yaml")) == []
        editor.change("tracker.yaml", "", ((8, 0), (10, 0)))
        assert codes(await editor.diagnostics("tracker.yaml")) == ["KLG101"]


async def test_the_same_findings_as_on_the_command_line(folder, desk):
    (folder / ".kubelint-gpu.yaml").write_text("inventory: cluster.yaml\nseverity: {KLG301: note}\n")
    reported = checked(folder)
    wanted = [
        (one["code"], one["line"], one["column"], one["endLine"], one["endColumn"], one["message"]) for one in reported
    ]
    levels = {one["code"]: one["severity"] for one in reported}
    async with desk(folder) as editor:
        editor.open("tracker.yaml")
        found = await editor.diagnostics("tracker.yaml")
    shown = [
        (
            one.code,
            one.range.start.line + 1,
            one.range.start.character + 1,
            one.range.end.line + 1,
            one.range.end.character + 1,
            one.message,
        )
        for one in found
    ]
    assert shown == wanted
    assert levels == {"KLG101": "error", "KLG301": "note"}
    assert [one.severity for one in found] == [types.DiagnosticSeverity.Error, types.DiagnosticSeverity.Information]


async def test_text_that_cannot_be_read_is_a_finding_and_hides_no_other_document(folder, desk):
    async with desk(folder) as editor:
        editor.open("tracker.yaml", TEXT + "---\nkind: [\n")
        assert sorted(codes(await editor.diagnostics("tracker.yaml"))) == ["KLG001", "KLG101"]


async def test_closing_takes_everything_back_and_disk_counts_again(folder, desk):
    async with desk(folder) as editor:
        editor.open("tracker.yaml")
        assert await editor.diagnostics("tracker.yaml")
        editor.close("tracker.yaml")
        taken = await editor.until(lambda one: one.uri == editor.uri("tracker.yaml"))
        assert not taken.diagnostics


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 12), ("utf-16", 10), ("utf-32", 9)])
async def test_columns_are_in_the_units_that_were_negotiated(folder, encoding, column):
    text = '{"😀": 1, "kind": "Pod", "kind": "Pod"}\n'
    at = text.index('"kind": "Pod"}')
    wanted = {"utf-8": at + 3, "utf-16": at + 1, "utf-32": at}[encoding]
    async with editing(folder, encodings=[encoding]) as editor:
        assert editor.initialized.capabilities.position_encoding == encoding
        editor.open("pod.yaml", text)
        found = await editor.diagnostics("pod.yaml")
        starts = {one.range.start.character for one in found if one.code == "KLG001"}
        assert wanted in starts, (starts, column)
        editor.change("pod.yaml", '"x"', ((0, wanted), (0, wanted + 6)))
        assert "KLG001" not in codes(await editor.diagnostics("pod.yaml"))


async def test_crlf_and_several_documents(folder, desk):
    text = ("# 😀\n---\n" + TEXT).replace("\n", "\r\n")
    async with desk(folder) as editor:
        editor.open("tracker.yaml", text)
        found = await editor.diagnostics("tracker.yaml")
        assert [str(one.range) for one in found] == ["9:0-9:4"]
        editor.change("tracker.yaml", FIXED.replace("\n", "\r\n"), ((10, 0), (10, 0)))
        assert await editor.diagnostics("tracker.yaml") == []


async def test_the_inventory_is_watched_and_its_errors_stand_in_it(folder):
    async with editing(folder) as editor:
        assert [one.method for one in editor.registered] in ([], ["workspace/didChangeWatchedFiles"])
        editor.open("tracker.yaml")
        assert codes(await editor.diagnostics("tracker.yaml")) == ["KLG101"]
        good = (folder / "cluster.yaml").read_text()
        (folder / "cluster.yaml").write_text(good.replace("nvidia.com/gpu: '1'", "nvidia.com/gpu: 'one'"))
        editor.client.workspace_did_change_watched_files(
            types.DidChangeWatchedFilesParams(
                [types.FileEvent(editor.uri("cluster.yaml"), types.FileChangeType.Changed)]
            )
        )
        broken = await editor.until(lambda one: one.uri == editor.uri("cluster.yaml") and one.diagnostics)
        assert codes(broken.diagnostics) == ["KLG601"]
        (folder / "cluster.yaml").write_text(good.replace("nvidia.com/gpu: '1'", "nvidia.com/gpu: '2'"))
        # without a word from the editor
        await editor.until(lambda one: one.uri == editor.uri("tracker.yaml") and codes(one.diagnostics) == ["KLG118"])
        mended = await editor.until(lambda one: one.uri == editor.uri("cluster.yaml"))
        assert not mended.diagnostics


async def test_templates_of_helm_charts_are_left_alone(folder, desk):
    (folder / "chart" / "templates").mkdir(parents=True)
    (folder / "chart" / "Chart.yaml").write_text("name: a\n")
    (folder / "chart" / "templates" / "a.yaml").write_text("{{- if .Values.a }}\nkind: Pod\n{{ end }}\n")
    async with desk(folder) as editor:
        editor.open("chart/templates/a.yaml")
        assert await editor.diagnostics("chart/templates/a.yaml") == []


async def test_no_rule_crashes_on_documents_opened_one_after_the_other(tmp_path, desk):
    folders = sorted((ROOT / "rules").glob("KLG*"))[::6]
    assert len(folders) > 5
    for folder in folders:
        shutil.copytree(folder / "bad", tmp_path / folder.name / "bad")
    async with desk(tmp_path) as editor:
        for path in sorted(tmp_path.glob("*/bad/*.yaml"))[::4]:
            name = str(path.relative_to(tmp_path))
            editor.open(name)
            found = await editor.diagnostics(name)
            assert all(one.code != "KLG000" or one.severity != types.DiagnosticSeverity.Error for one in found), name
            editor.close(name)
