"""The summary of a run: the last lines of the report, and the table of `--statistics`."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence

from kubelint_gpu.findings.finding import Finding, Severity, Summary
from kubelint_gpu.messages.display import cells
from kubelint_gpu.messages.wording import counted, foremost, listed, owner_name, some
from kubelint_gpu.report.content import Options, Report
from kubelint_gpu.report.theme import Style, Theme, theme_of

_NAMED = 3
"""So many units are named."""


def closing(report: Report, options: Options) -> Iterator[str]:
    """Yield the last lines of the text report: what was checked, what was found, what can be fixed."""
    theme = theme_of(options)
    if report.failed:
        yield from _lines(f"The run failed: {report.failed}.", theme, "error")
    if report.findings:
        yield from _lines(_found(report), theme, "bold")
    elif not report.failed:
        yield from _lines(_nothing(report.summary), theme, "good")
    hint, flags = _fix_hint(report.findings)
    if options.fix_hints and hint:
        yield from _lines(hint, theme)
        if options.mend:
            paths = sorted({edit.place.path for one in report.findings for fix in one.fixes for edit in fix.edits})
            yield theme.show(f"  {options.mend} {flags} {shlex.join(paths)}") + "\n"
    helm = [f"helm {report.summary.helm} rendered the charts."] if report.summary.helm and options.verbose else []
    for remark in (*report.summary.remarks, *helm):
        yield from _lines(remark, theme)


def _lines(text: str, theme: Theme, style: Style | None = None) -> Iterator[str]:
    for line in theme.wrap(theme.show(text), first=0, hang=2):
        yield (theme.paint(style, line) if style else line) + "\n"


def outcome(report: Report) -> str:
    """Return the summary in one line: that the run failed, the findings, or that there are none."""
    if report.failed:
        failed = f"the run failed: {report.failed}."
        return f"{failed} {_found(report)}" if report.findings else failed
    if report.findings:
        return _found(report)
    told = _nothing(report.summary)
    return told[0].lower() + told[1:]


def statistics(report: Report, options: Options) -> Iterator[str]:
    """Yield a table of codes: count, code, name, severity and the number of findings with a fix.

    The most frequent comes first; equal counts are sorted by code.
    """
    theme = theme_of(options)
    counts: Counter[tuple[str, str, Severity]] = Counter()
    fixable: Counter[str] = Counter()
    for finding in report.findings:
        counts[finding.code, finding.name, finding.severity] += 1
        fixable[finding.code] += any(fix.edits for fix in finding.fixes)
    entries = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    size = max((len(str(count)) for _, count in entries), default=0)
    wide = max((cells(theme.show(name)) for (_, name, _), _ in entries), default=0)
    for (code, name, severity), count in entries:
        shown = theme.show(name)
        gap = " " * (wide - cells(shown))
        fixes = f"  {fixable[code]} fixable" if fixable[code] else ""
        kind = theme.paint(severity, severity) + (" " * (len("warning") - len(severity)) if fixes else "")
        yield f"{count:>{size}}  {theme.paint('bold', code)}  {shown}{gap}  {kind}{fixes}\n"
    yield from closing(report, options)


def _found(report: Report) -> str:
    summary = report.summary
    findings = _summed([(summary.errors, "error"), (summary.warnings, "warning"), (summary.notes, "note")], plural="s")
    rest = _not_shown(summary, len(_fixable(report.findings)))
    checked = f"{_files(summary)}, {counted(summary.workloads, 'workload')} checked"
    told = f"{checked}: {findings or counted(len(report.findings), 'finding')}" + (f" ({rest})" if rest else "")
    return told + _unknown(summary)


def _nothing(summary: Summary) -> str:
    if not summary.files:
        return "Nothing to check: no manifest was given or found."
    files = _files(summary)
    looked = ", ".join([files, counted(summary.documents, "document"), counted(summary.workloads, "workload")])
    against = f"against {counted(summary.nodes, 'node')}" if summary.nodes else "without an inventory"
    found = summary.errors + summary.warnings + summary.notes + summary.undecided + summary.hidden
    if found:
        verdict = "nothing to report"
    elif summary.baseline:
        verdict = "nothing new"
    elif not summary.workloads:
        verdict = "no workload to judge, nothing found"
    else:
        verdict = "all is well" if summary.nodes else "nothing found"
    rest = _not_shown(summary)
    return f"Checked {looked} {against}: {verdict}" + (f" ({rest})" if rest else "") + _unknown(summary) + "."


def _files(summary: Summary) -> str:
    """Return the number of files, and of sets of files that are applied together, with the first names."""
    files, units = counted(summary.files, "file"), summary.units
    if summary.files < 2 or not units:
        return files
    more = [f"{len(units) - _NAMED} more"] if len(units) > _NAMED else []
    names = listed([*units[:_NAMED], *more])
    return f"{files} as one unit ({names})" if len(units) == 1 else f"{files} in {len(units)} units ({names})"


def _unknown(summary: Summary) -> str:
    """Return the undeclared claims on which results depend."""
    names = summary.unknown
    return f"; {some(names, 'claim', kind=True)} {'is' if len(names) == 1 else 'are'} not known" if names else ""


def _not_shown(summary: Summary, fixable: int = 0) -> str:
    """Return the counts of findings that are not shown, and the undecided questions with the reason."""
    hidden = [(summary.ignored, "ignored"), (summary.baseline, "in the baseline"), (summary.hidden, "not shown")]
    told = _summed([*hidden, (fixable, "fixable"), (summary.undecided, "undecided")])
    return f"{told}: {summary.why_undecided}" if summary.undecided and summary.reasons else told


def undecided(summary: Summary) -> str:
    """Return how many questions are undecided, and why; empty if none is."""
    if not summary.undecided:
        return ""
    told = "1 question is undecided" if summary.undecided == 1 else f"{summary.undecided} questions are undecided"
    return f"{told}: {summary.why_undecided}" if summary.reasons else told


def _fix_hint(findings: tuple[Finding, ...]) -> tuple[str, str]:
    """Return what can be fixed, and the flags that do the most urgent part of it; empty if nothing can."""
    fixable = _fixable(findings)
    if fixable and fixable[0].severity == "note":
        made = f"--fix --unsafe-fixes --select {','.join(sorted({one.code for one in fixable}))}"
        return f"The fix of a note is made where its code is selected: {made}.", made
    safe = sum(any(fix.edits and fix.verified and fix.safety == "safe" for fix in one.fixes) for one in fixable)
    unsafe = len(fixable) - safe
    if safe:
        return f"--fix repairs {safe} of them{f', --fix --unsafe-fixes {unsafe} more' if unsafe else ''}.", "--fix"
    flags = "--fix --unsafe-fixes"
    return (f"{flags} repairs {unsafe} of them.", flags) if unsafe else ("", "")


def _fixable(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings with a fix. Notes count only if nothing else has one."""
    found = [one for one in findings if any(fix.edits for fix in one.fixes)]
    return [one for one in found if one.severity != "note"] or found


def _summed(counts: list[tuple[int, str]], plural: str = "") -> str:
    return ", ".join(f"{count} {word}{plural if count != 1 else ''}" for count, word in counts if count)


def unrendered(report: Report, shown: Sequence[Finding]) -> list[str]:
    """Return a sentence with the charts and GitOps objects that are not judged, if no note or remark names them."""
    hidden = [one for one in report.findings if one.code == "KLG006" and one not in shown]
    keys = ((one, key) for one in hidden for key in (one.object, *one.others))
    names = dict.fromkeys(owner_name(key) if key else one.place.path for one, key in keys)
    untold = [name for name in names if not any(name in remark for remark in report.summary.remarks)]
    return [f"Not rendered, or only in part, so not judged in full: {foremost(untold)}."] if untold else []
