"""Findings reach the editor while somebody types."""

from __future__ import annotations

import json
import subprocess

import pytest
from editor import COMMAND, ROOT, TRACKER, editing
from lsprotocol import types

pytestmark = pytest.mark.asyncio

TEXT = (TRACKER / "tracker.yaml").read_text()
FIXED = "  strategy:\n    rollingUpdate: {maxSurge: 0, maxUnavailable: 1}\n"


def checked(folder):
    """What the command line says."""
    command = [COMMAND, "check", ".", "--output-format", "json"]
    return json.loads(subprocess.run(command, cwd=folder, capture_output=True, check=False).stdout)["findings"]


def codes(diagnostics):
    return [one.code for one in diagnostics]


async def test_a_deadlock_comes_goes_and_comes_back_as_one_types(folder):
    async with editing(folder) as editor:
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


async def test_the_same_findings_as_on_the_command_line(folder):
    (folder / ".kubelint-gpu.yaml").write_text("inventory: cluster.yaml\nseverity: {KLG301: note}\n")
    reported = checked(folder)
    wanted = [
        (one["code"], one["line"], one["column"], one["endLine"], one["endColumn"], one["message"]) for one in reported
    ]
    levels = {one["code"]: one["severity"] for one in reported}
    async with editing(folder) as editor:
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


async def test_text_that_cannot_be_read_is_a_finding_and_hides_no_other_document(folder):
    async with editing(folder) as editor:
        editor.open("tracker.yaml", TEXT + "---\nkind: [\n")
        assert sorted(codes(await editor.diagnostics("tracker.yaml"))) == ["KLG001", "KLG101"]


async def test_closing_takes_everything_back_and_disk_counts_again(folder):
    async with editing(folder) as editor:
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


async def test_crlf_and_several_documents(folder):
    text = ("# 😀\n---\n" + TEXT).replace("\n", "\r\n")
    async with editing(folder) as editor:
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


async def test_the_inventory_as_it_is_typed_decides(folder):
    async with editing(folder) as editor:
        editor.open("tracker.yaml")
        assert codes(await editor.diagnostics("tracker.yaml")) == ["KLG101"]
        editor.open("cluster.yaml")
        await editor.diagnostics("cluster.yaml")
        lines = editor.texts["cluster.yaml"].split("\n")
        number = next(index for index, line in enumerate(lines) if "nvidia.com/gpu: '1'" in line)
        editor.change("cluster.yaml", lines[number].replace("'1'", "'2'"), ((number, 0), (number, len(lines[number]))))
        await editor.until(lambda one: one.uri == editor.uri("tracker.yaml") and codes(one.diagnostics) == ["KLG118"])


async def test_the_configuration_decides_and_its_errors_stand_in_it(folder):
    async with editing(folder) as editor:
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


async def test_a_unit_is_checked_with_what_is_open_in_the_editor(folder):
    (folder / ".kubelint-gpu.yaml").write_text("inventory: cluster.yaml\nunits: {vision: ['*.yaml']}\nselect: KLG007\n")
    (folder / "twin.yaml").write_text("kind: ConfigMap\napiVersion: v1\nmetadata: {name: other}\n")
    async with editing(folder) as editor:
        editor.open("one.yaml", "kind: ConfigMap\napiVersion: v1\nmetadata: {name: same}\n")
        assert await editor.diagnostics("one.yaml") == []
        editor.open("twin.yaml")
        editor.change("twin.yaml", "kind: ConfigMap\napiVersion: v1\nmetadata: {name: same}\n")
        twice = await editor.until(lambda one: codes(one.diagnostics) == ["KLG007"])
        names = {editor.uri("one.yaml"), editor.uri("twin.yaml")}
        assert twice.uri in names
        assert {each.location.uri for each in twice.diagnostics[0].related_information} <= names


async def test_what_runs_beside_decides_in_the_editor_as_on_the_command_line(folder):
    """The neighbour holds the GPU that the tracker needs for its rollout; the editor knows what the context says."""
    (folder / "deployed").mkdir()
    other = TEXT.replace("object-tracker", "neighbour")
    (folder / "deployed" / "neighbour.yaml").write_text(other)
    for context in ("", "context: [deployed/**]\n"):
        (folder / ".kubelint-gpu.yaml").write_text(f"inventory: cluster.yaml\nselect: [KLG1, KLG2, KLG3]\n{context}")
        told = [one for one in checked(folder) if one["path"] == "tracker.yaml"]
        async with editing(folder) as editor:
            editor.open("tracker.yaml")
            found = await editor.diagnostics("tracker.yaml")
        assert sorted((one.code, one.message) for one in found) == sorted((one["code"], one["message"]) for one in told)
        assert ("KLG109" in [one["code"] for one in told]) == bool(context)


async def test_templates_of_helm_charts_are_left_alone(folder):
    (folder / "chart" / "templates").mkdir(parents=True)
    (folder / "chart" / "Chart.yaml").write_text("name: a\n")
    (folder / "chart" / "templates" / "a.yaml").write_text("{{- if .Values.a }}\nkind: Pod\n{{ end }}\n")
    async with editing(folder) as editor:
        editor.open("chart/templates/a.yaml")
        assert await editor.diagnostics("chart/templates/a.yaml") == []


async def test_two_folders_have_their_own_configurations(tmp_path):
    root = tmp_path.resolve()
    for name, text in (("a", "select: KLG114\n"), ("b", "ignore: KLG114\n")):
        (root / name).mkdir()
        (root / name / ".kubelint-gpu.yaml").write_text(text)
        (root / name / "tracker.yaml").write_text(TEXT)
    async with editing(root) as editor:
        editor.open("a/tracker.yaml")
        assert codes(await editor.diagnostics("a/tracker.yaml")) == ["KLG114"]
        editor.open("b/tracker.yaml")
        assert "KLG114" not in codes(await editor.diagnostics("b/tracker.yaml"))


async def test_a_class_that_another_file_of_the_repository_brings_is_known(folder):
    text = TEXT.replace("      containers:", "      priorityClassName: mine\n      containers:")
    (folder / ".kubelint-gpu.yaml").write_text("inventory: cluster.yaml\nselect: KLG302\n")
    async with editing(folder) as editor:
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


async def test_no_rule_crashes_on_documents_opened_one_after_the_other():
    folders = sorted((ROOT / "rules").glob("KLG*"))[::6]
    assert len(folders) > 5
    async with editing(ROOT) as editor:
        for folder in folders:
            for path in sorted((folder / "bad").glob("*.yaml")):
                name = str(path.relative_to(ROOT))
                editor.open(name)
                found = await editor.diagnostics(name)
                assert all(one.code != "KLG000" for one in found), name
                editor.close(name)
