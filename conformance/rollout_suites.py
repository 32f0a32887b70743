"""Suites that run rollouts to their end, or until they are stuck."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator

from conformance import (
    apply_answers,
    compare,
    device_features,
    device_random,
    device_rollouts,
    families,
    generator,
    lanes,
    linter,
    recording,
    rollout_case,
    shrink,
    tools,
    tracker,
)
from conformance.api_client import Object, Refused
from conformance.control_plane import ControlPlane
from conformance.kubelets import Kubelets, Pace
from conformance.rollout_case import Case
from conformance.rollout_run import NoStart, Run
from conformance.suite_run import CASES, GOLDEN, SuiteRun


def rollouts(run: SuiteRun) -> int:
    """Run rollouts, each several times at different paces of the kubelets."""
    cases, failed, usable = _played(run, every_case(run.chosen))
    # only now: the linter would take time from the simulated kubelets
    disagreeing = [(record, wrong) for record in usable if (wrong := _wrong(record))]
    for record, wrong in disagreeing:
        print(f"disagrees: {record['id']}: {wrong}", flush=True)
        if record["id"].startswith("random"):
            small = shrunk(run.planes[0], record, run.chosen.runs)
            print(json.dumps(rollout_case.written(small), indent=1), flush=True)
    return run.verdict(cases, failed, len(disagreeing))


def applies(run: SuiteRun) -> int:
    """Run changes of several objects, which are then asked about as users do."""
    found = rollout_case.hand_written(CASES / "applies")
    cases, failed, usable = _played(run, found)
    wrong = apply_answers.compared(usable)[1]
    for each in wrong:
        print(f"disagrees: {each}", flush=True)
    return run.verdict(cases, failed, len(wrong))


def fixes(run: SuiteRun) -> int:
    """Make every fix that the linter offers for a rollout that got stuck, in the cluster where it is stuck."""
    path = GOLDEN / "rollouts" / f"{run.version}.jsonl.xz"
    cases = {case.id: case for case in every_case(run.chosen)}
    stuck = [
        record
        for record in recording.read(path)
        if record["id"] in cases
        and run.chosen.only in record["id"]
        and all(each["outcome"] == "stuck" for each in record["outcomes"])
    ]
    step = max(1, len(stuck) // (4 if run.chosen.short else 45))
    work: list[tuple[Object, linter.Offer]] = []
    crashed = 0
    for record in run.chosen_cases(stuck)[::step]:
        try:
            offers = linter.offered(record)
        except linter.LinterFailed as failed:
            print(f"{record['id']}: {failed}", file=sys.stderr)
            crashed += 1
            continue
        work += [(record, offer) for offer in offers]

    def do(plane: ControlPlane, kubelets: Kubelets, piece: tuple[Object, linter.Offer]) -> Object:
        record, offer = piece
        found = Run(plane.client, kubelets, cases[record["id"]]).repaired(offer.fixed)
        texts = sorted({each["message"] for each in found["stuck"]["events"] if each["reason"] == "FailedScheduling"})
        answer = {
            "id": f"{record['id']} {offer.code} {offer.workload} {offer.title}",
            "kubernetes": run.version,
            "completes": found["repaired"]["workloads"][offer.workload] == "complete",
            "foretold": offer.scheduler,
            "seen": texts,
        }
        print(f"{answer['id']}: {'completes' if answer['completes'] else 'does not complete'}", flush=True)
        return answer

    records = lanes.through(run.supervisor, run.planes, work, do)
    count = run.record(records)
    wrong = [record for record in records if not record["completes"]]
    unlike = [record for record in records if record["foretold"] and record["foretold"] not in record["seen"]]
    for record in unlike:
        print(f"{record['id']}\n   foretold {record['foretold']}\n   seen     {record['seen']}")
    told = f"{len(records)} fixes tried, {len(wrong)} did not help, {len(unlike)} texts differ; {count} recorded"
    print(told, file=sys.stderr)
    return run.verdict(len(work) + crashed, len(work) - len(records) + crashed, len(wrong) + len(unlike))


def by_hand(run: SuiteRun) -> int:
    """The case that started the project, with kubectl."""
    kubelets = Kubelets(run.planes[0].client)
    try:
        answer = tracker.played(
            run.planes[0], kubelets, tracker.kubectl_path(tools.release(run.chosen.kubernetes).program("kubectl"))
        )
    finally:
        kubelets.stop()
    run.record([{"id": "tracker", "kubernetes": run.version, **answer}])
    print(json.dumps(answer, indent=1), flush=True)
    return run.verdict(1, 0, int(not tracker.right(answer)))


def _played(run: SuiteRun, cases: Iterable[Case]) -> tuple[int, int, list[Object]]:
    """How many cases there were, how many of them failed, and those that are recorded."""
    every = 10 if run.chosen.short else run.chosen.every
    work = run.chosen_cases([case for case in cases if run.chosen.only in case.id][::every])

    def do(plane: ControlPlane, kubelets: Kubelets, case: Case) -> Object:
        record = recorded(plane, kubelets, case, run.chosen.runs, run.version, sure=not run.chosen.short)
        times: Counter[str] = Counter()
        for each in record["outcomes"]:
            times[each["outcome"]] += each["times"]
        outcomes = ", ".join(f"{count} {name}" for name, count in sorted(times.items()))
        print(f"{case.id}: {outcomes or record['no_start']}", flush=True)
        return record

    records = lanes.through(run.supervisor, run.planes, work, do)
    usable = [record for record in records if record["outcomes"]]
    count = run.record(usable)
    print(f"{len(usable)} rollouts run, {count} recorded", file=sys.stderr)
    return len(work), len(work) - len(records), usable


def every_case(chosen: argparse.Namespace) -> Iterator[Case]:
    """Every rollout there is, generated ones last."""
    yield from rollout_case.hand_written(CASES / "rollouts")
    yield from families.families()
    yield from device_rollouts.device_rollouts()
    yield from device_features.feature_rollouts()
    yield from generator.matrix()
    yield from generator.random_cases(chosen.seed, chosen.generate)
    yield from device_random.random_device_rollouts(chosen.seed, chosen.generate)


def shrunk(plane: ControlPlane, record: Object, runs: int) -> Case:
    """A smaller case about which linter and cluster disagree as well."""
    kubelets = Kubelets(plane.client)
    original = {"id": record["id"], "inventory": record["inventory"], "old": record["old"], "new": record["new"]}

    def wrong(smaller: Case) -> str:
        try:
            return _wrong(recorded(plane, kubelets, smaller, runs, record["kubernetes"], sure=True))
        except Refused:
            return ""

    try:
        return shrink.rollout(rollout_case.read(original), wrong)
    finally:
        kubelets.stop()


def recorded(plane: ControlPlane, kubelets: Kubelets, case: Case, runs: int, version: str, *, sure: bool) -> Object:
    """A case with the outcomes of so many runs; with `no_start` where it is no rollout.

    With `sure` the first run that gets stuck is watched until the scheduler has tried everything once more.
    """
    outcomes: list[Object] = []
    inventory: tuple[Object, ...] = ()
    for number in range(runs):
        one = Run(plane.client, kubelets, case, sure=sure and not any(each["outcome"] == "stuck" for each in outcomes))
        try:
            outcomes.append(one.outcome(pace(number)))
        except NoStart as no:
            return {**rollout_case.written(case), "kubernetes": version, "outcomes": [], "no_start": str(no)}
        inventory = inventory or one.inventory
    return {
        **rollout_case.written(case),
        "inventory": list(inventory),
        "kubernetes": version,
        "outcomes": recording.counted(outcomes),
    }


def _wrong(record: Object) -> str:
    """Where the linter disagrees with what was recorded; empty where it does not, or is not asked."""
    if not record["outcomes"] or compare.comparable(record):
        return ""
    return "; ".join(f"{one.id}: {one.disagrees}" for one in compare.compared(record) if one.disagrees)


def pace(number: int) -> Pace:
    """Kubelets that are at once, then ones that take random times, then ones that are slow to end pods, in turn."""
    return (
        Pace(seed=number),
        Pace(seed=number, ready=0.5, gone=1.0),
        Pace(seed=number, ready=0.2, gone=2.5),
        Pace(seed=number, ready=2.0, gone=0.3),
    )[number % 4]
