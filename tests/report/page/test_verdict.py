"""What the page says first."""

from __future__ import annotations

import pytest
from page_samples import PICTURE
from report_samples import DEADLOCK, MAY_STICK, PIN, REPORTS, UNKNOWN_CLASS, report

from kubelint_gpu.findings.finding import Summary
from kubelint_gpu.findings.picture import Holding, NodeMoment, RolloutFrame
from kubelint_gpu.report.content import Options
from kubelint_gpu.report.page import render
from kubelint_gpu.report.page.verdict import verdict
from kubelint_gpu.values import replace


def shown(found):
    return "".join(render(found, Options()))


@pytest.mark.parametrize(
    ("found", "tone", "title"),
    [
        (report(DEADLOCK, PIN), "error", "One rollout would never finish"),
        (report(DEADLOCK, replace(DEADLOCK, fingerprint="x")), "error", "2 rollouts would never finish"),
        (report(UNKNOWN_CLASS, MAY_STICK), "error", "One error to fix before this is applied"),
        (report(MAY_STICK, PIN), "warning", "Nothing is certain to fail, but there is one risk"),
        (report(PIN), "note", "No errors and no warnings"),
        (report(), "good", "All clear"),
        (report(summary=Summary(files=1, workloads=1)), "note", "Nothing found, as far as can be told"),
        (report(summary=Summary(files=1)), "note", "Nothing to judge"),
        (report(summary=Summary()), "note", "Nothing was checked"),
        (report(summary=Summary(files=1, workloads=1, nodes=1, baseline=2)), "good", "Nothing new"),
        (REPORTS["undecided"], "note", "Nothing found, and not everything decided"),
        (replace(report(), failed="the inventory cannot be used"), "error", "The check could not be completed"),
    ],
)
def test_the_headline_is_the_verdict(found, tone, title):
    told = verdict(found)
    assert (told.tone, told.title) == (tone, title)
    assert f"{title}</h1>" in shown(found)


def holding(owner, age):
    return Holding(owner, age, "running", 1, (1,))


def test_rollouts_that_block_each_other_are_all_named():
    moments = (
        RolloutFrame((NodeMoment(True, (holding("vision/captioner", "new"), holding("lab/x", "")), ("2",)),), ()),
    )
    stage = replace(PICTURE, moments=(RolloutFrame(moments[0].nodes, (holding("vision/object-tracker", "new"),)),))
    told = verdict(report(replace(DEADLOCK, picture=stage)))
    assert told.title == "2 rollouts would block each other"
    assert told.lead.startswith("Deployment vision/object-tracker and vision/captioner: ")


def test_a_workload_without_a_written_namespace_is_named_once():
    moments = (RolloutFrame((NodeMoment(True, (holding("default/tracker", "new"),), ("2",)),), ()),)
    alone = replace(DEADLOCK, object="Deployment//tracker", picture=replace(PICTURE, moments=moments))
    assert verdict(report(alone)).lead.startswith("Deployment tracker: ")


def test_of_many_rollouts_the_first_are_named():
    many = [replace(DEADLOCK, object=f"Deployment/ns/d{number}", fingerprint=str(number)) for number in range(9)]
    assert verdict(report(*many[:2])).lead.startswith("Deployment ns/d0 and Deployment ns/d1: ")
    lead = verdict(report(*many)).lead
    assert lead.startswith("Deployment ns/d0, Deployment ns/d1, Deployment ns/d2 and 6 more: ")


def test_names_at_the_beginning_of_a_sentence_keep_their_case():
    page = shown(report(replace(DEADLOCK, cycle=("maxSurge is 1", "the new pod waits"))))
    assert "<li>maxSurge is 1</li>" in page
    assert "<li>The new pod waits</li>" in page
