"""Suppressions: where they hold, how long, and what is said of those that do not."""

from __future__ import annotations

import pytest
from suppressed import run

# every Deployment like this has a KLG114, at `spec` with a related place at the GPU


def codes(outcome):
    return sorted(finding.code for finding in outcome.findings)


def test_without_a_suppression_the_finding_stands():
    assert codes(run()) == ["KLG114"]


@pytest.mark.parametrize(
    "place",
    [
        {"spec": " # kubelint-gpu: ignore[KLG114] room enough"},
        {"above": "\n# kubelint-gpu: ignore[KLG114] room enough"},
        {"gpu": " # kubelint-gpu: ignore[rollout-needs-room] room enough"},
        {"spec": " # kubelint-gpu: ignore[KLG1] a whole family"},
        {"spec": " # kubelint-gpu: ignore[klg] everything"},
        {"spec": " # kubelint-gpu: ignore[KLG114] until we have two GPUs"},
        {"spec": " # kubelint-gpu: ignore[KLG114] unit: tests need it"},
        {"spec": " # room enough # Kubelint-GPU: ignore[KLG114] as said before"},
        {"above": '\n  annotations: {kubelint-gpu/ignore: "KLG1: room enough"}'},
        {"spec": " # kubelint-gpu: ignore[klg114] until=2026-06-01 today is the last day"},
        {"above": '\n  annotations: {kubelint-gpu/ignore: "KLG114: room enough"}'},
    ],
)
def test_a_suppression_on_a_line_of_the_finding_or_on_its_object_holds(place):
    outcome = run(**place)
    assert codes(outcome) == []
    assert outcome.ignored == 1


def test_suppressions_can_be_switched_off():
    outcome = run(spec=" # kubelint-gpu: ignore[KLG114]", on=False)
    assert (codes(outcome), outcome.ignored) == (["KLG114"], 0)


@pytest.mark.parametrize(
    ("comment", "said"),
    [
        ("ignore[KLG101]", "KLG101 is suppressed here and was not found"),
        ("ignore[KLG114] until=2026-05-31 over", "the suppression of KLG114 ended on 2026-05-31"),
        ("ignore[KLG999]", 'there is no rule "KLG999"'),
        ("ignore[KLG114] until=soon", '"soon" is no day'),
        ("ignore[KLG114] until= the pool grows", "names no last day"),
        ("ignore[KLG114] until=2027-02-30 over", '"2027-02-30" is no day of the calendar'),
        ("ignore[KLG114] untill=2027-01-31 x", '"untill=2027-01-31" is not understood as the last day'),
        ("ignore[KLG114] Until: 2027-01-31 x", '"Until: 2027-01-31" is not understood'),
        ("ignore[KLG114] Until: the pool grows", '"Until: the" is not understood'),
        ("ignore[KLG114] until 2027-01-31 x", '"until 2027-01-31" is not understood'),
        ("ignore[KLG114] UNTIL=2027-01-31 x", '"UNTIL=2027-01-31" is not understood'),
        ("ignore[KLG114] utnil=31.1.2027 x", '"utnil=31.1.2027" is not understood'),
        ("ignore[KLG114] expires: 2027-01-31 x", '"expires: 2027-01-31" is not understood'),
        ("ignore[KLG114] ordered until=2027-01-31", '"until=2027-01-31" is read as a part of the reason'),
        ("ignore[KLG114, KLG301] untill=2027-01-31 x", '"untill=2027-01-31" is not understood'),
        ("ignore[KLG8] none", 'there is no rule "KLG8"'),
        ("ignore[missing-priority-clas] x", "did you mean missing-priority-class?"),
        ("ignroe[KLG114]", "is no suppression"),
        ("ignore everything", "is no suppression"),
    ],
)
def test_what_suppresses_nothing_is_said(comment, said):
    outcome = run(spec=f" # kubelint-gpu: {comment}")
    assert codes(outcome) == ["KLG005", "KLG114"]
    assert said in next(finding.message for finding in outcome.findings if finding.code == "KLG005")


def test_a_suppression_of_a_rule_that_is_switched_off_is_not_called_unused():
    assert codes(run(spec=" # kubelint-gpu: ignore[KLG101]", off=("KLG101",))) == ["KLG114"]


def test_a_comment_may_name_several_codes():
    outcome = run(spec=" # kubelint-gpu: ignore[KLG114, KLG101] room enough")
    assert codes(outcome) == ["KLG005"]
    assert outcome.findings[0].fixes == ()


@pytest.mark.parametrize(
    "text",
    ["ignore[KLG114]", "ignore[KLG114] until=2026-06-01", "ignore[KLG114] -", "ignore[KLG114] TODO: say why"],
)
def test_a_suppression_without_a_reason_holds_and_is_noted(text):
    outcome = run(spec=f" # kubelint-gpu: {text}")
    assert [(found.code, found.severity, found.message) for found in outcome.findings] == [
        ("KLG005", "note", "KLG114 is suppressed here without a reason")
    ]
    assert outcome.findings[0].help == (
        "write why behind the bracket, in place of any TODO: ignore[KLG114] the reason",
    )
    assert outcome.ignored == 1


@pytest.mark.parametrize("comment", ["# kubelint: ignore[KLG114] x", "# kubelint-gpu ignore[KLG114] x"])
def test_a_suppression_for_a_program_of_another_name_is_said(comment):
    outcome = run(spec=f" {comment}")
    assert codes(outcome) == ["KLG005", "KLG114"]


@pytest.mark.parametrize("comment", ["# see kubelint-gpu: it says", "# do not ignore KLG114", "# noqa: ignore[E501]"])
def test_other_comments_are_left_alone(comment):
    assert codes(run(spec=f" {comment}")) == ["KLG114"]


def test_a_suppression_on_another_line_of_the_object_is_told_where_the_finding_is():
    outcome = run(above=" # kubelint-gpu: ignore[KLG114] room enough")
    assert codes(outcome) == ["KLG005", "KLG114"]
    said = next(finding for finding in outcome.findings if finding.code == "KLG005")
    assert said.message == "KLG114 is suppressed here and was found on line 5"
    assert said.help == ("move the comment to line 5, or above it",)
    assert said.fixes == ()


def test_a_suppression_of_suppressions_alone_does_not_suppress_what_is_said_of_it():
    assert codes(run(spec=" # kubelint-gpu: ignore[KLG005] nothing there")) == ["KLG005", "KLG114"]
    assert codes(run(spec=" # kubelint-gpu: ignore[KLG0] nothing there")) == ["KLG005", "KLG114"]


@pytest.mark.parametrize("off", [("KLG101",), ("KLG1",)])
def test_a_prefix_of_rules_of_which_one_is_switched_off_is_not_called_unused(off):
    outcome = run(spec=" # kubelint-gpu: ignore[KLG10] one cluster has it", off=off)
    assert codes(outcome) == ["KLG114"]


def test_an_unused_suppression_can_be_suppressed():
    assert codes(run(spec=" # kubelint-gpu: ignore[KLG101, KLG005] one cluster has it")) == ["KLG114"]
