"""What the command does about its environment, whatever the command is."""

from __future__ import annotations

import pytest
from command_line import ROOT, kubelint


@pytest.mark.parametrize("example", ["tracker", "two-deployments", "evicted-neighbour", "stateful-set-trap"])
def test_the_evidence_of_verdicts_is_checked_on_demand_and_the_findings_are_the_same(example):
    folder = ROOT / "examples" / example
    arguments = ("check", folder, "-i", folder / "inventory.yaml", "--output-format", "concise")
    plain = kubelint(*arguments, cwd=ROOT)
    checked = kubelint(*arguments, cwd=ROOT, env={"KUBELINT_GPU_EVIDENCE": "1"})
    assert (checked.code, checked.out) == (plain.code, plain.out)
    assert plain.code == 1
