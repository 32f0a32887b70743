"""Hover and completion say what the declared cluster has."""

from __future__ import annotations

import shutil

import pytest
from editor import TRACKER, editing

pytestmark = pytest.mark.asyncio

TEXT = (TRACKER / "tracker.yaml").read_text()
CLUSTER = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
nodes:
- {name: a, allocatable: {cpu: 8, memory: 32Gi}, gpus: {model: A100-PCIE-40GB, count: 2}, labels: {zone: north, "on": "true"}}
- name: b
  allocatable: {cpu: 8, memory: 32Gi}
  labels: {zone: south}
  taints: ["dedicated=vision:NoSchedule"]
pools:
- name: later
  count: 0
  template: {allocatable: {cpu: 4, memory: 8Gi}, labels: {zone: later}}
  autoscaling: {min: 0, max: 2}
priorityClasses:
- {name: serving, value: 1000}
"""
HEAD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n"


@pytest.fixture
def folder(tmp_path):
    folder = (tmp_path / "vision").resolve()
    folder.mkdir()
    shutil.copy(TRACKER / "nodes.yaml", folder / "nodes.yaml")
    (folder / "cluster.yaml").write_text(CLUSTER)
    (folder / "tracker.yaml").write_text(TEXT)
    (folder / ".kubelint-gpu.yaml").write_text("inventory: cluster.yaml\n")
    return folder


async def offered(editor, text, name="p.yaml"):
    """What is offered at `|`, by label, as the document would read with it."""
    at = text.index("|")
    line, character = text[:at].count("\n"), at - (text.rfind("\n", 0, at) + 1)
    whole = text[:at] + text[at + 1 :]
    if name not in editor.versions:
        editor.open(name, whole)
    else:
        editor.change(name, whole)
    found = {}
    for item in await editor.complete(name, line, len(text[at - character : at].encode("utf-16-le")) // 2):
        edit = item.text_edit
        lines = whole.split("\n")
        changed = lines[line]
        units = changed.encode("utf-16-le")
        start, end = edit.range.start.character * 2, edit.range.end.character * 2
        lines[line] = (units[:start] + edit.new_text.encode("utf-16-le") + units[end:]).decode("utf-16-le")
        found[item.label] = (lines[line].strip(), item.detail)
    return found


async def test_completion_offers_what_the_inventory_has_in_text_that_cannot_be_read(folder):
    async with editing(folder) as editor:
        keys = await offered(editor, HEAD + "  nodeSelector:\n    zo|")
        assert keys["zone"] == ("zone:", "on 2 of 2 nodes")
        assert keys["on"] == ('"on":', "on 1 of 2 nodes")
        values = await offered(editor, HEAD + "  nodeSelector:\n    zone: |\n  containers:\n  - {name: [\n")
        assert values["north"] == ("zone: north", "on 1 of 2 nodes")
        assert values["later"] == ("zone: later", "only on nodes that a pool may add")
        assert (await offered(editor, HEAD + "  nodeSelector:\n    zone:|"))["south"][0] == "zone: south"
        assert (await offered(editor, HEAD + '  nodeSelector: {"on": |'))["true"][0] == 'nodeSelector: {"on": "true"'
        text = HEAD + "  tolerations:\n  - key: dedicated\n    "
        assert list(await offered(editor, text + "value: |")) == ["vision"]
        assert next(iter(await offered(editor, text + "effect: No|"))) == "NoSchedule"
        assert (await offered(editor, text + "operator: |")).keys() == {"Equal", "Exists"}
        assert (await offered(editor, HEAD + "  tolerations: [{key: |"))["dedicated"][1] == "on 1 of 2 nodes"
        classes = await offered(editor, HEAD + "  priorityClassName: |")
        assert classes["serving"][1] == "priority 1000"
        assert next(iter(classes)) == "serving"
        terms = HEAD + "  affinity:\n    nodeAffinity:\n      requiredDuringSchedulingIgnoredDuringExecution:\n"
        terms += "        nodeSelectorTerms:\n        - matchExpressions:\n          - key: zone\n            "
        assert (await offered(editor, terms + "operator: |")).keys() >= {"In", "NotIn", "Exists"}
        assert (await offered(editor, terms + "values: [north, |"))["south"][0] == "values: [north, south"
        assert (await offered(editor, terms + "values:\n            - |"))["south"][0] == "- south"
        spread = HEAD + "  topologySpreadConstraints:\n  - topologyKey: |"
        assert "kubernetes.io/hostname" in await offered(editor, spread)
        resources = await offered(
            editor, HEAD + "  containers:\n  - resources:\n      limits:\n        cpu: 1\n        nv|"
        )
        assert resources["nvidia.com/gpu"] == ("nvidia.com/gpu:", "on 1 of 2 nodes, at most 2 each")
        assert "cpu" not in resources
        assert await offered(editor, HEAD + "  containers:\n  - name: |") == {}


async def test_an_emoji_before_the_cursor_moves_nothing(folder):
    async with editing(folder) as editor:
        found = await offered(editor, HEAD + '  nodeSelector: {"😀": x, zone: so|}')
        assert found["south"][0] == 'nodeSelector: {"😀": x, zone: south}'


async def test_rules_are_offered_in_a_suppression(folder):
    async with editing(folder) as editor:
        found = await offered(editor, HEAD + "  # kubelint-gpu: ignore[KLG203, KLG1|]")
        assert found["KLG101"][0] == "# kubelint-gpu: ignore[KLG203, KLG101]"
        assert found["KLG101"][1].startswith("rollout-deadlock: ")


async def test_hover_on_a_finding_shows_its_story_and_its_page(folder):
    (folder / ".kubelint-gpu.yaml").write_text("inventory: nodes.yaml\n")
    async with editing(folder) as editor:
        editor.open("tracker.yaml")
        await editor.diagnostics("tracker.yaml")
        text = (await editor.hover("tracker.yaml", 7, 1)).contents.value
        assert "**KLG101** the rollout never ends" in text
        assert "**kube\\-scheduler:**" in text or "**kube-scheduler:**" in text
        assert "**Who waits for whom**" in text
        assert "# KLG101 rollout-deadlock" in text
        assert "## Bad" not in text
        assert "](../" not in text


async def test_hover_on_a_code_in_a_suppression_shows_the_page(folder):
    async with editing(folder) as editor:
        editor.open("p.yaml", HEAD + "  # kubelint-gpu: ignore[KLG101, missing-priority-class] a\n")
        assert "# KLG101 " in (await editor.hover("p.yaml", 4, 28)).contents.value
        assert "# KLG301 " in (await editor.hover("p.yaml", 4, 40)).contents.value
