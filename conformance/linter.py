"""The linter as its users run it: a process, files in, JSON out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.api_client import Object
from conformance.processes import scratch, tied_to_parent
from conformance.rollout_case import reference

CRASH = "KLG000"
_ROOT = Path(__file__).parent.parent


class LinterFailed(RuntimeError):
    """The linter ended with an error of its own."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A fix that the linter offers, and the manifests with it made.

    Attributes:
        code: the rule.
        workload: whose rollout it is for, `Deployment/vision/object-tracker`.
        title: what the fix does, in the linter's words.
        scheduler: the event text that the finding foretells.
        fixed: the manifests afterwards.
    """

    code: str
    workload: str
    title: str
    scheduler: str
    fixed: tuple[Object, ...]


def offered(record: Object) -> list[Offer]:
    """Every verified fix for the workloads of a recorded rollout that got stuck.

    What is offered for one that did not get stuck is about another rollout than the recorded one.

    Raises:
        LinterFailed: it did not end as it should.
    """
    latest = {reference(each): each for each in (*record["old"], *record["new"])}
    waiting = {name for each in record["outcomes"] for name, how in each["workloads"].items() if how == "stuck"}
    found = offers([latest[name] for name in sorted(latest)], record["old"], record["inventory"])
    return [offer for offer in found if offer.workload in waiting]


def offers(manifests: Sequence[Object], old: Sequence[Object], inventory: Iterable[Object]) -> list[Offer]:
    """Every verified fix for manifests that are about to be applied where `old` runs.

    Raises:
        LinterFailed: it did not end as it should.
    """
    text = _listed(manifests)
    return [
        Offer(
            finding["code"],
            finding["object"],
            fix["title"],
            finding.get("scheduler") or "",
            _fixed(text, fix["edits"]),
        )
        for finding in findings(manifests, old, inventory)
        for fix in finding.get("fixes") or ()
        if fix["verified"]
    ]


def findings(
    manifests: Sequence[Object],
    old: Sequence[Object],
    inventory: Iterable[Object],
    run: Callable[[Path, Sequence[str]], Object] | None = None,
) -> list[Object]:
    """What is found in manifests that are about to be applied, all at once, where `old` runs.

    `run` gives the report of a command line in a folder; without one it is a process of its own.

    Raises:
        LinterFailed: it did not end as it should.
    """
    with scratch() as folder:
        new, before, cluster = folder / "new.json", folder / "old.json", folder / "inventory.json"
        new.write_text(_listed(manifests), encoding="utf-8")
        before.write_text(_listed(old), encoding="utf-8")
        cluster.write_text(_listed(inventory), encoding="utf-8")
        arguments = [str(new), "--inventory", str(cluster), "--against", str(before), "--isolated", "--together"]
        found: list[Object] = (run or check)(folder, [*arguments, "--output-format", "json"])["findings"]
        return found


def check(folder: Path, arguments: Sequence[str], *, crashes: bool = False) -> Object:
    """The JSON report of one run of `kubelint-gpu check` in a folder; it changes no file outside of it.

    With `crashes` rules that failed are findings of the report, and no failure of the run.

    Raises:
        LinterFailed: exit code 2, or something else than JSON.
    """
    command = [sys.executable, "-m", "kubelint_gpu", "check", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(_ROOT)}
    found = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=tied_to_parent,
    )
    try:
        report: Object = json.loads(found.stdout)
    except ValueError as error:
        raise LinterFailed(f"exit code {found.returncode}: {(found.stderr or found.stdout)[-2000:]}") from error
    if found.returncode not in {0, 1}:
        told = [f"{each['path']}: {each['message']}" for each in report["findings"] if each["code"] == CRASH]
        if not (crashes and told):
            raise LinterFailed("\n".join(told) or f"exit code {found.returncode}")
    return report


def _listed(values: Iterable[Object]) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(values)}, indent=1)


def _fixed(text: str, edits: Iterable[Object]) -> tuple[Object, ...]:
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    spans = sorted(
        (
            starts[edit["line"] - 1] + edit["column"] - 1,
            starts[edit["endLine"] - 1] + edit["endColumn"] - 1,
            edit["text"],
        )
        for edit in edits
    )
    for start, end, new in reversed(spans):
        text = text[:start] + new + text[end:]
    items: list[Object] = json.loads(text)["items"]
    return tuple(items)
