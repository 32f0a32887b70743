"""Verdicts of random cases, and what shows them."""

from __future__ import annotations

from reference_program import growth_of, program_input
from rollout_changes import change_case
from rollout_reference import featured_case, random_case
from verdict_evidence.watch import checked

from kubelint_gpu.simulation.questions.rollouts import judge

CASES = {
    "random": [random_case(seed) for seed in range(41_000, 41_060)],
    "featured": [featured_case(seed)[1] for seed in range(53_000, 53_090)],
    "changed at once": [change_case(seed) for seed in range(31_000, 31_040)],
}


def seen_of(ask):
    """What the deciders claim while something is asked, with the evidence for it."""
    found = []
    with checked(lambda name, claim, evidence: found.append((name, claim, evidence))):
        ask()
    return found


def judged(case):
    transitions, cluster = program_input(case)
    return seen_of(lambda: judge(transitions, cluster, budget=60_000, growth=growth_of(case), only=case.judged))
