"""What `check` says about a recorded change, asked as its users ask it, beside what became of each workload."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from conformance import linter
from conformance.api_client import Object
from conformance.compare import rolled
from conformance.rollout_case import reference

STUCK, MAY, SILENT = "certain error", "warning", "silent"
_ASIDE = {"KLG108", "KLG112", "KLG203", "KLG208", "KLG301", "KLG305", "KLG306", "KLG405", "KLG601", "KLG602"}
"""Rules that tell neither that a workload of this change runs nor that it does not."""


def compared(
    records: Sequence[Object], ask: Callable[..., Sequence[Object]] = linter.findings
) -> tuple[Counter[str], list[str]]:
    """How often they agree, and each workload about which they do not.

    That is one of which an error is certain though it completed in some run, and one of which nothing is said though
    no run completed it. `ask` gives the findings about manifests, what was applied before, and the inventory.
    """
    counts: Counter[str] = Counter()
    wrong = []
    for record in records:
        if not _is_asked(record):
            counts["not asked: refused, or what waits is seen in a capture only"] += 1
            continue
        for name, said, seen in _answers(record, ask):
            counts[f"{said}: {' and '.join(sorted(seen))}"] += 1
            if (said == STUCK and seen["complete"]) or (said == SILENT and set(seen) == {"stuck"}):
                wrong.append(f"{record['id']}: {name} ran {dict(seen)}, the linter: {said}")
    return counts, wrong


def _is_asked(record: Object) -> bool:
    return not record.get("pending") and all(each["outcome"] != "refused" for each in record["outcomes"])


def _answers(record: Object, ask: Callable[..., Sequence[Object]]) -> Iterator[tuple[str, str, Counter[str]]]:
    old = {reference(each): each for each in record["old"]}
    new = {**old, **{reference(each): each for each in record["new"]}}
    version = {"apiVersion": "kubelint-gpu/v1", "kind": "ClusterInventory", "kubernetesVersion": record["kubernetes"]}
    found = ask([new[name] for name in sorted(new)], list(old.values()), [*record["inventory"], version])
    for name in rolled(record):
        seen: Counter[str] = Counter()
        for each in record["outcomes"]:
            seen[each["workloads"][name]] += each["times"]
        if not name.startswith("Job/"):
            yield name, said(found, name), seen


def said(findings: Sequence[Object], workload: str) -> str:
    """The worst that is said about a workload and this very change."""
    worst = SILENT
    for one in findings:
        about = workload in one["objects"] or one["code"] == "KLG106"
        if not about or one["code"] in _ASIDE or one["moment"] != "now" or one["severity"] == "note":
            continue
        if one["object"] == workload and (one["severity"], one["certainty"]) == ("error", "certain"):
            return STUCK
        worst = MAY
    return worst
