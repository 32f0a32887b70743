"""Suppressions: where they hold, how long, and what is said of those that do not."""

from __future__ import annotations

import pytest

from kubelint_gpu.checks.run import Suppression, check
from kubelint_gpu.checks.unit import Unit
from kubelint_gpu.checks.world import World
from kubelint_gpu.documents import read

# every Deployment like this has a KLG114, at `spec` with a related place at the GPU
MANIFEST = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: a{above}
spec:{spec}
  selector: {{matchLabels: {{app: a}}}}
  template:
    metadata: {{labels: {{app: a}}}}
    spec:
      containers:
      - name: a
        image: a
        env: [{{name: TEXT, value: "# kubelint-gpu: ignore[KLG114] a text and no comment"}}]
        resources:
          limits:
            nvidia.com/gpu: 1{gpu}
"""


def run(*, above="", spec="", gpu="", **options):
    text = MANIFEST.format(above=above, spec=spec, gpu=gpu)
    unit = Unit([read("a.yaml", text.encode())], World())
    return check((unit,), World(), suppression=Suppression("2026-06-01", **options))


def codes(outcome):
    return sorted(finding.code for finding in outcome.findings)


def test_without_a_suppression_the_finding_stands():
    assert codes(run()) == ["KLG114"]


@pytest.mark.parametrize(
    "place",
    [
        {"spec": " # kubelint-gpu: ignore[KLG114] room enough"},
        {"above": "\n# kubelint-gpu: ignore[KLG114] room enough"},
        {"gpu": " # kubelint-gpu: ignore[rollout-needs-room]"},
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


def test_an_annotation_may_name_several_codes():
    outcome = run(above='\n  annotations: {kubelint-gpu/ignore: "KLG114: room; KLG301: later"}')
    assert codes(outcome) == ["KLG005"]


def test_an_annotation_that_is_no_text_is_said():
    outcome = run(above="\n  annotations: {kubelint-gpu/ignore: [KLG114]}")
    assert "KLG005" in codes(outcome)


def test_an_unused_suppression_can_be_suppressed():
    assert codes(run(spec=" # kubelint-gpu: ignore[KLG101, KLG005] one cluster has it")) == ["KLG114"]
