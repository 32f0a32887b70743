"""Suppressions in the manifests: comments and annotations.

`# kubelint-gpu: ignore[KLG101] reason` stands on the line of a finding, primary or related, or alone on the line above.
The annotation `kubelint-gpu/ignore: "KLG101: reason; KLG301: reason"` is for a whole object.
A reason may begin with `until=2027-01-31`: from the day after on the suppression has no effect and is reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from kubelint_gpu.checks.catalogue import UnknownRule, find
from kubelint_gpu.checks.finding import Finding, Place
from kubelint_gpu.checks.manifest import Manifest, place_of
from kubelint_gpu.checks.unit import Unit
from kubelint_gpu.documents import Comment, Reading, comments
from kubelint_gpu.documents.edits import Edit
from kubelint_gpu.values import dataclass

ANNOTATION = "kubelint-gpu/ignore"
_MARK = "kubelint-gpu:"
_COMMENT = re.compile(r"#\s*kubelint-gpu:\s*(?P<word>\w*)\s*(?:\[(?P<codes>[^\]]*)\])?\s*(?P<reason>.*)", re.DOTALL)
_UNTIL = re.compile(r"until=(?P<day>\S+)\s*")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True, eq=False)
class Ignore:
    """One code that is suppressed somewhere.

    Attributes:
        written: the code or name as it is written.
        code: the rule's code, empty where there is no such rule.
        place: where it is written.
        reason: why, as the author says.
        until: the last day on which it holds, empty for ever.
        lines: the lines for which it holds; empty for an annotation.
        manifest: the object for which it holds; None for a comment.
        wrong: what is wrong with how it is written, empty where nothing is.
        edit: takes it out of the text; None where it is not alone.
    """

    written: str
    code: str
    place: Place
    reason: str = ""
    until: str = ""
    lines: tuple[int, ...] = ()
    manifest: Manifest | None = None
    wrong: str = ""
    edit: Edit | None = None

    def covers(self, finding: Finding) -> bool:
        """Whether the finding is one that it suppresses."""
        if self.wrong or finding.code != self.code:
            return False
        if self.manifest is not None:
            here = self.manifest.origin is not None or finding.place.path == self.place.path
            return finding.object == self.manifest.object and here
        places = (finding.place, *(related.place for related in finding.related))
        return any(
            place.path == self.place.path and place.line <= line <= place.end_line
            for place in places
            for line in self.lines
        )


def ignores(unit: Unit) -> Iterator[Ignore]:
    """Every suppression of a unit, in the order of the text."""
    for reading in unit.sources:
        if reading.source is not None and _MARK in reading.source.text:
            for comment in comments(reading):
                if _MARK in comment.text:
                    yield from _of_comment(reading, comment)
    for manifest in unit.manifests:
        yield from _of_annotation(manifest)


def unused_cause(ignore: Ignore) -> str:
    """What tells the finding that it suppresses nothing from others at the same place."""
    return f"{ignore.written} {ignore.reason}"


def expired(ignore: Ignore, today: str) -> bool:
    """Whether its last day is over; days are texts such as 2027-01-31."""
    return bool(ignore.until) and ignore.until < today


def suppressed(
    findings: Iterable[Finding], found: Sequence[Ignore], today: str
) -> tuple[list[Finding], int, list[Ignore]]:
    """The findings that are left, how many were suppressed, and the suppressions that suppressed something."""
    active = [ignore for ignore in found if not expired(ignore, today)]
    left: list[Finding] = []
    used: dict[int, Ignore] = {}
    count = 0
    for finding in findings:
        covering = [ignore for ignore in active if ignore.covers(finding)]
        used.update((id(ignore), ignore) for ignore in covering)
        if covering:
            count += 1
        else:
            left.append(finding)
    return left, count, list(used.values())


def _of_comment(reading: Reading, comment: Comment) -> Iterator[Ignore]:
    source = reading.source
    match = _COMMENT.match(comment.text)
    if source is None or match is None:
        return
    place = place_of(source.path, source.span(comment.offset, comment.offset + len(comment.text)))
    alone = source.line(comment.line)[: comment.column - 1].strip() == ""
    lines = (comment.line, comment.line + 1) if alone else (comment.line,)
    codes = [code.strip() for code in (match["codes"] or "").split(",") if code.strip()]
    if match["word"] != "ignore" or not codes:
        wrong = f'"{comment.text}" is no suppression; write "# kubelint-gpu: ignore[KLG101] reason"'
        yield Ignore("", "", place, lines=lines, wrong=wrong)
        return
    edit = _removal(reading, comment, alone=alone) if len(codes) == 1 else None
    for code in codes:
        yield _ignore(code, match["reason"].strip(), place, lines=lines, edit=edit)


def _of_annotation(manifest: Manifest) -> Iterator[Ignore]:
    meta = manifest.item.value.get("metadata")
    annotations = meta.get("annotations") if isinstance(meta, dict) else None
    text = annotations.get(ANNOTATION) if isinstance(annotations, dict) else None
    if text is None:
        return
    place = manifest.place(("metadata", "annotations", ANNOTATION))
    if not isinstance(text, str):
        yield Ignore("", "", place, manifest=manifest, wrong=f'{ANNOTATION} must be a text such as "KLG101: reason"')
        return
    for part in text.split(";"):
        code, _, reason = part.partition(":")
        if code.strip():
            yield _ignore(code.strip(), reason.strip(), place, manifest=manifest)


def _ignore(
    written: str,
    reason: str,
    place: Place,
    *,
    lines: tuple[int, ...] = (),
    manifest: Manifest | None = None,
    edit: Edit | None = None,
) -> Ignore:
    try:
        code, wrong = find(written).code, ""
    except UnknownRule:
        code, wrong = "", f'there is no rule "{written}"'
    until = ""
    limit = _UNTIL.match(reason)
    if limit is not None:
        until, reason = limit["day"], reason[limit.end() :]
        if _DAY.fullmatch(until) is None:
            wrong, until = f'"{until}" is no day; write until=2027-01-31', ""
    return Ignore(written, code, place, reason, until, lines, manifest, wrong, edit)


def _removal(reading: Reading, comment: Comment, *, alone: bool) -> Edit | None:
    """Take the comment out, with the blanks before it; a line that holds nothing else goes whole."""
    source = reading.source
    if source is None:
        return None
    start = source.line_starts[comment.line - 1]
    end = comment.offset + len(comment.text)
    if alone:
        following = source.line_starts[comment.line] if comment.line < len(source.line_starts) else end
        return Edit(source.path, source.span(start, following), "")
    begin = comment.offset
    while begin > start and source.text[begin - 1] in " \t":
        begin -= 1
    return Edit(source.path, source.span(begin, end), "")
