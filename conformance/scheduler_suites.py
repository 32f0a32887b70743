"""Suites that ask the scheduler of a live cluster where pods fit."""

from __future__ import annotations

import sys

from conformance import device_answers, device_scenarios, lanes, scheduling
from conformance.api_client import Object
from conformance.control_plane import ControlPlane
from conformance.kubelets import Kubelets
from conformance.suite_run import GOLDEN, SuiteRun

_LASTING = 1.5
"""Seconds for which a pod with claims has to wait as it is foretold; the scheduler's back-off is one second."""


def scheduled(run: SuiteRun) -> int:
    """Replay recorded scheduler answers in a live cluster."""
    found = list(scheduling.scenarios(GOLDEN / "scheduler", run.version, 3 if run.chosen.short else 40))
    work = run.chosen_cases([(name, record) for name, record in found if run.chosen.only in record["id"]])

    def do(plane: ControlPlane, _: Kubelets, piece: tuple[str, Object]) -> Object | None:
        name, record = piece
        try:
            answer = scheduling.live(plane.client, record)
        except scheduling.Unlike as unlike:
            print(f"{record['id']} is not possible live: {unlike}", file=sys.stderr)
            return None
        if not answer["agrees"]:
            print(f"{name} {record['id']}: {answer}\n   recorded {record['expect']}", flush=True)
        return {**answer, "kubernetes": run.version, "file": name}

    answers = lanes.through(run.supervisor, run.planes, work, do, kubelets=False)
    records = [answer for answer in answers if answer is not None]
    count = run.record(records)
    impossible = len(answers) - len(records)
    print(f"{len(records)} live scheduling answers, {impossible} not possible live; {count} recorded", file=sys.stderr)
    return run.verdict(len(work), len(work) - len(answers), sum(not each["agrees"] for each in records))


def claims(run: SuiteRun) -> int:
    """Pods with claims, and what becomes of them."""
    count = run.chosen.generate or (12 if run.chosen.short else 160)
    found = device_scenarios.scenarios(run.chosen.seed, count)
    work = run.chosen_cases([each for each in found if run.chosen.only in each["id"]])

    def do(plane: ControlPlane, _: Kubelets, case: Object) -> Object | None:
        expect = device_answers.foretold(case["scenario"], run.version)
        try:
            answer = scheduling.live(plane.client, {**case, "expect": expect}, _LASTING)
        except scheduling.Unlike as unlike:
            print(f"{case['id']} is not possible live: {unlike}", file=sys.stderr)
            return None
        del answer["agrees"]
        return {**answer, "scenario": case["scenario"], "kubernetes": run.version}

    answers = lanes.through(run.supervisor, run.planes, work, do, kubelets=False)
    records = [answer for answer in answers if answer is not None]
    number = run.record(records)
    impossible = len(answers) - len(records)
    print(f"{len(records)} pods with claims, {impossible} not possible live; {number} recorded", file=sys.stderr)
    wrong = device_answers.compared(records)[1]
    print("\n".join(wrong), flush=True)
    return run.verdict(len(work), len(work) - len(answers), len(wrong))
