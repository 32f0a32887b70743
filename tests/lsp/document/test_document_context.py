"""Documents are checked with the configuration, the inventory and the unit as they are in the editor."""

from __future__ import annotations

import pytest
from editor import TRACKER, codes

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
