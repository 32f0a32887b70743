"""Suites: which cases there are, and how they are run."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from conformance import (
    admission,
    admission_answers,
    apply_answers,
    compare,
    device_answers,
    device_features,
    device_random,
    device_rollouts,
    device_scenarios,
    families,
    generator,
    lanes,
    linter,
    recording,
    refusals,
    rollout_case,
    scheduling,
    shrink,
    tools,
    tracker,
    update_answers,
    updates,
    validation,
)
from conformance.api_client import Object, Refused
from conformance.control_plane import CONTROLLERS, ControlPlane, start
from conformance.kubelets import Kubelets, Pace
from conformance.processes import NothingChosen, Supervisor
from conformance.rollout_case import Case
from conformance.rollout_run import NoStart, Run

_CASES = Path(__file__).parent / "cases"
_LASTING = 1.5
"""Seconds for which a pod with claims has to wait as it is foretold; the scheduler's back-off is one second."""
_GOLDEN = Path(__file__).parent.parent / "tests" / "golden"


def run(chosen: argparse.Namespace) -> int:
    """Run what was chosen, each suite on fresh control planes; 1 when something failed."""
    release = tools.release(chosen.kubernetes)
    worst = 0
    for name in chosen.suite or list(_SUITES):
        suite, controllers, without = _SUITES[name]
        supervisor = Supervisor(keep=chosen.keep)
        try:
            planes = start(
                supervisor, release, chosen.planes if controllers else min(chosen.planes, 3), controllers, without
            )
            worst = max(worst, suite(chosen, supervisor, planes, release.kubernetes))
        finally:
            supervisor.stop()
    return worst


def rollouts(chosen: argparse.Namespace, supervisor: Supervisor, planes: tuple[ControlPlane, ...], version: str) -> int:
    """Run rollouts, each several times at different paces of the kubelets."""
    cases, failed, usable = _played("rollouts", every_case(chosen), chosen, supervisor, planes, version)
    # only now: the linter would take time from the simulated kubelets
    disagreeing = [(record, wrong) for record in usable if (wrong := _wrong(record))]
    for record, wrong in disagreeing:
        print(f"disagrees: {record['id']}: {wrong}", flush=True)
        if record["id"].startswith("random"):
            small = shrunk(planes[0], record, chosen.runs)
            print(json.dumps(rollout_case.written(small), indent=1), flush=True)
    return _verdict("rollouts", cases, failed, len(disagreeing))


def applies(chosen: argparse.Namespace, supervisor: Supervisor, planes: tuple[ControlPlane, ...], version: str) -> int:
    """Run changes of several objects, which are then asked about as users do."""
    found = rollout_case.hand_written(_CASES / "applies")
    cases, failed, usable = _played("applies", found, chosen, supervisor, planes, version)
    wrong = apply_answers.compared(usable)[1]
    for each in wrong:
        print(f"disagrees: {each}", flush=True)
    return _verdict("applies", cases, failed, len(wrong))


def _played(
    suite: str,
    cases: Iterable[Case],
    chosen: argparse.Namespace,
    supervisor: Supervisor,
    planes: tuple[ControlPlane, ...],
    version: str,
) -> tuple[int, int, list[Object]]:
    """How many cases there were, how many of them failed, and those that are recorded."""
    every = 10 if chosen.short else chosen.every
    work = _chosen([case for case in cases if chosen.only in case.id][::every], chosen)

    def do(plane: ControlPlane, kubelets: Kubelets, case: Case) -> Object:
        record = recorded(plane, kubelets, case, chosen.runs, version, sure=not chosen.short)
        times: Counter[str] = Counter()
        for each in record["outcomes"]:
            times[each["outcome"]] += each["times"]
        outcomes = ", ".join(f"{count} {name}" for name, count in sorted(times.items()))
        print(f"{case.id}: {outcomes or record['no_start']}", flush=True)
        return record

    records = lanes.through(supervisor, planes, work, do)
    usable = [record for record in records if record["outcomes"]]
    count = recording.write(chosen.record / suite / f"{version}.jsonl.xz", usable, whole=_whole(chosen))
    print(f"{len(usable)} rollouts run, {count} recorded", file=sys.stderr)
    return len(work), len(work) - len(records), usable


def _chosen(found: Sequence[Any], chosen: argparse.Namespace) -> Sequence[Any]:
    """The cases of a run.

    Raises:
        NothingChosen: `--only` matches none.
    """
    if not found:
        raise NothingChosen(f'no case has "{chosen.only}" in its id')
    return found


def _whole(chosen: argparse.Namespace) -> bool:
    """Whether a run has all cases there are, apart from random ones."""
    return not chosen.only and not chosen.short and chosen.every == 1


def _verdict(suite: str, cases: int, failed: int, wrong: int) -> int:
    """Say how a suite came out; 1 where something disagreed or could not be run."""
    print(f"{suite}: {cases} cases, {failed} failed, {wrong} disagreements", flush=True)
    return 1 if failed or wrong else 0


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


def every_case(chosen: argparse.Namespace) -> Iterator[Case]:
    """Every rollout there is, generated ones last."""
    yield from rollout_case.hand_written(_CASES / "rollouts")
    yield from families.families()
    yield from device_rollouts.device_rollouts()
    yield from device_features.feature_rollouts()
    yield from generator.matrix()
    yield from generator.random_cases(chosen.seed, chosen.generate)
    yield from device_random.random_device_rollouts(chosen.seed, chosen.generate)


def objects(chosen: argparse.Namespace, _: Supervisor, planes: tuple[ControlPlane, ...], version: str) -> int:
    """Ask the API server about objects that are right and wrong."""
    folder = _CASES / "validation"
    kinds = {
        name: (value["kind"], value["apiVersion"], value["metadata"].get("namespace", ""))
        for name, value in validation.bases(folder)
    }
    count = chosen.generate or (50 if chosen.short else 600)
    trials = {
        trial.id: trial
        for trial in (*validation.hand_written(folder), *validation.random_trials(folder, chosen.seed, count))
        if chosen.only in trial.id
    }

    def asked(trial: validation.Trial) -> Object:
        kind, api_version, namespace = kinds[trial.base]
        return {**validation.answered(planes[0].client, trial, kind, namespace, api_version), "kubernetes": version}

    _chosen(list(trials), chosen)
    records = [asked(trial) for trial in trials.values()]
    number = recording.write(chosen.record / "validation" / f"{version}.jsonl.xz", records, whole=_whole(chosen))
    accepted = sum(record["accepted"] for record in records)
    print(f"{len(records)} objects, {accepted} accepted; {number} recorded", file=sys.stderr)
    wrong = refusals.disagreements(records)
    for name in sorted(wrong):
        if name.startswith("random"):
            trial = trials[name]

            def still(value: Object, trial: validation.Trial = trial, alike: str = _kind(wrong[name])) -> bool:
                found = refusals.disagreements([asked(replace(trial, object=value))]).get(trial.id, "")
                return _kind(found) == alike

            print(f"{name}, smaller:", json.dumps(shrink.whole_object(trial.object, still), indent=1), flush=True)
    return _reported("validation", len(records), [f"{name}: {text}" for name, text in sorted(wrong.items())])


def _kind(disagreement: str) -> str:
    """What a disagreement is about, without the values: the first words and the field."""
    return " ".join(re.sub(r'"[^"]*"', "", disagreement).split()[:8])


def _reported(suite: str, cases: int, wrong: Sequence[str]) -> int:
    """Print disagreements; 1 where there are any."""
    for each in wrong:
        print(f"disagrees: {each}", flush=True)
    return _verdict(suite, cases, 0, len(wrong))


def changes(chosen: argparse.Namespace, _: Supervisor, planes: tuple[ControlPlane, ...], version: str) -> int:
    """Ask the API server about changes of objects that exist."""
    found = _chosen([each for each in updates.hand_written(_CASES / "updates") if chosen.only in each.name], chosen)
    records: list[Object] = []
    for existing in found[:: 4 if chosen.short else 1]:
        records += [{**record, "kubernetes": version} for record in updates.answered(planes[0].client, existing)]
    count = recording.write(chosen.record / "updates" / f"{version}.jsonl.xz", records, whole=_whole(chosen))
    refused = sum(not record["applied"]["accepted"] for record in records)
    print(f"{len(records)} changes, {refused} refused; {count} recorded", file=sys.stderr)
    return _reported("updates", len(records), update_answers.compared(records)[1])


def scheduled(
    chosen: argparse.Namespace, supervisor: Supervisor, planes: tuple[ControlPlane, ...], version: str
) -> int:
    """Replay recorded scheduler answers in a live cluster."""
    found = list(scheduling.scenarios(_GOLDEN / "scheduler", version, 3 if chosen.short else 40))
    work = _chosen([(name, record) for name, record in found if chosen.only in record["id"]], chosen)

    def do(plane: ControlPlane, _: Kubelets, piece: tuple[str, Object]) -> Object | None:
        name, record = piece
        try:
            answer = scheduling.live(plane.client, record)
        except scheduling.Unlike as unlike:
            print(f"{record['id']} is not possible live: {unlike}", file=sys.stderr)
            return None
        if not answer["agrees"]:
            print(f"{name} {record['id']}: {answer}\n   recorded {record['expect']}", flush=True)
        return {**answer, "kubernetes": version, "file": name}

    answers = lanes.through(supervisor, planes, work, do, kubelets=False)
    records = [answer for answer in answers if answer is not None]
    count = recording.write(chosen.record / "scheduling" / f"{version}.jsonl.xz", records, whole=_whole(chosen))
    impossible = len(answers) - len(records)
    print(f"{len(records)} live scheduling answers, {impossible} not possible live; {count} recorded", file=sys.stderr)
    return _verdict("scheduling", len(work), len(work) - len(answers), sum(not each["agrees"] for each in records))


def claims(chosen: argparse.Namespace, supervisor: Supervisor, planes: tuple[ControlPlane, ...], version: str) -> int:
    """Pods with claims, and what becomes of them."""
    count = chosen.generate or (12 if chosen.short else 160)
    found = device_scenarios.scenarios(chosen.seed, count)
    work = _chosen([each for each in found if chosen.only in each["id"]], chosen)

    def do(plane: ControlPlane, _: Kubelets, case: Object) -> Object | None:
        expect = device_answers.foretold(case["scenario"], version)
        try:
            answer = scheduling.live(plane.client, {**case, "expect": expect}, _LASTING)
        except scheduling.Unlike as unlike:
            print(f"{case['id']} is not possible live: {unlike}", file=sys.stderr)
            return None
        del answer["agrees"]
        return {**answer, "scenario": case["scenario"], "kubernetes": version}

    answers = lanes.through(supervisor, planes, work, do, kubelets=False)
    records = [answer for answer in answers if answer is not None]
    number = recording.write(chosen.record / "devices" / f"{version}.jsonl.xz", records, whole=_whole(chosen))
    impossible = len(answers) - len(records)
    print(f"{len(records)} pods with claims, {impossible} not possible live; {number} recorded", file=sys.stderr)
    wrong = device_answers.compared(records)[1]
    print("\n".join(wrong), flush=True)
    return _verdict("devices", len(work), len(work) - len(answers), len(wrong))


def admissions(chosen: argparse.Namespace, _: Supervisor, planes: tuple[ControlPlane, ...], version: str) -> int:
    """What admission makes of pods."""
    cases = _chosen(
        [case for case in admission.hand_written(_CASES / "admission") if chosen.only in case["id"]], chosen
    )
    records = [{**admission.admitted(planes[0].client, case), "kubernetes": version} for case in cases]
    count = recording.write(chosen.record / "admission" / f"{version}.jsonl.xz", records, whole=_whole(chosen))
    print(f"{len(records)} admissions, {count} recorded", file=sys.stderr)
    return _reported("admission", len(records), admission_answers.compared(records)[1])


def fixes(chosen: argparse.Namespace, supervisor: Supervisor, planes: tuple[ControlPlane, ...], version: str) -> int:
    """Make every fix that the linter offers for a rollout that got stuck, in the cluster where it is stuck."""
    path = _GOLDEN / "rollouts" / f"{version}.jsonl.xz"
    cases = {case.id: case for case in every_case(chosen)}
    stuck = [
        record
        for record in recording.read(path)
        if record["id"] in cases
        and chosen.only in record["id"]
        and all(each["outcome"] == "stuck" for each in record["outcomes"])
    ]
    step = max(1, len(stuck) // (4 if chosen.short else 45))
    work: list[tuple[Object, linter.Offer]] = []
    crashed = 0
    for record in _chosen(stuck, chosen)[::step]:
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
            "kubernetes": version,
            "completes": found["repaired"]["workloads"][offer.workload] == "complete",
            "foretold": offer.scheduler,
            "seen": texts,
        }
        print(f"{answer['id']}: {'completes' if answer['completes'] else 'does not complete'}", flush=True)
        return answer

    records = lanes.through(supervisor, planes, work, do)
    count = recording.write(chosen.record / "fixes" / f"{version}.jsonl.xz", records, whole=_whole(chosen))
    wrong = [record for record in records if not record["completes"]]
    unlike = [record for record in records if record["foretold"] and record["foretold"] not in record["seen"]]
    for record in unlike:
        print(f"{record['id']}\n   foretold {record['foretold']}\n   seen     {record['seen']}")
    told = f"{len(records)} fixes tried, {len(wrong)} did not help, {len(unlike)} texts differ; {count} recorded"
    print(told, file=sys.stderr)
    return _verdict("fixes", len(work) + crashed, len(work) - len(records) + crashed, len(wrong) + len(unlike))


def by_hand(chosen: argparse.Namespace, _: Supervisor, planes: tuple[ControlPlane, ...], version: str) -> int:
    """The case that started the project, with kubectl."""
    kubelets = Kubelets(planes[0].client)
    try:
        answer = tracker.played(
            planes[0], kubelets, tracker.kubectl_path(tools.release(chosen.kubernetes).program("kubectl"))
        )
    finally:
        kubelets.stop()
    recording.write(
        chosen.record / "tracker" / f"{version}.jsonl.xz", [{"id": "tracker", "kubernetes": version, **answer}]
    )
    print(json.dumps(answer, indent=1), flush=True)
    return _verdict("tracker", 1, 0, int(not tracker.right(answer)))


def pace(number: int) -> Pace:
    """Kubelets that are at once, then ones that take random times, then ones that are slow to end pods, in turn."""
    return (
        Pace(seed=number),
        Pace(seed=number, ready=0.5, gone=1.0),
        Pace(seed=number, ready=0.2, gone=2.5),
        Pace(seed=number, ready=2.0, gone=0.3),
    )[number % 4]


# the recorded scheduler scenarios are pods that admission has not touched
_SUITES: dict[str, tuple[Any, tuple[str, ...], tuple[str, ...]]] = {
    "validation": (objects, (), ()),
    "updates": (changes, (), ()),
    "admission": (admissions, (), ()),
    "scheduling": (scheduled, (), ("DefaultTolerationSeconds",)),
    "devices": (claims, (), ()),
    "tracker": (by_hand, CONTROLLERS, ()),
    "fixes": (fixes, CONTROLLERS, ()),
    "rollouts": (rollouts, CONTROLLERS, ()),
    "applies": (applies, CONTROLLERS, ()),
}
