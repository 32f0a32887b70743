"""`kubelint-gpu report`."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from kubelint_gpu.cli.exit_codes import NOTHING
from kubelint_gpu.cli.help.manual import ManualCommand, ManualGroup
from kubelint_gpu.cli.help.shell_completion import PATH
from kubelint_gpu.findings.decided import rank
from kubelint_gpu.messages.display import commandless
from kubelint_gpu.options import option
from kubelint_gpu.report.dump import array, dump
from kubelint_gpu.report.formats.json import of_run
from kubelint_gpu.report.formats.sarif import MOST_RESULTS
from kubelint_gpu.sources.files import NotReadable, read_named
from kubelint_gpu.sources.safe_write import NotWritable, write_file

_LEVELS = {"error": 0, "warning": 1, "note": 2}
_COUNTED = {"errors": "error", "warnings": "warning", "notes": "note"}
_IN_EACH = ("nodes", "seconds")
"""Figures that are equal in all jobs: the merged report has the largest, not the sum."""
_NOTIFICATIONS = "toolExecutionNotifications"


@click.group("report", cls=ManualGroup, short_help="Merge the reports of several jobs.")
def command() -> None:
    """Merge the reports of several jobs."""


@command.command("merge", cls=ManualCommand)
@click.argument("files", nargs=-1, required=True, type=PATH)
@option("--output-file", metavar="FILE", help="Where to write the report instead of stdout.")
def merge(files: tuple[str, ...], output_file: str | None) -> int:
    """Merge the reports of the jobs of check --shard: JSON reports, or SARIF logs.

    The result is in the format of FILES. Equal findings are reported once.
    """
    try:
        text = "".join(merged([_read(path) for path in files]))
    except NotMergeable as error:
        raise click.ClickException(f"cannot merge {', '.join(files)}: {error}") from None
    if output_file is None:
        sys.stdout.write(commandless(text))
        return NOTHING
    try:
        write_file(Path(output_file), text.encode())
    except NotWritable as error:
        raise click.ClickException(f"cannot write {output_file}: {error}") from None
    return NOTHING


def _read(path: str) -> object:
    try:
        report: object = json.loads(read_named(path, max_bytes=2**30))
    except (NotReadable, ValueError, RecursionError) as error:
        raise click.ClickException(f"cannot read {path}: {error}") from None
    return report


class NotMergeable(ValueError):  # noqa: N818 - it names the state of the reports
    """Reports that this program did not write, or of different kinds; the message says which."""


def merged(reports: Sequence[Any]) -> Iterator[str]:
    """Yield the report that a run about all files would have written, in the same format.

    Equal findings are reported once. A finding about many objects stays separate for each job's share.

    Raises:
        NotMergeable: they are not all JSON reports or all SARIF logs of one release of this program.
    """
    try:
        if all("findings" in report for report in reports):
            return _json(reports)
        if all("runs" in report for report in reports):
            return _sarif(reports)
    except NotMergeable:
        raise
    except (KeyError, TypeError, IndexError, ValueError, AttributeError, RecursionError) as error:
        raise NotMergeable(f"one of them is no report of kubelint-gpu: {type(error).__name__} {error}") from None
    raise NotMergeable("they must all be JSON reports, or all SARIF logs, of kubelint-gpu")


def _json(reports: Sequence[dict[str, Any]]) -> Iterator[str]:
    version = _common_value([report["version"] for report in reports], "releases")
    findings = sorted(_distinct([finding for report in reports for finding in report["findings"]]), key=_place)
    # a report has `hidden` only if it hides findings
    summaries = [{"hidden": 0, **report["summary"]} for report in reports]
    summary = {
        name: (max if name in _IN_EACH else sum)(counts[name] for counts in summaries)
        for name in _common_value([list(counts) for counts in summaries], "releases")
    }
    hidden, seconds = summary.pop("hidden"), summary.pop("seconds")
    summary |= {**({"hidden": hidden} if hidden else {}), "seconds": seconds}
    summary |= {name: sum(finding["severity"] == kind for finding in findings) for name, kind in _COUNTED.items()}
    decided = _distinct([row for report in reports for row in report.get("decided", ())])
    decided.sort(key=lambda row: (rank(row["verdict"]), row["object"], row["path"], row["line"]))
    failed, helm = (next((report[key] for report in reports if key in report), "") for key in ("failed", "helm"))
    remarks = _from_all([report.get("remarks", ()) for report in reports])
    reasons: Counter[str] = Counter()
    for report in reports:
        reasons.update({row["reason"]: row["count"] for row in report.get("undecided", ())})
    undecided = [{"reason": reason, "count": count} for reason, count in reasons.most_common()]
    body = ",\n".join(
        f'    "{name}": {f"{value:.3f}" if name == "seconds" else value}' for name, value in summary.items()
    )
    return _json_parts(version, (findings, decided), [*of_run(failed, undecided, remarks, helm)], body)


def _json_parts(
    version: str, rows: tuple[Sequence[Any], Sequence[Any]], about_run: Sequence[str], summary: str
) -> Iterator[str]:
    yield f'{{\n  "version": {dump(version)},\n  "findings": '
    yield from array(rows[0], indent=2, margin=2)
    yield ',\n  "decided": '
    yield from array(rows[1], indent=2, margin=2)
    yield from about_run
    yield f',\n  "summary": {{\n{summary}\n  }}\n}}\n'


def _place(finding: dict[str, Any]) -> tuple[Any, ...]:
    keys = ("path", "line", "column", "code", "endLine", "endColumn", "object", "message", "fingerprint")
    return (*(finding[key] for key in keys), dump(finding))


def _sarif(logs: Sequence[dict[str, Any]]) -> Iterator[str]:
    runs = [log["runs"][0] for log in logs]
    drivers = [run["tool"]["driver"] for run in runs]
    _common_value([(driver["name"], driver.get("version")) for driver in drivers], "releases")
    _common_value([run["automationDetails"] for run in runs], "categories")
    rules = [rule for _, rule in sorted({rule["id"]: rule for driver in drivers for rule in driver["rules"]}.items())]
    index = {rule["id"]: place for place, rule in enumerate(rules)}
    results = sorted(
        _distinct([{**result, "ruleIndex": index[result["ruleId"]]} for run in runs for result in run["results"]]),
        key=_first,
    )
    invocations = [run["invocations"][0] for run in runs]
    invocation: dict[str, Any] = {"executionSuccessful": all(each["executionSuccessful"] for each in invocations)}
    notes = _from_all([each.get(_NOTIFICATIONS, ()) for each in invocations])
    if len(results) > MOST_RESULTS:
        text = f"{len(results) - MOST_RESULTS} of {len(results)} findings are left out, the least severe ones"
        notes.append({"level": "warning", "message": {"text": text}})
    if notes:
        invocation[_NOTIFICATIONS] = notes
    content = {"results": results[:MOST_RESULTS], "invocations": [invocation]}
    return _sarif_parts(logs[0], {**runs[0], **content}, rules)


def _sarif_parts(log: dict[str, Any], run: dict[str, Any], rules: Sequence[Any]) -> Iterator[str]:
    yield f'{{\n  "$schema": {dump(log["$schema"])},\n  "version": {dump(log["version"])},\n  "runs": [\n    {{\n'
    yield '      "tool": {\n        "driver": {\n'
    for name, value in run["tool"]["driver"].items():
        if name != "rules":
            yield f"          {dump(name)}: {dump(value)},\n"
    yield '          "rules": '
    yield from array(rules, margin=10)
    yield "\n        }\n      }"
    for name, value in run.items():
        if name == "results":
            yield ',\n      "results": '
            yield from array(value, margin=6)
        elif name != "tool":
            yield f",\n      {dump(name)}: {dump(value)}"
    yield "\n    }\n  ]\n}\n"


def _first(result: dict[str, Any]) -> tuple[Any, ...]:
    """Return a sort key: the worst first, then by file and line."""
    place = result["locations"][0]["physicalLocation"]
    region = place.get("region", {})
    lines = [region.get(name, 0) for name in ("startLine", "startColumn")]
    ends = [region.get(name, 0) for name in ("endLine", "endColumn")]
    uri = place["artifactLocation"]["uri"]
    return _LEVELS[result["level"]], uri, *lines, result["ruleId"], *ends, result["message"]["text"], dump(result)


def _distinct(values: Sequence[Any]) -> list[Any]:
    return list({dump(value): value for value in values}.values())


def _from_all(lists: Sequence[Sequence[Any]]) -> list[Any]:
    """Return the different values of some lists, whatever the order of the lists."""
    found = _distinct([value for values in lists for value in values])
    return found if len(lists) == 1 else sorted(found, key=dump)


def _common_value(values: Sequence[Any], what: str) -> Any:
    if any(value != values[0] for value in values):
        raise NotMergeable(f"they are of different {what}")
    return values[0]
