"""The report for users at a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from kubelint_gpu.findings.finding import Finding, Fix, Place
from kubelint_gpu.messages.display import cells
from kubelint_gpu.messages.wording import FEW, NOT_OFFERED, counted, listed
from kubelint_gpu.patterns import pattern
from kubelint_gpu.report import snippet
from kubelint_gpu.report.content import Mark, Options, Report, by_family, groups, headline, object_names, source_line
from kubelint_gpu.report.tally import closing, unrendered
from kubelint_gpu.report.theme import NARROW, Theme, theme_of
from kubelint_gpu.report.why import tables
from kubelint_gpu.values import replace

if TYPE_CHECKING:
    import re

MOST_FINDINGS = 1_000
MOST_LINES = 39
_HEAD_LINES, _MOST_HEAD_LINES, _LEAST_HEAD = 2, 3, 30
_BRIEF_PLACES, _MOST_NAMES = 3, 40
_SENTENCE_END = pattern(r"(?<!supported values): |; |, and | (?=\((?:[^() ]+ ){2,}[^() ]+\)$)")
_CLAUSE_END = pattern(
    r", (although|attached|held|one more|used|where|which (?:allows|demands|has|have)) |"
    r"(?<!waits)(?<!lands)(?<!no room) (beside|even|from|on) "
)
_RESUMED = {
    "attached": "it is attached ", "beside": "this is beside ", "even": "this holds even ", "from": "this is from ",
    "held": "it is held ", "on": "this is on ", "one more": "that is one more ", "used": "it is used ",
    "where": "there ", "which allows": "it allows ", "which demands": "it demands ", "which has": "it has ",
    "which have": "they have ",
}  # fmt: skip
"""How the rest of a headline begins that is cut at the end of a clause, so that it is a sentence."""
_SCHEDULER = "kube-scheduler"
_MORE = "the scheduler's words, what happens step by step, more places and fixes"
_MOST_SHOWN = ((1_000_000,) * 3, (9, 5, 3), (9, 3, 2), (6, 3, 2), (3, 3, 2), (0, 3, 2), (0, 2, 2), (0, 0, 2))
"""How many further places, steps and sentences of a finding are shown, until it has no more than `MOST_LINES`."""


def render(report: Report, options: Options) -> Iterator[str]:
    """Yield one block for each finding, the worst first, and a last line that says what was checked.

    Of very many findings only the worst are shown, with the number of the others. Notes are shown if nothing is worse,
    if they are undecided, or with --verbose.
    """
    theme = theme_of(options)
    loud = [one for one in report.findings if one.severity != "note" or one.undecided]
    quiet = any(one.severity != "note" for one in report.findings) and not options.verbose
    ranked = by_family(loud if quiet else report.findings)
    findings = ranked[:MOST_FINDINGS]
    block = _block if options.verbose else partial(_brief, fix_hints=options.fix_hints)
    for finding in findings:
        yield "\n".join(block(finding, report, theme)) + "\n\n"
    left = len(ranked) - len(findings)
    if left:
        told = f"{left} more findings are not shown: --statistics counts them, --output-format json lists them."
        for line in theme.wrap(told, first=0, hang=2):
            yield theme.paint("bold", line) + "\n"
    if options.why and report.decided:
        yield from (f"{line}\n" for line in tables(report.decided, theme))
        yield "\n"
    if not options.quiet:
        yield from closing(report, options)
        notes = len(report.findings) - len(ranked)
        more = [counted(notes, "note")] * bool(notes) + [_MORE] * any(map(_is_shortened, findings))
        verbose = [f"--verbose shows {', '.join(more)}."] if more and not options.verbose else []
        for told in (*unrendered(report, ranked), *verbose):
            yield "".join(f"{line}\n" for line in theme.wrap(told, first=0, hang=2))


def _is_shortened(finding: Finding) -> bool:
    """Whether some detail of a finding is shown only with --verbose."""
    beside = len(finding.fixes or finding.help) > 1 or (bool(finding.fixes) and bool(finding.help))
    places = {finding.place, *(one.place for one in finding.related)}
    return bool(finding.trace or finding.cycle or finding.scheduler) or beside or len(places) > _BRIEF_PLACES


def _brief(finding: Finding, report: Report, theme: Theme, *, fix_hints: bool) -> Iterator[str]:
    """Yield the problem, the repair, the deciding lines, and the address of the rule's page."""
    places = _near(finding)
    marks = groups(replace(finding, related=tuple(one for one in finding.related if one.place in places)))
    frame = _frame(marks, finding, theme)
    lines, rest = _headline(finding, theme)
    yield from lines
    if rest:
        yield from _note("note", rest, frame)
    if len(finding.others) >= FEW or ", ...)" in finding.message.partition(": ")[0]:
        whole = len(finding.others) + 1
        notes = (
            [*_note("objects", object_names(finding, most), frame)] for most in range(min(whole, _MOST_NAMES), 0, -1)
        )
        yield from next((note for note in notes if len(note) <= _HEAD_LINES), ())
    for fix in finding.fixes[:1]:
        # fixes of notes are made only if their code is selected
        hints = fix_hints and finding.severity != "note"
        yield from _note("fix", _fix_text(fix, fix_hints=hints), frame)
    for advice in _advice(finding, report)[:1]:
        if not any(_says_enough(fix, advice) for fix in finding.fixes[:1]):
            yield from _note("help", advice, frame)
    for group in marks:
        yield from _place(group, report, frame, dense=True)
    yield from _rule(finding, report, frame)


def _near(finding: Finding) -> set[Place]:
    """Return the places that every form shows: the first few, and those of other findings of the cause."""
    near = dict.fromkeys((finding.place, *(one.place for one in finding.related if not one.code)))
    return {*[*near][:_BRIEF_PLACES], *(one.place for one in finding.related if one.code)}


def _frame(marks: Sequence[Sequence[Mark]], finding: Finding, theme: Theme) -> snippet.Frame:
    digits = len(str(max(mark.last_line for group in marks for mark in group)))
    return snippet.Frame(theme, digits, finding.severity)


def _advice(finding: Finding, report: Report) -> tuple[str, ...]:
    """Return the finding's own help; without fixes and help that says what to do, first the rule's general remedy."""
    rule = report.rules.get(finding.code)
    if finding.fixes or rule is None or not rule.remedy or any(map(_says_what_to_do, finding.help)):
        return finding.help
    return (rule.remedy, *finding.help)


def _says_what_to_do(advice: str) -> bool:
    return not (advice.startswith(NOT_OFFERED) or " says: " in advice)


def _says_enough(fix: Fix, advice: str) -> bool:
    """Whether a reader of the fix needs no advice: it is safe, or the advice says the same or not what to do."""
    return fix.safety == "safe" or advice.startswith(("did you mean", fix.title)) or not _says_what_to_do(advice)


def _fix_text(fix: Fix, *, fix_hints: bool) -> str:
    verified = "verified" if fix.verified else "not verified"
    told = f"{fix.title} ({verified}, {fix.safety}"
    if not fix.edits or not fix_hints:
        return f"{told})"
    flags = "--fix" if fix.verified and fix.safety == "safe" else "--fix --unsafe-fixes"
    return f"{told}: {flags} does it)"


def _block(finding: Finding, report: Report, theme: Theme) -> list[str]:
    """Return the finding in about a screen of lines: of a long one the first places and the last steps."""
    longest, least = MOST_LINES + len(finding.others), _shortened(finding, *_MOST_SHOWN[-1])
    shown = (list(_lines(_shortened(finding, *most), report, theme)) for most in _MOST_SHOWN)
    return next((lines for lines in shown if len(lines) <= longest), None) or [*_lines(least, report, theme)]


def _shortened(finding: Finding, places: int, steps: int, sentences: int) -> Finding:
    """Return the finding limited to so many further places, steps of the trace, and sentences of the wait cycle."""
    near = _near(finding)
    every = tuple(dict.fromkeys(finding.related))
    related = tuple(one for at, one in enumerate(every) if at < places or one.place in near)
    trace, last, objects = finding.trace, len(finding.trace) - 1, (finding.object, *finding.others)
    if last >= steps:
        # how it begins and ends, and what becomes of the pods that the finding is about
        mine = [
            number
            for number, one in enumerate(trace)
            if one.actor == _SCHEDULER and one.about.partition(" (")[0] in objects
        ]
        ranked = dict.fromkeys((last, 0, *reversed(mine), *range(last, 0, -1)))
        trace = tuple(trace[number] for number in sorted([*ranked][:steps]))
    rest = (
        (len(every) - len(related), "more place"),
        (len(finding.trace) - len(trace), "step"),
        (len(finding.cycle) - sentences, "more sentence"),
    )
    left_out = [counted(*one) for one in rest if one[0] > 0]
    told = f"left out here: {listed(left_out)}; --output-format json has all" if left_out else ""
    return replace(
        finding,
        related=related,
        trace=trace,
        cycle=(*finding.cycle[: sentences - 1], *finding.cycle[sentences - 1 :][-1:]),
        help=(*finding.help, *filter(None, (told,))),
    )


def _lines(finding: Finding, report: Report, theme: Theme) -> Iterator[str]:
    marks = groups(finding)
    frame = _frame(marks, finding, theme)
    lines, rest = _headline(finding, theme)
    yield from lines
    for index, group in enumerate(marks):
        if index:
            yield frame.row("", "")
        yield from _place(group, report, frame)
    yield frame.row("", "")
    if rest:
        yield from _note("note", rest, frame)
    if finding.scheduler:
        yield from _note("scheduler", finding.scheduler, frame)
    if finding.trace:
        title = "what happens" if finding.certainty == "certain" else "one way it can happen"
        steps = [(f"{step.step}.", f"{step.actor}: {step.message}") for step in finding.trace]
        yield from _list(title, steps, frame)
    if finding.cycle:
        yield from _list("who waits for whom", [(theme.bullet, sentence) for sentence in finding.cycle], frame)
    for advice in _advice(finding, report):
        yield from _note("help", advice, frame)
    if len(finding.others) >= FEW or ", ...)" in finding.message.partition(": ")[0]:
        yield from _note("objects", object_names(finding, len(finding.others) + 1), frame)
    for fix in finding.fixes:
        yield from _note("fix", _fix_text(fix, fix_hints=False), frame)
    yield from _rule(finding, report, frame)


def _headline(finding: Finding, theme: Theme) -> tuple[list[str], str]:
    """Return the headline in two or three lines, and the sentences that follow below."""
    kind = f"{finding.severity}[{finding.code}]"
    told, rest = _head(finding, theme)
    (first, *others), hang = _wrapped(kind, told, theme)
    head = theme.paint(finding.severity, kind) + theme.paint("bold", f": {first}")
    return [head, *(" " * hang + theme.paint("bold", line) for line in others)], rest


def _wrapped(kind: str, text: str, theme: Theme) -> tuple[list[str], int]:
    before = len(kind) + 2
    lines, hang = theme.wrap(text, first=before, hang=before), before
    if theme.width < NARROW or len(lines) > _HEAD_LINES:
        lines, hang = theme.wrap(text, first=before, hang=4), 4
    return lines, hang


def _head(finding: Finding, theme: Theme) -> tuple[str, str]:
    """Split the headline at the end of a sentence that fits in two lines.

    If that is nothing, or ends with a colon, it is split at the end of a longer clause that fits, and the rest is made
    a sentence. A head without any end that fits may have three lines.
    """
    text, kind = theme.show(headline(finding)), f"{finding.severity}[{finding.code}]"

    def lines(head: str) -> int:
        return len(_wrapped(kind, head, theme)[0])

    least = len(text) - len(finding.message) + _LEAST_HEAD

    def ends(boundary: re.Pattern[str]) -> list[tuple[int, str]]:
        return [
            (one.start(), f"{_RESUMED.get(one[one.lastindex], '') if one.lastindex else ''}{text[one.end() :]}")
            for one in boundary.finditer(text)
            if one.start() >= least
            and _says_something(text[: one.start()])
            and text.count('"', 0, one.start()) % 2 == 0
            and all(text.count(begin, 0, one.start()) == text.count(end, 0, one.start()) for begin, end in ("()", "{}"))
        ]

    def fitting(ends: Sequence[tuple[int, str]], most: int = _HEAD_LINES) -> list[tuple[int, str]]:
        return [one for one in ends if lines(text[: one[0]]) <= most]

    sentences = [*ends(_SENTENCE_END()), (len(text), "")]
    short = fitting(sentences)
    if not short or text[short[-1][0] :].startswith(": "):
        full = short and lines(text[: short[-1][0]]) == _HEAD_LINES
        clauses = [one for one in fitting(ends(_CLAUSE_END())) if not full or (text[one[0]] == "," and one > short[-1])]
        longer = [] if full else fitting(sentences, _MOST_HEAD_LINES)
        short = clauses or longer or short or sentences[:1]
    end, rest = short[-1]
    return text[:end], rest[1:-1] if rest.startswith("(") and rest.endswith(")") else rest


def _says_something(text: str) -> bool:
    """Whether a text ends with more than names and the path of a field."""
    words = text.rpartition(": ")[2].split()
    return (
        not {"has", "have"}.isdisjoint(words)
        or sum(one.isalpha() and one.islower() and one != "and" for one in words) > 1
    )


def _place(group: list[Mark], report: Report, frame: snippet.Frame, *, dense: bool = False) -> Iterator[str]:
    theme = frame.theme
    lead = next((mark for mark in group if mark.primary), group[0])
    path, line, column = lead.place.path, lead.place.line, lead.place.column
    arrow = theme.paint("frame", " " * frame.digits + "-->")
    yield f"{arrow} {theme.show(path)}:{line}:{column}"
    yield from snippet.snippet(group, lambda number: source_line(report, path, number), frame, dense=dense)


def _rule(finding: Finding, report: Report, frame: snippet.Frame) -> Iterator[str]:
    rule = report.rules.get(finding.code)
    possible = f" ({finding.chance})" if finding.chance else ""
    # the address has the name
    page = rule.url if rule is not None and rule.url else finding.name
    yield from _note("rule", f"{page}{possible}", frame)


def _note(title: str, text: str, frame: snippet.Frame) -> Iterator[str]:
    theme = frame.theme
    lead = " " * (frame.digits + 1)
    before = len(lead) + len(title) + 4
    hang = before if theme.width >= NARROW else len(lead) + 2
    lines = theme.wrap(theme.show(text), first=before, hang=hang)
    yield f"{lead}{theme.paint('frame', '=')} {theme.paint('bold', title)}: {lines[0]}".rstrip()
    for line in lines[1:]:
        yield " " * hang + line


def _list(title: str, entries: list[tuple[str, str]], frame: snippet.Frame) -> Iterator[str]:
    theme = frame.theme
    lead = " " * (frame.digits + 1)
    yield f"{lead}{theme.paint('frame', '=')} {theme.paint('bold', title)}:"
    size = max(cells(sign) for sign, _ in entries)
    hang = len(lead) + 4 + size + 1
    for sign, text in entries:
        lines = theme.wrap(theme.show(text), first=hang, hang=hang)
        yield f"{lead}    {theme.paint('frame', sign.rjust(size))} {lines[0]}"
        for line in lines[1:]:
            yield " " * hang + line
