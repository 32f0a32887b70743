"""Fixes of many workloads in one unit: tried together, and never offered because of one another."""

from __future__ import annotations

import pytest
from checks_units import deployment, findings, unit
from counted_calls import calls_of

from kubelint_gpu.documents.editing import set_key
from kubelint_gpu.engine import repair
from kubelint_gpu.engine.diagnostic import Diagnostic, FixCandidate
from kubelint_gpu.engine.fixes import batches, trials

MANY = 60
JUDGED = 48
"""So many Deployments on one node are all judged, and their fixes proven, within the work of one run."""


def nodes(count, gpus=1):
    listed = "".join(
        f"  - {{name: node-{number}, allocatable: {{cpu: 64, memory: 256Gi}}, gpus: {{model: L4, count: {gpus}}}}}\n"
        for number in range(count)
    )
    return (
        'apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nkubernetesVersion: "1.34"\n'
        f"nodes:\n{listed}priorityClasses:\n  - {{name: serving, value: 1000}}\n"
    )


def pinned(count, node="node-{}"):
    return "---\n".join(
        deployment(name=f"chat-{number}", pod=f"nodeSelector: {{kubernetes.io/hostname: {node.format(number)}}}")
        for number in range(count)
    )


def offered(text, inventory):
    """The proven fixes of each deadlock, by object."""
    found = findings(text, inventory, "KLG101")
    return {one.object: [(fix.title, fix.verified) for fix in one.fixes] for one in found}


def test_many_fixes_are_tried_with_few_looks_at_all_rules():
    with calls_of(trials.drafts_of) as looks:
        found = offered(pinned(MANY), nodes(MANY))
    assert 0 < len(looks) < 10
    assert len(found) == MANY
    (alone,) = offered(pinned(1), nodes(1)).values()
    strategies = [one for one in alone if one[0].startswith(("set maxSurge", "set strategy"))]
    assert len(strategies) == 2
    assert all([one for one in fixes if one in strategies] == strategies for fixes in found.values())


@pytest.mark.thorough
def test_those_that_share_a_node_have_the_fixes_that_they_have_by_themselves():
    found = offered(pinned(JUDGED, "node-0"), nodes(2, JUDGED))
    assert len(found) == JUDGED
    assert len(set(map(tuple, found.values()))) == 1


def given(breaks):
    """A unit with many Deployments, a draft for each, and the numbers of those that propose what is refused."""
    found = unit(pinned(MANY), nodes(MANY))

    def proposal(number, manifest):
        value = "several" if number in breaks else 0
        return FixCandidate(
            "change it",
            "safe",
            lambda: [
                set_key(
                    manifest.item, ("spec",), "strategy", {"rollingUpdate": {"maxSurge": value, "maxUnavailable": 1}}
                )
            ],
        )

    return found, [
        Diagnostic("KLG101", one.place(("spec",)), "a finding", one, cause="a test", proposals=(proposal(number, one),))
        for number, one in enumerate(found.manifests)
    ]


@pytest.mark.parametrize("breaks", [frozenset(), frozenset({3}), frozenset(range(0, MANY, 7))])
def test_what_is_worse_for_it_is_left_out_and_the_others_hold(breaks):
    found, drafts = given(breaks)
    known = batches.batches(found, drafts, trials.drafts_of(found)[0])
    assert {number for number, _ in known.holds} == set(range(MANY)) - breaks


def test_what_could_decide_about_others_is_tried_by_itself():
    """Two that change places would each hide that the other has none."""
    found = unit(pinned(MANY), nodes(MANY))
    drafts = [
        Diagnostic(
            "KLG203",
            one.place(("spec",)),
            "a finding",
            one,
            cause="a test",
            proposals=(
                FixCandidate("move it", "unsafe", lambda one=one: [set_key(one.item, ("spec",), "replicas", 2)]),
            ),
        )
        for one in found.manifests
    ]
    known = batches.batches(found, drafts, trials.drafts_of(found)[0])
    assert known.holds == frozenset()
    assert known.alone is not None
    assert known.alone < MANY


def test_few_are_tried_one_by_one():
    found = unit(pinned(3), nodes(3))
    drafts = trials.drafts_of(found)[0]
    assert batches.batches(found, drafts, drafts) == batches.Batches()


def test_many_fixes_are_made_with_few_looks_and_each_workload_gets_its_own():
    with calls_of(repair._findings) as looks:
        repaired = repair.repair(unit(pinned(MANY), nodes(MANY)), unsafe=False)
    assert 0 < len(looks) < 6
    assert len(repaired.applied) == MANY
    assert repaired.refused == ()
    text = repaired.unit.readings[0].source.text
    (alone,) = repair.repair(unit(pinned(1), nodes(1)), unsafe=False).unit.readings
    assert text.split("---\n")[0] == alone.source.text
    assert text.count("maxSurge: 0") == MANY


def test_a_fix_that_does_no_good_among_others_is_left_out(monkeypatch):
    """The others are made, and it is tried by itself."""
    objection = repair._objection

    def objecting(before, after, mended):
        return "no" if mended.object.endswith("/chat-7") else objection(before, after, mended)

    monkeypatch.setattr(repair, "_objection", objecting)
    repaired = repair.repair(unit(pinned(MANY), nodes(MANY)), unsafe=False)
    assert len(repaired.applied) == MANY - 1
    assert not any(finding.object.endswith("/chat-7") for finding, _ in repaired.applied)
