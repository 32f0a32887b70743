"""The table behind each verdict, for users at a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.findings.decided import Decided, Reason
from kubelint_gpu.messages.display import cells
from kubelint_gpu.messages.wording import counted, owner_name
from kubelint_gpu.report.theme import Style, Theme

MOST_WIDE = 80
_VERDICTS: dict[str, tuple[str, Style]] = {
    "stuck": ("never ends", "error"),
    "may-stick": ("might not end", "warning"),
    "completes": ("ends", "good"),
    "undecided": ("undecided", "note"),
}
_ANSWERS = {"stuck": "never ends", "may-stick": "might not end", "completes": "ends"}
_ARGUMENTS = {
    "all-orders": "each order was asked",
    "applied": "search",
    "counting-nodes": "counts places",
    "counting-shares": "counts places",
    "crowded-start": "one run shows it",
    "declared-devices": "declared devices",
    "in-place-replacement": "pods keep their place",
    "no-node": "no node takes its pod",
    "no-work-left": "no work is left",
    "nothing-to-roll": "nothing would roll",
    "per-node": "each node by itself",
    "quiescence": "no resting state sticks",
    "room": "room at any moment",
    "room-at-rest": "room when all is at rest",
    "room-count": "counts room",
    "room-freed": "frees its place",
    "quota": "counts the quota",
    "search": "search",
    "shortage-alone": "too few nodes take it",
    "shortage-at-last": "too few nodes at the end",
    "shortage-at-worst": "others come first",
    "shortage-by-sum": "others can come first",
    "some-runs": "some runs show it",
    "while-others-wait": "sticks alone",
    "without-changes": "sticks without the changes",
    "without-others": "sticks alone",
    "without-weaker": "sticks without them",
}


def tables(decided: Sequence[Decided], theme: Theme) -> Iterator[str]:
    """Yield the lines of all tables, each after an empty line but the first."""
    for number, one in enumerate(decided):
        if number:
            yield ""
        word, style = verdict_of(one)
        name, place = theme.show(f"why: {owner_name(one.object)}"), theme.show(f"({one.path}:{one.line})")
        wide = cells(f"{name} {word} {place}") > min(MOST_WIDE, theme.width)
        yield f"{name} {theme.paint(style, word)}{'' if wide else f' {place}'}"
        if wide:
            yield f"  {place}"
        yield from (f"  {line}" for line in rows(one, theme))


def verdict_of(one: Decided) -> tuple[str, Style]:
    """Return the verdict in words with the hypothesis that it depends on, and its style."""
    word, style = _VERDICTS.get(one.verdict, (one.verdict, "warning"))
    worse = {reason.hypothesis for reason in one.reasons if reason.answer != "completes"}
    if one.verdict != "completes":
        return word, style
    if "others-roll" in worse:
        return "ends by itself", "warning"
    if "next-rollout" in worse:
        return "ends now", "warning"
    if "alone" in worse and any(reason.hypothesis == "pools-grown" for reason in one.reasons):
        return "ends if pools grow", style
    return word, style


def rows(one: Decided, theme: Theme) -> Iterator[str]:
    """Yield a line for each reason, the worst first: the answer, under which hypothesis, by which argument."""
    answers = [_ANSWERS.get(reason.answer, reason.answer) for reason in one.reasons]
    wide = max(map(cells, answers), default=0)
    clauses = max((cells(reason.clause) for reason in one.reasons), default=0)
    for answer, reason in zip(answers, one.reasons, strict=True):
        argument = _argument(reason)
        line = f"{answer:<{wide}}  {reason.clause:<{clauses}}  {argument}"
        most = min(MOST_WIDE, theme.width) - 2
        if len(line) > most:
            line = f"{answer}  {reason.clause}  {argument}"
        if len(line) > most:
            first, *more = theme.wrap(theme.show(line), first=2, hang=4)
            yield first
            yield from (f"  {rest}" for rest in more)
            continue
        yield theme.show(line)


def _argument(reason: Reason) -> str:
    """Return the deciding argument in plain words, and the number of states."""
    told = _ARGUMENTS.get(reason.argument, reason.argument)
    return f"{told}, {counted(reason.steps, 'state')}" if reason.steps else told
