"""Markdown for a job summary of GitHub Actions or a merge request.

The worst findings come first, so that a limit cuts off only the least important ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kubelint_gpu.findings.finding import Finding, Fix, Severity
from kubelint_gpu.messages.display import visible
from kubelint_gpu.patterns import pattern
from kubelint_gpu.report.change import hunks
from kubelint_gpu.report.content import Options, Report, object_name, stuck_first
from kubelint_gpu.report.tally import outcome

LIMIT = 1_000_000
"""Bytes of UTF-8 that are written at most: GitHub refuses the summary of a step above 1 MiB, and steps write others."""

_RESERVED = 1_000
_LONGEST, _LONGEST_LINE = 600, 300
_STEPS, _FIXES, _CHANGED = 40, 4, 60
_SIGNS: dict[Severity, str] = {"error": "❌", "warning": "⚠️", "note": "💡"}
_MARKUP = pattern(r"""[\\`*_\[\]{}<>&|~$!^]|(?<=[wW]{3})\.|:(?=//)|[@#](?=\w)""")
_FENCE = "~~~~"


def render(report: Report, options: Options) -> Iterator[str]:  # noqa: ARG001 every format has one signature
    """Yield one line with counts, a table of findings, and the steps to the first deadlock."""
    head = f"**kubelint-gpu** {_text(outcome(report))}\n"
    yield head
    if not report.findings:
        return
    ranked = stuck_first(report.findings)
    tale = next(("\n".join(_story(one, report)) + "\n" for one in ranked if one.trace), "")
    room = LIMIT - _RESERVED - _size(head) - _size(tale)
    yield "\n| | rule | what is wrong | where | object |\n| --- | --- | --- | --- | --- |\n"
    shown = 0
    for finding in ranked:
        row = _row(finding, report)
        room -= _size(row)
        if room < 0:
            break
        shown += 1
        yield row
    left_out = len(ranked) - shown
    if left_out:
        yield f"\n{left_out} of {len(ranked)} findings are left out: a summary takes no more than 1 MiB.\n"
    # in lines, because a reader of pieces may hold each of them in memory
    yield from tale.splitlines(keepends=True)


def _row(finding: Finding, report: Report) -> str:
    rule = report.rules.get(finding.code)
    code = f"[{finding.code}]({_address(rule.url)})" if rule is not None and rule.url else finding.code
    possible = "" if finding.certainty == "certain" else " (possible)"
    cells = (
        f"{_SIGNS[finding.severity]} {finding.severity}",
        f"{code} {_text(finding.name)}",
        f"{_text(finding.message)}{possible}",
        f"<code>{_text(f'{finding.place.path}:{finding.place.line}')}</code>",
        _text(object_name(finding)),
    )
    return f"| {' | '.join(cells)} |\n"


def _story(finding: Finding, report: Report) -> Iterator[str]:
    object_of = _text(object_name(finding))
    about = f" in {object_of}" if object_of else ""
    yield ""
    yield "<details>"
    yield f"<summary>How {finding.code} comes about{about}</summary>"
    yield ""
    yield from _numbered([f"**{_text(step.actor)}**: {_text(step.message)}" for step in finding.trace])
    if finding.cycle:
        yield "\n**Who waits for whom**\n"
        yield from [f"- {_text(sentence)}" for sentence in finding.cycle[:_STEPS]]
    if finding.scheduler:
        yield f"\n**kube-scheduler says** {_text(finding.scheduler)}"
    if finding.fixes:
        yield "\n**What would help**\n"
        for fix in finding.fixes[:_FIXES]:
            yield from _fix(fix, report)
    for advice in finding.help[:_FIXES]:
        yield f"- {_text(advice)}"
    yield ""
    yield "</details>"


def _numbered(steps: Sequence[str]) -> Iterator[str]:
    """Yield the steps; of a very long trace only the beginning and the end, where it gets stuck."""
    half = _STEPS // 2
    for number, step in enumerate(steps, 1):
        if half < number <= len(steps) - half:
            if number == half + 1:
                yield f"\n{len(steps) - 2 * half} steps are left out\n"
            continue
        yield f"{number}. {step}"


def _fix(fix: Fix, report: Report) -> Iterator[str]:
    standing = f"{'verified' if fix.verified else 'not verified'}, {fix.safety}"
    yield f"- {_text(fix.title)} ({standing})"
    lines = [(hunk.path, line) for hunk in hunks(fix, report) for line in hunk.lines]
    if not lines:
        return
    yield ""
    yield f"  {_FENCE}diff"
    path = ""
    for where, line in lines[:_CHANGED]:
        if where != path:
            path = where
            yield f"  --- {_plain(path)}"
        yield f"  {line.sign}{_plain(line.text)}".rstrip()
    if len(lines) > _CHANGED:
        yield f"  ... {len(lines) - _CHANGED} more lines"
    yield f"  {_FENCE}"
    yield ""


def _text(text: str) -> str:
    """Return untrusted text escaped for Markdown: it cannot create markup, HTML, links, mentions or lines."""
    return _MARKUP().sub(_entity, _cut(visible(text[: _LONGEST + 1]), _LONGEST))


def _plain(text: str) -> str:
    """Return a line for a block fenced with tildes: it cannot end the fence."""
    shown = _cut("    ".join(visible(part) for part in text[: _LONGEST_LINE + 1].split("\t")), _LONGEST_LINE)
    return shown.replace(_FENCE, "~ ~ ~ ~")


def _entity(match: re.Match[str]) -> str:
    # GitHub looks for mentions and issues after it has read the Markdown, in text without any tag inside
    return f"<span>{match[0]}</span>" if match[0] in "@#" else f"&#{ord(match[0])};"


def _address(url: str) -> str:
    return re.sub(r"[\s()<>\\|]", lambda match: f"%{ord(match[0]):02X}", url)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
