"""One HTML page that explains a run to a reader who does not know the tool.

It is self-contained: no network, no other file, and no script is needed for reading.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from kubelint_gpu.findings.finding import Finding, Summary
from kubelint_gpu.report.content import Options, Report, object_name, stuck_first
from kubelint_gpu.report.dump import dump
from kubelint_gpu.report.page.article import article
from kubelint_gpu.report.page.cluster_cards import cluster
from kubelint_gpu.report.page.markup import counted, sentence, text
from kubelint_gpu.report.page.owners import Owners
from kubelint_gpu.report.page.player import picture_data
from kubelint_gpu.report.tally import undecided
from kubelint_gpu.values import Value

MOST_FINDINGS = 200
MOST_CHARACTERS = 2_000_000
"""Of all findings together; a page of more is slow on a phone."""

_UNFOLDED = 5
_FEW = 3
_SEVERITIES = (("error", "Errors"), ("warning", "Warnings"), ("note", "Notes"))
_SIGNS = {"error": "✕", "warning": "!", "note": "i", "good": "✓"}

_MOST_NAMES = 3
Tone = Literal["error", "warning", "note", "good"]


def render(report: Report, options: Options) -> Iterator[str]:  # noqa: ARG001 every format has one signature
    """Yield the page from top to bottom, the worst findings first."""
    style, script = _asset("page.css"), _asset("page.js")
    yield from _head(report, style, script)
    yield '<body>\n<a class="skip" href="#findings">Skip to the findings</a>\n'
    yield from _banner(report)
    yield '<div class="layout">\n'
    owners = Owners()
    pictures: dict[str, Any] = {}
    yield from _findings(report, owners, pictures)
    yield from cluster(report, owners)
    yield "</div>\n"
    yield from _footer(report)
    yield '<script type="application/json" id="data">'
    yield from _data(pictures)
    yield "</script>\n<script>"
    yield from script.splitlines(keepends=True)
    yield "</script>\n</body>\n</html>\n"


def _asset(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def _head(report: Report, style: str, script: str) -> Iterator[str]:
    """Yield the head, with a policy that allows only this style and this script."""
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
    yield f"<title>{text(verdict(report).title)} - kubelint-gpu</title>\n<style>"
    yield from style.splitlines(keepends=True)
    yield "</style>\n</head>\n"


def _digest(content: str) -> str:
    return f"sha256-{b64encode(hashlib.sha256(content.encode()).digest()).decode()}"


def _banner(report: Report) -> Iterator[str]:
    found = verdict(report)
    yield f'<header class="banner {found.tone}">\n<div class="bar"><span class="brand">kubelint-gpu</span>'
    yield '<button type="button" id="theme" class="scripted" hidden>Dark colours</button></div>\n'
    yield f'<h1><span class="sign" aria-hidden="true">{_SIGNS[found.tone]}</span>{text(found.title)}</h1>\n'
    yield f'<p class="lead">{text(found.lead)}</p>\n<p>{text(played(report))}</p>\n</header>\n'


def _findings(report: Report, owners: Owners, pictures: dict[str, Any]) -> Iterator[str]:
    yield '<main id="findings" tabindex="-1">\n<h2>What was found</h2>\n'
    ranked = stuck_first(report.findings)
    if not ranked:
        yield '<p class="card">Nothing.</p>\n</main>\n'
        return
    if len(ranked) > _FEW:
        yield from _filter(report)
    shown = size = 0
    said = verdict(report).lead
    for finding in ranked[:MOST_FINDINGS]:
        unfolded = len(ranked) <= _UNFOLDED or not shown
        pieces = list(article(finding, shown + 1, report, owners, unfolded=unfolded, told=said))
        rule = report.rules.get(finding.code)
        said += f"\n{rule.summary}" if rule is not None else ""
        size += sum(map(len, pieces))
        if shown and size > MOST_CHARACTERS:
            break
        shown += 1
        data = picture_data(finding, owners)
        if data is not None:
            pictures[f"p{shown}"] = data
        yield from pieces
    if shown < len(ranked):
        rest = ranked[shown:]
        kinds = ", ".join(
            counted(count, severity)
            for severity, _ in _SEVERITIES
            if (count := sum(finding.severity == severity for finding in rest))
        )
        yield (
            f'<p class="card rest">This page shows the worst {shown:,} of {counted(len(ranked), "finding")}. '
            f"The other {len(rest):,} ({kinds}) are in the report as text, JSON or SARIF.</p>\n"
        )
    yield "</main>\n"


def _filter(report: Report) -> Iterator[str]:
    yield '<form class="filter scripted" hidden aria-label="Filter the findings">\n'
    for severity, name in _SEVERITIES:
        count = sum(finding.severity == severity for finding in report.findings)
        if count:
            yield (
                f'<label class="toggle {severity}"><input type="checkbox" value="{severity}" checked>'
                f"{name} <b>{count:,}</b></label>\n"
            )
    yield '<label class="search">Search <input type="search" autocomplete="off" spellcheck="false"></label>\n'
    yield '<p role="status" class="small"></p>\n</form>\n'


def _footer(report: Report) -> Iterator[str]:
    summary = report.summary
    counts = ", ".join(
        [counted(summary.errors, "error"), counted(summary.warnings, "warning"), counted(summary.notes, "note")]
    )
    yield f"<footer>\n<p>{counts}. Written by kubelint-gpu {text(report.version)}, "
    yield "which only read files: no cluster was asked, nothing was changed.</p>\n"
    yield (
        "<dl><dt>Error</dt><dd>it will not work as it is written</dd>"
        "<dt>Warning</dt><dd>it may fail, or do harm to others</dd>"
        "<dt>Note</dt><dd>worth knowing</dd></dl>\n</footer>\n"
    )


def _data(pictures: dict[str, Any]) -> Iterator[str]:
    """Yield JSON that input text cannot break out of: `<`, `>` and `&` are escaped."""
    opening = "{"
    for name, picture in pictures.items():
        found = dump(picture).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
        yield f'{opening}\n"{name}":{found}'
        opening = ","
    yield "{}" if opening == "{" else "\n}"


class PageVerdict(Value):
    """The headline, and a sentence that explains it."""

    tone: Tone
    title: str
    lead: str


def verdict(report: Report) -> PageVerdict:
    """Return the headline of the page, for readers who read nothing else."""
    if report.failed:
        return PageVerdict("error", "The check could not be completed", f"{sentence(report.failed)}.")
    worst = stuck_first(report.findings)
    errors = [finding for finding in worst if finding.severity == "error"]
    stuck = [finding for finding in errors if finding.trace]
    warnings = [finding for finding in worst if finding.severity == "warning"]
    if stuck:
        return PageVerdict("error", _title(stuck), _explanation(stuck, report))
    if errors:
        title = "One error to fix" if len(errors) == 1 else f"{len(errors):,} errors to fix"
        return PageVerdict("error", f"{title} before this is applied", _first(_about(errors[0]), len(errors)))
    if warnings:
        risks = "one risk" if len(warnings) == 1 else f"{len(warnings):,} risks"
        verb = "is" if len(warnings) == 1 else "are"
        return PageVerdict(
            "warning",
            f"Nothing is certain to fail, but there {verb} {risks}",
            _first(_about(warnings[0]), len(warnings)),
        )
    if worst:
        return PageVerdict("note", "No errors and no warnings", _first(_about(worst[0]), len(worst)))
    return _nothing(report.summary)


def played(report: Report) -> str:
    """Return a sentence about what was checked, and how."""
    summary = report.summary
    looked = f"{counted(summary.workloads, 'workload')} in {counted(summary.files, 'file')}"
    if summary.nodes:
        how = f"played through what Kubernetes would do with {looked} on {counted(summary.nodes, 'node')}"
    else:
        why = "" if report.failed else ", as no inventory was given"
        how = f"looked at {looked} without knowing the cluster{why}"
    told = f"Before anything is applied, kubelint-gpu {how}."
    if summary.undecided:
        told += f" {undecided(summary)}."
    if summary.ignored:
        told += f" {counted(summary.ignored, 'finding')} hidden by suppressions in the manifests."
    if summary.baseline:
        told += f" {counted(summary.baseline, 'finding')} hidden, as the baseline accepts them."
    return told


def _nothing(summary: Summary) -> PageVerdict:
    if not summary.files:
        return PageVerdict("note", "Nothing was checked", "No file was given or found.")
    if not summary.workloads:
        return PageVerdict("note", "Nothing to judge", "The files hold no workload, and nothing else in them is wrong.")
    if summary.undecided:
        return PageVerdict("note", "Nothing found, and not everything decided", f"{undecided(summary)}.")
    if not summary.nodes:
        return PageVerdict(
            "note", "Nothing found, as far as can be told", "Declare the cluster to learn whether everything fits."
        )
    if summary.ignored or summary.baseline:
        return PageVerdict("good", "Nothing new", "All that was found had been accepted before.")
    return PageVerdict("good", "All clear", "None of the rules that were asked has anything to report.")


def _first(told: str, count: int) -> str:
    return told if count == 1 else f"The first of them: {told}"


def _title(stuck: Sequence[Finding]) -> str:
    """Return how many rollouts never end; for one finding about several rollouts, that these block each other."""
    if len(stuck) > 1:
        return f"{len(stuck):,} rollouts would never finish"
    rolled = rolled_together(stuck[0])
    return f"{len(rolled)} rollouts would block each other" if len(rolled) > 1 else "One rollout would never finish"


def rolled_together(finding: Finding) -> tuple[str, ...]:
    """Return the workloads rolled out in the run of a finding, as `namespace/name`."""
    if finding.picture is None:
        return ()
    moments = finding.picture.moments
    holdings = (one for moment in moments for node in moment.nodes for one in node.holdings)
    waiting = (one for moment in moments for one in moment.waiting)
    return tuple(dict.fromkeys(one.owner.partition(" (")[0] for one in (*holdings, *waiting) if one.age == "new"))


def _explanation(stuck: Sequence[Finding], report: Report) -> str:
    """Return the workloads concerned and the kind of deadlock, without the numbers of the findings' own messages."""
    rule = report.rules.get(stuck[0].code)
    if rule is None or not rule.summary or any(one.code != rule.code for one in stuck):
        return _first(_about(stuck[0]), len(stuck))
    names = [object_name(one) for one in stuck]
    if len(stuck) == 1:
        mine = names[0].partition(" ")[2]
        names += [one for one in rolled_together(stuck[0]) if one not in (mine, f"default/{mine}")]
    shown = names[:_MOST_NAMES] if len(names) > _MOST_NAMES + 1 else names
    more = f" and {len(names) - len(shown):,} more" if len(shown) < len(names) else ""
    told = ", ".join(shown) if more else " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))
    return f"{told}{more}: {rule.summary[:1].lower()}{rule.summary[1:]}"


def _about(finding: Finding) -> str:
    name = object_name(finding)
    return f"{name}: {finding.message}." if name else f"{sentence(finding.message)}."
