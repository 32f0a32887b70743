"""SARIF 2.1.0 (OASIS), for GitHub code scanning and editors.

Each rule or result is on one line, so that a log of thousands stays small and can be compared.
The worst results come first, so that GitHub's limits cut off only the least important ones.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

from kubelint_gpu.findings.finding import Finding, RuleInfo, Severity
from kubelint_gpu.patterns import pattern
from kubelint_gpu.report.content import Options, Report, worst_first
from kubelint_gpu.report.dump import array, dump
from kubelint_gpu.report.formats.sarif_result import literal, result
from kubelint_gpu.report.tally import undecided

DESCRIPTION_LIMIT = 1024
TAG_LIMIT = 10

_PRECISION: dict[Severity, str] = {"error": "very-high", "warning": "high", "note": "medium"}
_PROBLEM: dict[Severity, str] = {"error": "error", "warning": "warning", "note": "recommendation"}

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
TOOL = "kubelint-gpu"
HOME = "https://github.com/kubelint-gpu/kubelint-gpu"
MOST_RESULTS = 25_000
"""Results of a run; GitHub refuses a log with more of them."""
MOST_BYTES = 9_500_000
"""Bytes of the whole log under gzip; GitHub refuses an upload above 10 MB."""

_LIMITS = f"GitHub takes no more than {MOST_RESULTS:,} results and 10 MB of gzip"
_LINK = pattern(r"\]\((?!#)([^)\s]+)\)")
_SEMANTIC_VERSION = re.compile(r"(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}([-+][0-9A-Za-z.+-]+)?", re.ASCII)


def render(report: Report, options: Options) -> Iterator[str]:
    """Yield one run with as many results as GitHub accepts, and their rules, each with its page.

    Rules without findings are left out: no reader looks them up, and their pages would make up most of the log.

    `options.category` distinguishes runs for one commit; GitHub keeps the alerts of each category separately.
    """
    rules = _rules(report)
    head = "".join(_head(report, rules, options))
    yield head
    results = _Results(worst_first(report.findings), {rule.code: index for index, rule in enumerate(rules)}, head)
    yield '      "results": '
    yield from array(results.fitting(), margin=6)
    yield f',\n      "invocations": {dump(_invocations(report, results.written))}\n    }}\n  ]\n}}\n'


def _head(report: Report, rules: Sequence[RuleInfo], options: Options) -> Iterator[str]:
    yield f'{{\n  "$schema": {dump(SCHEMA)},\n  "version": "2.1.0",\n  "runs": [\n    {{\n'
    yield f'      "tool": {{\n        "driver": {{\n          "name": {dump(TOOL)},\n'
    if report.version:
        yield f'          "version": {dump(report.version)},\n'
    if _SEMANTIC_VERSION.fullmatch(report.version):
        yield f'          "semanticVersion": {dump(report.version)},\n'
    yield f'          "informationUri": {dump(HOME)},\n          "rules": '
    yield from array(map(descriptor, rules), margin=10)
    helm = dump([{"name": "helm", "version": report.summary.helm}])
    yield "\n        }" + (f',\n        "extensions": {helm}' if report.summary.helm else "") + "\n      },\n"
    for name, value in _run(options).items():
        yield f"      {dump(name)}: {dump(value)},\n"


class _Results:
    """Yields the results until the next would exceed a limit."""

    def __init__(self, findings: Sequence[Finding], places: dict[str, int], head: str) -> None:
        self.written = 0
        self._findings = findings
        self._places = places
        self._gzip = zlib.compressobj(1, wbits=31)
        self._size = len(self._gzip.compress(head.encode()))

    def fitting(self) -> Iterator[dict[str, Any]]:
        """Yield the results that fit; after the first that does not fit, none is yielded."""
        for finding in self._findings[:MOST_RESULTS]:
            found = result(finding, self._places[finding.code])
            self._size += len(self._gzip.compress(dump(found).encode()))
            if self._size > MOST_BYTES:
                return
            self.written += 1
            yield found


def _rules(report: Report) -> list[RuleInfo]:
    found = {finding.code: finding for finding in report.findings}
    return [report.rules.get(code) or _unknown(found[code]) for code in sorted(found)]


def _unknown(finding: Finding) -> RuleInfo:
    """Return the rule's data from a finding, for a rule missing in the catalogue."""
    return RuleInfo(
        finding.code, finding.name, finding.severity, finding.name.replace("-", " "), fix="none", since="", url=""
    )


def _run(options: Options) -> dict[str, Any]:
    """Return the properties of the run as a whole.

    The root has no address, because a log must be the same on every machine.
    """
    category = f"{TOOL}/{options.category}/" if options.category else f"{TOOL}/"
    return {
        "automationDetails": {"id": category},
        "columnKind": "unicodeCodePoints",
        "defaultEncoding": "utf-8",
        "newlineSequences": ["\r\n", "\n", "\r"],
        "originalUriBaseIds": {
            "%SRCROOT%": {"description": {"text": "The directory that the paths of the report are relative to."}}
        },
    }


def _invocations(report: Report, written: int) -> list[dict[str, Any]]:
    """Return the invocation: `executionSuccessful` is about the run, not its findings; omissions are added as notes."""
    said = [("error", f"The run failed: {report.failed}.")] if report.failed else []
    if report.summary.undecided:
        said.append(("warning", f"{undecided(report.summary)}."))
    left_out = len(report.findings) - written
    if left_out:
        least = f"{left_out} of {len(report.findings)} findings are left out, the least severe ones: {_LIMITS}."
        said.append(("warning", least))
    said += [("note", remark) for remark in report.summary.remarks]
    found: dict[str, Any] = {"executionSuccessful": not report.failed}
    if said:
        found["toolExecutionNotifications"] = [
            {"level": level, "message": {"text": literal(text)}} for level, text in said
        ]
    return [found]


def descriptor(rule: RuleInfo) -> dict[str, Any]:
    """Return the reportingDescriptor of a rule.

    GitHub shows `help.markdown`, or `help.text` if it cannot.
    There is no security-severity, which would class every result under security.
    """
    summary = _sentence(rule.summary or rule.name)
    page = _with_full_links(rule.page.strip(), rule.url) or summary
    found: dict[str, Any] = {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": _limited(summary)},
        "fullDescription": {"text": _limited(_first_paragraph(rule.page) or summary)},
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": rule.severity},
        "properties": {
            "tags": list(dict.fromkeys(rule.tags))[:TAG_LIMIT],
            "precision": _PRECISION[rule.severity],
            "problem.severity": _PROBLEM[rule.severity],
        },
    }
    if rule.url:
        found["helpUri"] = rule.url
    return found


def _with_full_links(page: str, url: str) -> str:
    """Return a page with relative links replaced by full addresses."""
    from urllib.parse import urljoin

    return _LINK().sub(lambda found: f"]({urljoin(url, found[1])})", page) if url else page


def _first_paragraph(page: str) -> str:
    for block in page.replace("\r\n", "\n").split("\n\n"):
        text = " ".join(line.strip() for line in block.split("\n") if not line.startswith("#")).strip()
        if text and text[0] not in "|`>-*<":
            return text
    return ""


def _sentence(text: str) -> str:
    text = text.strip()
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else text + "."


def _limited(text: str) -> str:
    return text if len(text) <= DESCRIPTION_LIMIT else text[: DESCRIPTION_LIMIT - 1] + "…"
