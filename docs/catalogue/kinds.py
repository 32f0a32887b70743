"""The table of kinds in docs/kinds.md: what is judged of the pods of each."""

from __future__ import annotations

import re
from pathlib import Path

from kubelint_gpu.kube.kinds.custom_workload import rows
from kubelint_gpu.kube.objects.workload import workload_kinds

KINDS = Path(__file__).resolve().parent.parent / "kinds.md"
_TABLE = re.compile(r"<!-- table: kinds -->\n.*", re.DOTALL)
_HEAD = (
    "| kind | API group | where a pod can run | how many pods there are | how a change replaces them |",
    "| --- | --- | --- | --- | --- |",
)
_OTHERS = (
    "| any other kind | with a dot | by shape | not judged | not judged |",
    "| any other kind that ends in Class, Config, Profile, Runtime or Template | with a dot | not judged | - | - |",
)
_NOTHING = ("Pod", "ReplicaSet", "ReplicationController")
_NEVER = "nothing is replaced"


def listed(text: str) -> str:
    """Return the page with its table made anew."""
    own = [
        f"| {kind} | {group or 'core'} | judged | judged | {_NEVER if kind in _NOTHING else 'judged'} |"
        for kind, group in workload_kinds().items()
    ]
    custom = [
        f"| {kind} | {group} | judged | judged{_possibly(row)} | {_change(row)} |"
        for (group, kind), row in sorted(rows().items(), key=lambda one: one[0][::-1])
    ]
    made = "\n".join(("<!-- table: kinds -->", *_HEAD, *own, *custom, *_OTHERS))
    return _TABLE.sub(lambda _: f"{made}\n", text)


def _change(row: dict[str, object]) -> str:
    """What is judged of a change, with the words of the row on how it replaces pods."""
    if row["rollout"] == "none":
        return _NEVER
    return f"judged{_possibly(row)}: {row['rollout']}" if row.get("update") or row["ends"] else "not judged"


def _possibly(row: dict[str, object]) -> str:
    return "" if row.get("exact") else ", possible"
