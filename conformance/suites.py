"""Suites: which cases there are, and how they are run."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from conformance import families, generator, lanes, recording, rollout_case, tools, validation
from conformance.api_client import Object
from conformance.control_plane import ControlPlane, start
from conformance.kubelets import Kubelets, Pace
from conformance.processes import Supervisor
from conformance.rollout_case import Case
from conformance.rollout_run import NoStart, Run

_CASES = Path(__file__).parent / "cases"


def run(chosen: argparse.Namespace) -> int:
    """Run what was chosen; 1 when something failed."""
    release = tools.release(chosen.kubernetes)
    supervisor = Supervisor(keep=chosen.keep)
    wanted = chosen.suite or list(_SUITES)
    try:
        planes = start(supervisor, release, chosen.planes)
        codes = [_SUITES[name](chosen, supervisor, planes, release.kubernetes) for name in wanted]
        return max(codes)
    finally:
        supervisor.stop()


def rollouts(chosen: argparse.Namespace, supervisor: Supervisor, planes: tuple[ControlPlane, ...], version: str) -> int:
    """Run rollouts, each several times at different paces of the kubelets."""
    cases = [
        *rollout_case.hand_written(_CASES / "rollouts"),
        *families.families(),
        *generator.matrix(),
        *generator.random_cases(chosen.seed, chosen.generate),
    ]
    cases = [case for case in cases if chosen.only in case.id]

    def do(plane: ControlPlane, kubelets: Kubelets, case: Case) -> Object:
        outcomes: list[Object] = []
        inventory: tuple[Object, ...] = ()
        for number in range(chosen.runs):
            sure = not chosen.short and not any(each["outcome"] == "stuck" for each in outcomes)
            one = Run(plane.client, kubelets, case, sure=sure)
            try:
                outcomes.append(one.outcome(pace(number)))
            except NoStart as no:
                return {**rollout_case.written(case), "kubernetes": version, "outcomes": [], "no_start": str(no)}
            inventory = inventory or one.inventory
        record = {
            **rollout_case.written(case),
            "inventory": list(inventory),
            "kubernetes": version,
            "outcomes": recording.counted(outcomes),
        }
        print(f"{case.id}: {' '.join(each['outcome'] for each in outcomes)}", flush=True)
        return record

    records = lanes.through(supervisor, planes, cases, do)
    for record in records:
        if "no_start" in record:
            print(f"{record['id']}: no rollout: {record['no_start']}", file=sys.stderr)
    usable = [record for record in records if record["outcomes"]]
    count = recording.write(chosen.record / "rollouts" / f"{version}.jsonl", usable)
    print(f"{count} rollouts recorded", file=sys.stderr)
    return 0 if len(records) == len(cases) else 1


def objects(chosen: argparse.Namespace, _: Supervisor, planes: tuple[ControlPlane, ...], version: str) -> int:
    """Ask the API server about objects that are right and wrong."""
    folder = _CASES / "validation"
    kinds = {
        name: (value["kind"], value["apiVersion"], value["metadata"].get("namespace", ""))
        for name, value in validation.bases(folder)
    }
    count = 50 if chosen.short else 600
    trials = [*validation.hand_written(folder), *validation.random_trials(folder, chosen.seed, count)]
    records = []
    for trial in trials:
        if chosen.only in trial.id:
            kind, api_version, namespace = kinds[trial.base]
            found = validation.answered(planes[0].client, trial, kind, namespace, api_version)
            records.append({**found, "kubernetes": version})
    count = recording.write(chosen.record / "validation" / f"{version}.jsonl", records)
    accepted = sum(record["accepted"] for record in records)
    print(f"{count} objects recorded, {accepted} accepted", file=sys.stderr)
    return 0


def pace(number: int) -> Pace:
    """Kubelets that are at once, then ones that take random times, then ones that are slow to end pods, in turn."""
    return (
        Pace(seed=number),
        Pace(seed=number, ready=0.5, gone=1.0),
        Pace(seed=number, ready=0.2, gone=2.5),
        Pace(seed=number, ready=2.0, gone=0.3),
    )[number % 4]


_SUITES = {"rollouts": rollouts, "validation": objects}
