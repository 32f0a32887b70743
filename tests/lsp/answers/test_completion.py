"""Completion offers what the declared cluster has."""

from __future__ import annotations

import pytest
from hovered import HEAD

pytestmark = pytest.mark.asyncio(loop_scope="session")


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


async def test_completion_offers_what_the_inventory_has_in_text_that_cannot_be_read(declared, desk):
    async with desk(declared) as editor:
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


async def test_an_emoji_before_the_cursor_moves_nothing(declared, desk):
    async with desk(declared) as editor:
        found = await offered(editor, HEAD + '  nodeSelector: {"😀": x, zone: so|}')
        assert found["south"][0] == 'nodeSelector: {"😀": x, zone: south}'


async def test_rules_are_offered_in_a_suppression(declared, desk):
    async with desk(declared) as editor:
        found = await offered(editor, HEAD + "  # kubelint-gpu: ignore[KLG203, KLG1|]")
        assert found["KLG101"][0] == "# kubelint-gpu: ignore[KLG203, KLG101]"
        assert found["KLG101"][1].startswith("rollout-deadlock: ")
