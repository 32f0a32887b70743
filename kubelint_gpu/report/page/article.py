"""A finding as an article: the problem, its cause, its place, its remedy."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.findings.finding import Finding, Fix, Severity
from kubelint_gpu.report.change import hunks
from kubelint_gpu.report.content import Report
from kubelint_gpu.report.mark import object_name
from kubelint_gpu.report.page.excerpt import excerpts
from kubelint_gpu.report.page.markup import link, sentence, source, text
from kubelint_gpu.report.page.owners import Owners
from kubelint_gpu.report.page.player import player

_MOST_FIXES, _MOST_CHANGED, _MOST_SENTENCES = 5, 60, 40
_SIGNS: dict[Severity, tuple[str, str]] = {"error": ("✕", "Error"), "warning": ("!", "Warning"), "note": ("i", "Note")}


def article(
    finding: Finding, number: int, report: Report, owners: Owners, *, unfolded: bool, told: str = ""
) -> Iterator[str]:
    """Yield the finding; everything but its message can be folded away. Text equal to `told` is not repeated."""
    sign, word = _SIGNS[finding.severity]
    rule = report.rules.get(finding.code)
    code = link(rule.url, finding.code) if rule is not None and rule.url else finding.code
    possible = f'<span class="chance">{finding.chance}</span>' if finding.chance else ""
    name = object_name(finding)
    place = f"{finding.place.path}:{finding.place.line}:{finding.place.column}"
    yield (
        f'<article class="finding {finding.severity}" id="f{number}" data-severity="{finding.severity}"'
        f' data-fingerprint="{text(finding.fingerprint)}">\n'
    )
    yield (
        f'<p class="tags"><span class="severity"><span class="sign" aria-hidden="true">{sign}</span>{word}</span>'
        f'<span class="rule">{code} {text(finding.name)}</span>{possible}</p>\n'
    )
    yield f"<h3>{text(sentence(finding.message))}</h3>\n"
    yield f'<p class="where">{f"<span>{text(name)}</span> " if name else ""}<code>{text(place)}</code></p>\n'
    yield f"<details{' open' if unfolded else ''}><summary>{_promise(finding)}</summary>\n"
    if rule is not None and rule.summary and rule.summary[1:] not in told:
        yield f'<p class="plain">{text(rule.summary)}</p>\n'
    if finding.trace:
        yield from player(finding, number, owners)
    yield from _circle(finding)
    yield from _remedies(finding, report)
    yield "<h4>Where it stands</h4>\n"
    yield from excerpts(finding, report)
    if finding.scheduler:
        yield "<h4>What kube-scheduler would say</h4>\n"
        yield f'<blockquote class="scheduler">{text(finding.scheduler)}</blockquote>\n'
    yield "</details>\n</article>\n"


def _promise(finding: Finding) -> str:
    parts = ["steps"] if finding.trace else []
    parts += ["fixes"] if finding.fixes else []
    parts.append("source")
    return f"Details: {', '.join(parts)}"


def _circle(finding: Finding) -> Iterator[str]:
    if not finding.cycle:
        return
    yield '<h4>Who waits for whom</h4>\n<ul class="circle">\n'
    for told in finding.cycle[:_MOST_SENTENCES]:
        yield f"<li>{text(sentence(told))}</li>\n"
    yield "</ul>\n"


def _remedies(finding: Finding, report: Report) -> Iterator[str]:
    if not finding.fixes and not finding.help:
        return
    yield '<h4>What would help</h4>\n<ul class="fixes">\n'
    for fix in finding.fixes[:_MOST_FIXES]:
        yield f'<li><p>{text(sentence(fix.title))} <span class="badges">{_standing(fix)}</span></p>\n'
        yield from _diff(fix, report)
        yield "</li>\n"
    for advice in finding.help[:_MOST_SENTENCES]:
        yield f"<li><p>{text(sentence(advice))}</p></li>\n"
    yield "</ul>\n"


def _standing(fix: Fix) -> str:
    proven = "proven by simulation" if fix.verified else "not proven"
    kind = "safe" if fix.safety == "safe" else "changes what runs"
    return f'<span class="badge {"good" if fix.verified else ""}">{proven}</span> <span class="badge">{kind}</span>'


def _diff(fix: Fix, report: Report) -> Iterator[str]:
    lines = 0
    for hunk in hunks(fix, report):
        if lines >= _MOST_CHANGED:
            yield "<p>More changes are left out.</p>\n"
            return
        yield f'<figure class="code diff"><figcaption>{text(hunk.path)}</figcaption>\n'
        for line in hunk.lines[: _MOST_CHANGED - lines]:
            kind, word = {"+": ("new", "added"), "-": ("gone", "removed")}.get(line.sign, ("", ""))
            spoken = f'<span class="hidden">{word}: </span>' if word else ""
            yield (
                f'<div class="line {kind}"><span class="n" aria-hidden="true">{line.sign}</span>'
                f"<code>{spoken}{source(line.text[:240])}</code></div>\n"
            )
        lines += len(hunk.lines)
        yield "</figure>\n"
