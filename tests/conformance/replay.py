"""Replays what the real kube-scheduler answered and counts the differences.

Usage: python tests/conformance/replay.py FILE.jsonl…        (also .jsonl.gz and .jsonl.xz)

Each line of a file is a scenario and the recorded answer. Prints, per file, the scenarios and the mismatches by kind,
and the first three mismatches in full. Exits 1 if there is any mismatch, 2 if a file cannot be read.
"""

from __future__ import annotations

import gzip
import itertools
import json
import lzma
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from kubelint_gpu.scheduler import Preemption, Snapshot, fit, message, preempt, read_cluster, read_pod  # noqa: E402

KINDS = ("fits", "plugin", "code", "reasons", "message", "nominated", "victims", "error")
OBJECTS = {
    "nodes": "Node",
    "pods": "Pod",
    "namespaces": "Namespace",
    "pdbs": "PodDisruptionBudget",
    "pvcs": "PersistentVolumeClaim",
    "pvs": "PersistentVolume",
    "storageClasses": "StorageClass",
    "csiNodes": "CSINode",
    "csiDrivers": "CSIDriver",
    "csiStorageCapacities": "CSIStorageCapacity",
    "volumeAttachments": "VolumeAttachment",
    "priorityClasses": "PriorityClass",
    "runtimeClasses": "RuntimeClass",
    "deviceClasses": "DeviceClass",
    "resourceSlices": "ResourceSlice",
    "resourceClaims": "ResourceClaim",
    "resourceClaimTemplates": "ResourceClaimTemplate",
    "deviceTaintRules": "DeviceTaintRule",
}
SHOWN = 3


def lines(path: Path) -> Iterator[dict[str, Any]]:
    opener = {".gz": gzip.open, ".xz": lzma.open}.get(path.suffix, open)
    with opener(path, "rt", encoding="utf-8") as stream:
        for line in stream:
            if line.strip():
                yield json.loads(line)


def load(line: dict[str, Any]) -> tuple[Any, Snapshot]:
    scenario = line["scenario"]
    objects = [{"kind": kind, **value} for key, kind in OBJECTS.items() for value in scenario.get(key) or ()]
    cluster = read_cluster(objects, version=line.get("kubernetes"), complete=True)
    return read_pod(scenario["pod"]), Snapshot.of(cluster)


def answer(line: dict[str, Any], **options: Any) -> tuple[dict[str, Any], Preemption | None]:
    """What the core says, in the shape of the recording."""
    pod, snapshot = load(line)
    result = fit(pod, snapshot, **options)
    found: dict[str, Any] = {"fits": list(result.fits)}
    if result.prefilter is not None:
        found["prefilter"] = f"{result.prefilter.plugin}: {', '.join(result.prefilter.reasons)}"
    else:
        found["nodes"] = {}
        for name, status in result.rejections.items():
            entry: dict[str, Any] = {"code": status.code.value}
            if status.plugin:
                entry |= {"plugin": status.plugin, "reasons": list(status.reasons)}
            found["nodes"][name] = entry
    preemption = None
    if result.error is not None:
        found["error"] = ", ".join(result.error.reasons)
    elif not result.schedulable:
        preemption = preempt(pod, snapshot, result) if result.total else None
        found["message"] = message(pod, snapshot, result, preemption)
        if preemption is not None and preemption.nominated is not None:
            found["nominated"] = preemption.nominated
            found["victims"] = sorted(victim.meta.name for victim in preemption.victims)
    return found, preemption


def differences(expected: dict[str, Any], found: dict[str, Any], preemption: Preemption | None) -> list[str]:
    """The kinds in which an answer differs from the recorded one."""
    wrong = []
    if sorted(expected.get("fits") or ()) != found["fits"]:
        wrong.append("fits")
    here, there = expected.get("nodes") or {}, found.get("nodes") or {}
    names = sorted({*here, *there})
    wrong += [
        kind
        for kind in ("plugin", "code", "reasons")
        if any(compared(kind, here.get(name)) != compared(kind, there.get(name)) for name in names)
    ]
    if expected.get("prefilter") != found.get("prefilter"):
        wrong += [kind for kind in ("plugin", "reasons") if kind not in wrong]
    if (expected.get("message") or None) != found.get("message"):
        wrong.append("message")
    if (expected.get("error") or None) != found.get("error"):
        wrong.append("error")
    allowed = choices(expected)
    mine = [(found.get("nominated"), found.get("victims", []))]
    if preemption is not None and preemption.succeeds:
        mine += [(one.node, sorted(pod.meta.name for pod in one.victims)) for one in preemption.alternatives]
    if "anyOf" in expected:
        # every recorded choice must be one of those that tie here: then any other that ties is right too
        if not all(choice[0] in [one[0] for one in mine] for choice in allowed):
            wrong.append("nominated")
        elif not all(choice in mine for choice in allowed):
            wrong.append("victims")
    elif allowed[0][0] not in [one[0] for one in mine]:
        wrong.append("nominated")
    elif allowed[0] not in mine:
        wrong.append("victims")
    return wrong


def compared(kind: str, entry: dict[str, Any] | None) -> Any:
    """One part of a node's entry, such that equally right ones are equal.

    kube-scheduler walks extended resources in the random order of a Go map: their reasons come in any order.
    """
    value = (entry or {}).get(kind)
    if kind != "reasons" or not value:
        return value
    return [reason for reason in value if not extended(reason)] + sorted(reason for reason in value if extended(reason))


def extended(reason: str) -> bool:
    name = reason.removeprefix("Insufficient ")
    return name != reason and name not in ("cpu", "memory", "ephemeral-storage")


def choices(expected: dict[str, Any]) -> list[tuple[str | None, list[str]]]:
    """The recorded choices of preemption: one, or several where the scheduler chose at random."""
    recorded = expected.get("anyOf") or [expected]
    return [(one.get("nominated") or None, sorted(one.get("victims") or ())) for one in recorded]


def replay(
    path: Path, every: int = 1, **options: Any
) -> tuple[int, Counter[str], list[tuple[str, list[str], Any, Any]]]:
    """Scenarios, mismatches by kind, and each mismatch with both answers; of the scenarios `every` so many."""
    count = 0
    kinds: Counter[str] = Counter()
    wrong = []
    for line in itertools.islice(lines(path), 0, None, every):
        count += 1
        identity, expected = line["id"], line["expect"]
        try:
            found, preemption = answer(line, **options)
            differ = differences(expected, found, preemption)
        except Exception as error:  # noqa: BLE001 - a crash is a mismatch, and the rest is still replayed
            found, differ = {"error": repr(error)}, ["error"]
        kinds.update(differ)
        if differ:
            wrong.append((identity, differ, line, found))
    return count, kinds, wrong


def shown(identity: str, kinds: Iterable[str], line: dict[str, Any], found: Any) -> str:
    parts = [f"  {identity}: {', '.join(kinds)}"]
    for title, value in (("scenario", line["scenario"]), ("expected", line["expect"]), ("found", found)):
        parts.append(f"    {title}: {json.dumps(value, sort_keys=True)}")
    return "\n".join(parts)


def main(arguments: list[str]) -> int:
    if not arguments or any(argument.startswith("-") for argument in arguments):
        print(__doc__, file=sys.stderr)
        return 2
    total: Counter[str] = Counter()
    for argument in arguments:
        path = Path(argument)
        started = time.process_time()
        try:
            count, kinds, wrong = replay(path)
        except (OSError, ValueError, KeyError, TypeError, EOFError, lzma.LZMAError) as error:
            print(f"{path}: cannot be read: {error!r}", file=sys.stderr)
            return 2
        seconds = time.process_time() - started
        told = ", ".join(f"{kind} {kinds[kind]}" for kind in KINDS)
        print(f"{path}: {count} scenarios, {len(wrong)} mismatches ({told}) in {seconds:.1f} s")
        for mismatch in wrong[:SHOWN]:
            print(shown(*mismatch))
        total["scenarios"] += count
        total["wrong"] += len(wrong)
    print(f"total: {total['scenarios']} scenarios, {total['wrong']} mismatches")
    return 1 if total["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
