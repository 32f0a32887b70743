"""Hover on findings and codes."""

from __future__ import annotations

import pytest
from hovered import HEAD

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_hover_on_a_finding_shows_its_story_and_its_page(declared, desk):
    (declared / ".kubelint-gpu.yaml").write_text("inventory: nodes.yaml\n")
    async with desk(declared) as editor:
        editor.open("tracker.yaml")
        await editor.diagnostics("tracker.yaml")
        text = (await editor.hover("tracker.yaml", 7, 1)).contents.value
        assert "**KLG101** the rollout never ends" in text
        assert "**kube\\-scheduler:**" in text or "**kube-scheduler:**" in text
        assert "**Who waits for whom**" in text
        assert "# KLG101 rollout-deadlock" in text
        assert "## Bad" not in text
        assert "](../" not in text


async def test_hover_on_a_code_in_a_suppression_shows_the_page(declared, desk):
    async with desk(declared) as editor:
        editor.open("p.yaml", HEAD + "  # kubelint-gpu: ignore[KLG101, missing-priority-class] a\n")
        assert "# KLG101 " in (await editor.hover("p.yaml", 4, 28)).contents.value
        assert "# KLG301 " in (await editor.hover("p.yaml", 4, 40)).contents.value


HOVERED = (
    ("  nodeSelector:\n    zo|ne: north\n", "The label `zone` is on **2 of 2 nodes**:\n\n- `north`: 1 node"),
    ("  nodeSelector:\n    zone: no|rth\n", "The label `zone=north` is on **1 of 2 nodes**."),
    (
        "  nodeSelector:\n    zone: ea|st\n",
        "No node has the label `zone=east`. There are `later`, `north` and `south`.",
    ),
    ("  nodeSelector: {zo|o: a}\n", "No node has the label `zoo`."),
    (
        "  tolerations:\n  - key: dedi|cated\n",
        "The taint `dedicated` is on **1 of 2 nodes**:\n\n- `dedicated=vision:NoSchedule`: 1 node",
    ),
    ("  priorityClassName: ser|ving\n", "PriorityClass `serving`: priority **1000**."),
    ("  priorityClassName: ser|vin\n", "There is no PriorityClass `servin`. There are `serving`,"),
    (
        "  containers:\n  - name: a\n    resources:\n      limits:\n        nvidia.com/g|pu: 1\n",
        "**1 of 2 nodes** has `nvidia.com/gpu`: 2 each.",
    ),
    ("  runtimeClassName: nv|idia\n", "There is no RuntimeClass `nvidia`."),
)


async def test_hover_says_what_the_inventory_has(declared, desk):
    async with desk(declared) as editor:
        for number, (body, wanted) in enumerate(HOVERED):
            text = HEAD + body
            at = text.index("|")
            editor.open(f"p{number}.yaml", text[:at] + text[at + 1 :])
            line, character = text[:at].count("\n"), at - text.rfind("\n", 0, at) - 1
            found = await editor.hover(f"p{number}.yaml", line, character)
            assert found.contents.value.startswith(wanted), found.contents.value
