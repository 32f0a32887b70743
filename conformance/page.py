"""`docs/conformance.md`: what was compared, and how it came out; every number is counted from the recordings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from conformance import admission_answers, apply_answers, device_answers, recording, refusals, update_answers
from conformance.api_client import Object
from conformance.compare import Compared, comparable, compared

_HEAD = """# Conformance

The judge of this project is the real control plane: kube-apiserver, kube-controller-manager, kube-scheduler and etcd,
built from their released sources, started on loopback (`conformance/README.md` says how). What they did is recorded
below `tests/golden/`. This page is written by `python -m conformance page` and is not edited by hand.
"""

_TITLES = {"rollouts": "Rollouts", "applies": "Changes of several objects"}


def questions(records: Iterable[Object]) -> Iterator[tuple[Object, str, list[Compared]]]:
    """Each recorded rollout with why it was not compared, or what the linter was asked about it."""
    for record in records:
        why = comparable(record)
        yield record, why, [] if why else list(compared(record))


def written(golden: Path, known: Path) -> str:
    """The page."""
    parts = [_HEAD]
    for suite, section in SECTIONS.items():
        parts += [section(version_of(path), list(recording.read(path))) for path in recordings(golden, suite)]
    parts.append(known.read_text(encoding="utf-8"))
    return "\n".join(parts)


def recordings(golden: Path, suite: str) -> list[Path]:
    """The recordings of a suite, one for each release."""
    return sorted((golden / suite).glob("*.jsonl.xz"))


def version_of(path: Path) -> str:
    """The release that a recording is of."""
    return path.name.removesuffix(".jsonl.xz")


def runs_seen(suite: str, version: str, records: list[Object]) -> str:
    """How many rollouts of a suite were run on a release, and how they ended."""
    runs: Counter[str] = Counter()
    mixed = 0
    for record in records:
        kinds = {each["outcome"] for each in record["outcomes"]}
        mixed += len(kinds) > 1
        for each in record["outcomes"]:
            runs[each["outcome"]] += each["times"]
    counts = ", ".join(f"{count} {name}" for name, count in sorted(runs.items()))
    cases = f"{len(records)} cases, {sum(runs.values())} runs: {counts}; {mixed} cases went both ways."
    return f"## {_TITLES[suite]}, Kubernetes {version}\n\n{cases}\n"


def _rollouts(version: str, records: list[Object]) -> str:
    table: Counter[tuple[str, str]] = Counter()
    skipped: Counter[str] = Counter()
    wrong = []
    for _, why, asked in questions(records):
        if why:
            skipped[why] += 1
        for one in asked:
            seen = " and ".join(name for name, _ in one.seen)
            table[one.verdict.partition(" ")[0], seen] += 1
            if one.disagrees:
                wrong.append(f"* `{one.id}`: {one.disagrees}")
    lines = [
        runs_seen("rollouts", version, records),
        "The linter was asked once about each case without knowing where the old pods run, once for each start seen.",
        "",
        "| linter | control plane | questions |",
        "| --- | --- | --- |",
        *(f"| {said} | {seen} | {count} |" for (said, seen), count in sorted(table.items())),
        "",
        *(f"Not compared: {count} ({why})." for why, count in sorted(skipped.items())),
        "",
        f"Disagreements: {len(wrong) or 'none'}.",
        *wrong,
        "",
    ]
    return "\n".join(lines)


def _applies(version: str, records: list[Object]) -> str:
    counts, wrong = apply_answers.compared(records)
    return "\n".join(
        [
            runs_seen("applies", version, records),
            "`check` was asked about each change with the declared nodes and what was applied before:",
            "",
            *(f"* {count} {name}" for name, count in sorted(counts.items())),
            "",
            f"Disagreements: {len(wrong) or 'none'}.",
            *(f"* {each}" for each in wrong),
            "",
        ]
    )


def _scheduling(version: str, records: list[Object]) -> str:
    agreeing = sum(record["agrees"] for record in records)
    files = Counter(record["file"] for record in records)
    texts = sum("message" in record for record in records)
    evicting = sum("nominated" in record for record in records)
    return "\n".join(
        [
            f"## Scheduling live, Kubernetes {version}",
            "",
            f"{len(records)} recorded scheduler scenarios set up in a running cluster.",
            f"{agreeing} had the recorded answer: {texts} event texts to the letter, {evicting} preemptions.",
            "",
            ", ".join(f"{name} {count}" for name, count in sorted(files.items())) + ".",
            "",
        ]
    )


def _devices(version: str, records: list[Object]) -> str:
    counts, wrong = device_answers.compared(records)
    return "\n".join(
        [
            f"## Claims to devices, Kubernetes {version}",
            "",
            f"{len(records)} pods with claims in a running cluster, beside devices as a driver would publish them:",
            "",
            *(f"* {count} {name}" for name, count in sorted(counts.items())),
            "",
            f"Disagreements in node, devices or event text: {len(wrong) or 'none'}.",
            *(f"* {each}" for each in wrong),
            "",
        ]
    )


def _validation(version: str, records: list[Object]) -> str:
    accepted = sum(record["accepted"] for record in records)
    reasons = Counter(record["reason"] for record in records if not record["accepted"])
    kinds = Counter(str(record["object"].get("kind")) for record in records)
    answers = refusals.told(records)
    counts, wrong = refusals.compared(records, answers)
    passed = refusals.passed(records, answers)
    return "\n".join(
        [
            f"## Validation, Kubernetes {version}",
            "",
            f"{len(records)} objects: {accepted} accepted, "
            + ", ".join(f"{count} {name}" for name, count in sorted(reasons.items()))
            + ".",
            "",
            ", ".join(f"{name} {count}" for name, count in sorted(kinds.items())) + ".",
            "",
            *(f"* {count} {name}" for name, count in sorted(counts.items())),
            "",
            "Fields of refused objects that the linter lets pass:",
            "",
            "| field | objects | because |",
            "| --- | --- | --- |",
            *(
                f"| `{field}` | {count} | {why} |"
                for (field, why), count in sorted(passed.items(), key=lambda entry: (-entry[1], entry[0]))
            ),
            "",
            f"Disagreements: {len(wrong) or 'none'}.",
            *(f"* {each}" for each in wrong),
            "",
        ]
    )


def _updates(version: str, records: list[Object]) -> str:
    refused = sum(not record["applied"]["accepted"] for record in records)
    kinds = Counter(record["before"]["kind"] for record in records)
    counts, wrong = update_answers.compared(records)
    return "\n".join(
        [
            f"## Changes of what exists, Kubernetes {version}",
            "",
            f"{len(records)} changes: {len(records) - refused} accepted, {refused} refused.",
            "",
            ", ".join(f"{name} {count}" for name, count in sorted(kinds.items())) + ".",
            "",
            *(f"* {count} {name}" for name, count in sorted(counts.items())),
            "",
            f"Disagreements: {len(wrong) or 'none'}.",
            *(f"* {each}" for each in wrong),
            "",
        ]
    )


def _admission(version: str, records: list[Object]) -> str:
    refused = sum("error" in record for record in records)
    counts, wrong = admission_answers.compared(records)
    return "\n".join(
        [
            f"## Admission, Kubernetes {version}",
            "",
            f"{len(records)} pods: {len(records) - refused} admitted, {refused} refused.",
            "",
            "The linter foretold priority and preemption policy, tolerations, resources, label keys and refusals:",
            "",
            *(f"* {count} {name}" for name, count in sorted(counts.items())),
            "",
            f"Disagreements: {len(wrong) or 'none'}.",
            *(f"* {each}" for each in wrong),
            "",
        ]
    )


def _fixes(version: str, records: list[Object]) -> str:
    helped = sum(record["completes"] for record in records)
    told = [record for record in records if record["foretold"]]
    alike = sum(record["foretold"] in record["seen"] for record in told)
    return "\n".join(
        [
            f"## Fixes, Kubernetes {version}",
            "",
            f"{len(records)} fixes that the linter offers were made in stuck rollouts; {helped} let them complete.",
            f"{alike} of {len(told)} foretold event texts were those of the cluster.",
            "",
        ]
    )


def _tracker(version: str, records: list[Object]) -> str:
    lines = [f"## The case that started the project, Kubernetes {version}", ""]
    for record in records:
        alike = set(record["foretold"]) <= set(record["events"]) and bool(record["foretold"])
        outcomes = f"with another image: {record['changed']}; with the linter's fix: {record['fixed']}"
        lines += [
            f"Applied with kubectl: {record['before']}; {outcomes}.",
            f"The text that the linter foretold {'is' if alike else 'is not'} that of the event:",
            "",
            *(f"    {text}" for text in record["events"]),
            "",
        ]
    return "\n".join(lines)


SECTIONS = {
    "rollouts": _rollouts,
    "applies": _applies,
    "scheduling": _scheduling,
    "devices": _devices,
    "validation": _validation,
    "updates": _updates,
    "admission": _admission,
    "fixes": _fixes,
    "tracker": _tracker,
}
