from __future__ import annotations

import base64
import hashlib
import re

import pytest
from page_samples import CLUSTER, PAGE, PICTURE, WALKED
from report_samples import DEADLOCK, MAY_STICK, PIN, REPORTS, RULES, UNKNOWN_CLASS, Text, odd, place, report
from tags import Tags

from kubelint_gpu.findings.finding import Fix, Related, Step, Summary, TextEdit
from kubelint_gpu.findings.picture import Holding, NodeMoment, RolloutFrame
from kubelint_gpu.report.content import Options
from kubelint_gpu.report.page import MOST_CHARACTERS, MOST_FINDINGS, render, verdict
from kubelint_gpu.values import replace


def shown(found):
    return "".join(render(found, Options()))


def test_a_page_needs_nothing_but_itself():
    for found in (PAGE, *REPORTS.values()):
        page = Tags(shown(found))
        assert not [attrs for _, attrs in page.found if {"src", "srcset", "data", "poster", "style"} & set(attrs)]
        assert {attrs["href"].partition(":")[0] for tag, attrs in page.found if tag == "a"} <= {"#findings", "https"}
        assert not [tag for tag, _ in page.found if tag in ("link", "base", "iframe", "object", "embed", "img")]
        assert "url(" not in page.texts["style"]
        assert "@import" not in page.texts["style"]


def test_the_policy_allows_this_style_and_this_script_alone():
    page = shown(PAGE)
    policy = next(attrs["content"] for tag, attrs in Tags(page).found if attrs.get("http-equiv"))
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    for name, content in (
        ("style-src", re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1]),
        ("script-src", re.search(r"<script>(.*?)</script>", page, re.DOTALL)[1]),
    ):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert rules[name] == f"'sha256-{digest}'"


def test_the_steps_are_there_without_a_script():
    page = shown(PAGE)
    for step in DEADLOCK.trace:
        assert f'<span class="what">{step.message}</span>' in page
    assert (
        "tracker-node: 2 of 2 nvidia.com/gpu held, 4 of 32 CPU held, old pod of vision/object-tracker (running)" in page
    )
    assert "each of gpu-[1-3]: not there yet" in page
    assert "without a node: 2 new pods of vision/object-tracker (waits for a node)" in page
    unscripted = [attrs for _, attrs in Tags(page).found if "scripted" in attrs.get("class", "")]
    assert unscripted
    assert all("hidden" in attrs for attrs in unscripted)


def test_no_sentence_about_a_rule_is_said_twice():
    summary = RULES["KLG203"].summary
    again = [replace(PIN, fingerprint=str(number)) for number in range(3)]
    assert shown(report(DEADLOCK, *again)).lower().count(summary.lower()) == 1
    assert shown(report(DEADLOCK)).lower().count(RULES["KLG101"].summary.lower()) == 1


def test_ten_thousand_findings_are_counted_and_the_worst_are_shown():
    notes = [odd(1 + number, 1, 2, path="many.yaml", severity="note") for number in range(10_000)]
    page = shown(report(*notes, DEADLOCK))
    assert page.count("<article") == MOST_FINDINGS
    assert page.index("KLG101") < page.index("KLG001")
    told = (
        f"This page shows the worst {MOST_FINDINGS} of 10,001 findings. The other 9,801 (9,801 notes) are in the report"
    )
    assert told in page
    assert len(page) < 400_000


def test_giant_findings_are_bounded():
    giant = "<&x" * 30_000
    fix = Fix(giant, "safe", verified=True, edits=(TextEdit(place("a.yaml", 1, 1, 1), f"{giant}\n" * 100),))
    steps = tuple(Step(number, giant, giant) for number in range(1, 400))
    finding = odd(
        1,
        1,
        2,
        giant,
        path="a.yaml",
        trace=steps,
        cycle=(giant,) * 99,
        fixes=(fix,) * 9,
        help=(giant,) * 99,
        scheduler=giant,
        related=tuple(Related(place(f"{number}.yaml", 1, 1, 2), giant) for number in range(99)),
    )
    page = shown(
        report(*(replace(finding, fingerprint=str(number)) for number in range(9)), sources={"a.yaml": Text(giant)})
    )
    assert len(page) < MOST_CHARACTERS + 4_000_000
    assert "of 9 findings" in page


def test_the_tracker_page_is_small():
    assert len(shown(replace(report(WALKED), clusters=(CLUSTER,))).encode()) < 60_000


def test_the_first_finding_is_unfolded_and_of_many_only_that():
    few = shown(report(DEADLOCK, PIN))
    assert few.count("<details open>") == 2
    many = shown(report(*(odd(1 + number, 1, 2, path="many.yaml") for number in range(9))))
    assert (many.count("<details open>"), many.count("<details>")) == (1, 8)


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
