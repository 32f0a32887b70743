"""SARIF 2.1.0 (OASIS), as GitHub code scanning and editors read it.

One rule or result stands on a line, so that a log of thousands stays small and can be compared.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from kubelint_gpu.checks.finding import RuleInfo
from kubelint_gpu.report.dump import array, dump
from kubelint_gpu.report.sarif_result import result
from kubelint_gpu.report.sarif_rule import descriptor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubelint_gpu.report.model import Options, Report

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
TOOL = "kubelint-gpu"

_SEMANTIC_VERSION = re.compile(r"(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}([-+][0-9A-Za-z.+-]+)?", re.ASCII)


def render(report: Report, options: Options) -> Iterator[str]:
    """One run with the whole rule catalogue and the results in the order of the report.

    `options.category` tells runs of one commit apart; GitHub keeps the alerts of each category separately.
    """
    rules = _rules(report)
    places = {rule.code: index for index, rule in enumerate(rules)}
    yield f'{{\n  "$schema": {dump(SCHEMA)},\n  "version": "2.1.0",\n  "runs": [\n    {{\n'
    yield f'      "tool": {{\n        "driver": {{\n          "name": {dump(TOOL)},\n'
    if report.version:
        yield f'          "version": {dump(report.version)},\n'
    if _SEMANTIC_VERSION.fullmatch(report.version):
        yield f'          "semanticVersion": {dump(report.version)},\n'
    yield '          "rules": '
    yield from array(map(descriptor, rules), margin=10)
    yield "\n        }\n      },\n"
    for name, value in _run(options, failed=bool(report.failed)).items():
        yield f"      {dump(name)}: {dump(value)},\n"
    yield '      "results": '
    yield from array((result(finding, places[finding.code]) for finding in report.findings), margin=6)
    yield "\n    }\n  ]\n}\n"


def _rules(report: Report) -> list[RuleInfo]:
    rules = dict(report.rules)
    for finding in report.findings:
        if finding.code not in rules:
            summary = finding.name.replace("-", " ")
            rules[finding.code] = RuleInfo(
                finding.code, finding.name, finding.severity, summary, fix="none", since="", url=""
            )
    return sorted(rules.values(), key=lambda rule: rule.code)


def _run(options: Options, *, failed: bool) -> dict[str, Any]:
    """What holds for the run as a whole.

    `executionSuccessful` is about the run and not about what it found.
    The root has no address: a log must be the same on every machine.
    """
    category = f"{TOOL}/{options.category}/" if options.category else f"{TOOL}/"
    return {
        "automationDetails": {"id": category},
        "invocations": [{"executionSuccessful": not failed}],
        "columnKind": "unicodeCodePoints",
        "defaultEncoding": "utf-8",
        "newlineSequences": ["\r\n", "\n", "\r"],
        "originalUriBaseIds": {
            "%SRCROOT%": {"description": {"text": "The directory that the paths of the report are relative to."}}
        },
    }
