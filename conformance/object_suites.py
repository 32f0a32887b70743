"""Suites that ask the API server: about objects, about changes of them, and what admission makes of pods."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace

from conformance import admission, admission_answers, refusals, shrink, update_answers, updates, validation
from conformance.api_client import Object
from conformance.suite_run import CASES, SuiteRun


def objects(run: SuiteRun) -> int:
    """Ask the API server about objects that are right and wrong."""
    folder = CASES / "validation"
    kinds = {
        name: (value["kind"], value["apiVersion"], value["metadata"].get("namespace", ""))
        for name, value in validation.bases(folder)
    }
    count = run.chosen.generate or (50 if run.chosen.short else 600)
    trials = {
        trial.id: trial
        for trial in (*validation.hand_written(folder), *validation.random_trials(folder, run.chosen.seed, count))
        if run.chosen.only in trial.id
    }

    def asked(trial: validation.Trial) -> Object:
        kind, api_version, namespace = kinds[trial.base]
        return {
            **validation.answered(run.planes[0].client, trial, kind, namespace, api_version),
            "kubernetes": run.version,
        }

    run.chosen_cases(list(trials))
    records = [asked(trial) for trial in trials.values()]
    number = run.record(records)
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
    return run.reported(len(records), [f"{name}: {text}" for name, text in sorted(wrong.items())])


def _kind(disagreement: str) -> str:
    """What a disagreement is about, without the values: the first words and the field."""
    return " ".join(re.sub(r'"[^"]*"', "", disagreement).split()[:8])


def changes(run: SuiteRun) -> int:
    """Ask the API server about changes of objects that exist."""
    found = run.chosen_cases([each for each in updates.hand_written(CASES / "updates") if run.chosen.only in each.name])
    records: list[Object] = []
    for existing in found[:: 4 if run.chosen.short else 1]:
        records += [
            {**record, "kubernetes": run.version} for record in updates.answered(run.planes[0].client, existing)
        ]
    count = run.record(records)
    refused = sum(not record["applied"]["accepted"] for record in records)
    print(f"{len(records)} changes, {refused} refused; {count} recorded", file=sys.stderr)
    return run.reported(len(records), update_answers.compared(records)[1])


def admissions(run: SuiteRun) -> int:
    """What admission makes of pods."""
    cases = run.chosen_cases(
        [case for case in admission.hand_written(CASES / "admission") if run.chosen.only in case["id"]]
    )
    records = [{**admission.admitted(run.planes[0].client, case), "kubernetes": run.version} for case in cases]
    count = run.record(records)
    print(f"{len(records)} admissions, {count} recorded", file=sys.stderr)
    return run.reported(len(records), admission_answers.compared(records)[1])
