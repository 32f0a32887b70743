"""Merges several reports, from the jobs of a matrix that each checked a share of the files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from kubelint_gpu.findings.decided import rank
from kubelint_gpu.report.dump import array, dump
from kubelint_gpu.report.formats.json import of_run
from kubelint_gpu.report.formats.sarif import MOST_RESULTS

_LEVELS = {"error": 0, "warning": 1, "note": 2}
_COUNTED = {"errors": "error", "warnings": "warning", "notes": "note"}
_IN_EACH = ("nodes", "seconds")
"""What every job says of the same thing, or of the same time."""
_NOTIFICATIONS = "toolExecutionNotifications"


class NotMergeable(ValueError):  # noqa: N818 - it says what the reports are
    """Reports that this program did not write, or of different kinds; the message says which."""


def merged(reports: Sequence[Any]) -> Iterator[str]:
    """Yield the report that one run about all files would have written, in the same format.

    Equal findings are reported once. A finding about many objects stays separate for each job's share.

    Raises:
        NotMergeable: they are not all JSON reports or all SARIF logs of one release of this program.
    """
    try:
        if all("findings" in one for one in reports):
            return _json(reports)
        if all("runs" in one for one in reports):
            return _sarif(reports)
    except NotMergeable:
        raise
    except (KeyError, TypeError, IndexError, ValueError, AttributeError, RecursionError) as error:
        raise NotMergeable(f"one of them is no report of kubelint-gpu: {type(error).__name__} {error}") from None
    raise NotMergeable("they must all be JSON reports, or all SARIF logs, of kubelint-gpu")


def _json(reports: Sequence[dict[str, Any]]) -> Iterator[str]:
    version = _common_value([one["version"] for one in reports], "releases")
    findings = sorted(_distinct([found for one in reports for found in one["findings"]]), key=_place)
    # what is not shown is counted only if there is any
    summaries = [{"hidden": 0, **one["summary"]} for one in reports]
    summary = {
        name: (max if name in _IN_EACH else sum)(one[name] for one in summaries)
        for name in _common_value([list(one) for one in summaries], "releases")
    }
    hidden, seconds = summary.pop("hidden"), summary.pop("seconds")
    summary |= {**({"hidden": hidden} if hidden else {}), "seconds": seconds}
    summary |= {name: sum(one["severity"] == kind for one in findings) for name, kind in _COUNTED.items()}
    decided = _distinct([row for one in reports for row in one.get("decided", ())])
    decided.sort(key=lambda row: (rank(row["verdict"]), row["object"], row["path"], row["line"]))
    failed = next((one["failed"] for one in reports if "failed" in one), "")
    remarks = _distinct([told for one in reports for told in one.get("remarks", ())])
    reasons: Counter[str] = Counter()
    for one in reports:
        reasons.update({told["reason"]: told["count"] for told in one.get("undecided", ())})
    undecided = [{"reason": reason, "count": count} for reason, count in reasons.most_common()]
    body = ",\n".join(
        f'    "{name}": {f"{value:.3f}" if name == "seconds" else value}' for name, value in summary.items()
    )
    return _json_parts(version, (findings, decided), [*of_run(failed, undecided, remarks)], body)


def _json_parts(
    version: str, found: tuple[Sequence[Any], Sequence[Any]], of_run: Sequence[str], summary: str
) -> Iterator[str]:
    yield f'{{\n  "version": {dump(version)},\n  "findings": '
    yield from array(found[0], indent=2, margin=2)
    yield ',\n  "decided": '
    yield from array(found[1], indent=2, margin=2)
    yield from of_run
    yield f',\n  "summary": {{\n{summary}\n  }}\n}}\n'


def _place(found: dict[str, Any]) -> tuple[Any, ...]:
    keys = ("path", "line", "column", "code", "endLine", "endColumn", "object", "message", "fingerprint")
    return (*(found[key] for key in keys), dump(found))


def _sarif(logs: Sequence[dict[str, Any]]) -> Iterator[str]:
    runs = [log["runs"][0] for log in logs]
    drivers = [run["tool"]["driver"] for run in runs]
    _common_value([(driver["name"], driver.get("version")) for driver in drivers], "releases")
    _common_value([run["automationDetails"] for run in runs], "categories")
    rules = [one for _, one in sorted({one["id"]: one for driver in drivers for one in driver["rules"]}.items())]
    index = {one["id"]: place for place, one in enumerate(rules)}
    results = sorted(
        _distinct([{**one, "ruleIndex": index[one["ruleId"]]} for run in runs for one in run["results"]]), key=_first
    )
    invocations = [run["invocations"][0] for run in runs]
    invocation: dict[str, Any] = {"executionSuccessful": all(one["executionSuccessful"] for one in invocations)}
    said = _distinct([note for one in invocations for note in one.get(_NOTIFICATIONS, ())])
    if len(results) > MOST_RESULTS:
        text = f"{len(results) - MOST_RESULTS} of {len(results)} findings are left out, the least severe ones"
        said.append({"level": "warning", "message": {"text": text}})
    if said:
        invocation[_NOTIFICATIONS] = said
    told = {"results": results[:MOST_RESULTS], "invocations": [invocation]}
    return _sarif_parts(logs[0], {**runs[0], **told}, rules)


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


def _common_value(values: Sequence[Any], what: str) -> Any:
    if any(value != values[0] for value in values):
        raise NotMergeable(f"they are of different {what}")
    return values[0]
