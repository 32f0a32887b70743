"""Suppressions in the manifests: comments and annotations.

`# kubelint-gpu: ignore[KLG101] reason` stands on the line of a finding, primary or related, or alone on the line above.
The annotation `kubelint-gpu/ignore: "KLG101: reason; KLG301: reason"` is for a whole object.
A reason may begin with `until=2027-01-31`: after that day the suppression has no effect and is reported.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence

from kubelint_gpu.documents import Comment, Reading, comments, editing
from kubelint_gpu.findings.catalogue import UnknownRule, prefix_of, suggestion
from kubelint_gpu.findings.expiry import expiry, over
from kubelint_gpu.findings.finding import Finding, Place
from kubelint_gpu.patterns import pattern
from kubelint_gpu.values import Value
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.manifest import Manifest, place_of

ANNOTATION = "kubelint-gpu/ignore"
_COMMENT = pattern(
    r"#\s*kubelint-gpu:\s*(?P<word>\w*)\s*(?:\[(?P<codes>[^\]]*)\])?\s*(?P<reason>.*)", re.DOTALL | re.IGNORECASE
)
_ALMOST = pattern(r"#[^#\[]*\bignore\s*[\[(:]\s*KLG\d", re.IGNORECASE)
_DASH = pattern(r"\s*-\s+")
_FOLDED = pattern(r"(?<=\s)-\s+(?=KLG\d*\b)|[;:]")
_ENTRY = pattern(r"[\w-]+(\s*,\s*[\w-]+)*\s*(:|$)")


class Written(Value):
    """One suppression as written: its codes, prefixes or names, and the text after them.

    Attributes:
        wrong: why it is not understood; empty if it is.
        start: how many characters of a comment come before it.
    """

    codes: tuple[str, ...] = ()
    text: str = ""
    wrong: str = ""
    start: int = 0


def of_comment(text: str) -> Written | None:
    """The suppression in a comment, which begins at its `#` and may follow other words; None if there is none."""
    match = _COMMENT().search(text)
    if match is None:
        return Written(wrong=_no_suppression(text)) if _ALMOST().match(text) else None
    codes = _codes(match["codes"] or "")
    if match["word"] != "ignore" or not codes:
        # a sentence that merely names the program is none
        return Written(wrong=_no_suppression(match[0]), start=match.start()) if match.start() == 0 else None
    return Written(codes, match["reason"].strip(), start=match.start())


def of_annotation(text: str) -> Iterator[Written]:
    """Yield the suppressions in an annotation: one on each line, or several separated by semicolons.

    A line may begin with a dash; a line without a code continues the previous one.
    """
    for entry in _entries(text):
        codes, _, reason = entry.partition(":")
        yield Written(_codes(codes), reason.strip())


def _entries(text: str) -> Iterator[str]:
    lines = [line for line in text.splitlines() if line.strip()]
    listed = bool(lines) and _DASH().match(lines[0]) is not None
    if listed:
        # a folded text has its list on one line
        lines = [part for line in lines for part in _unfolded(line)]
    joined: list[str] = []
    for line in lines:
        begins = _DASH().match(line) if listed else _ENTRY().match(line.strip())
        if begins is not None or not joined:
            joined.append(line[begins.end() :].strip() if listed and begins is not None else line.strip())
        else:
            joined[-1] += f" {line.strip()}"
    return (part.strip() for line in joined for part in line.split(";") if part.strip())


def _unfolded(line: str) -> Iterator[str]:
    """Yield the entries of a list on one line: each begins at a dash before a code and a colon, with no `;` between."""
    start = 0
    found = list(_FOLDED().finditer(line))
    followed = ""
    cuts = []
    for one in reversed(found):
        if one[0] in (";", ":"):
            followed = one[0]
        elif followed == ":":
            cuts.append(one.start())
    for cut in reversed(cuts):
        if line[:cut].strip():
            yield line[start:cut].rstrip()
            start = cut
    yield line[start:]


def _codes(text: str) -> tuple[str, ...]:
    return tuple(code.strip() for code in text.split(",") if code.strip())


def _no_suppression(text: str) -> str:
    return f'"{text}" is no suppression; write "# kubelint-gpu: ignore[KLG101] reason"'


UNUSED = "KLG005"


class Ignore(Value, eq=False):
    """A suppression of one code.

    Attributes:
        written: the code, prefix or name as it is written.
        code: the rule's code, or a prefix of several; empty if there is no such rule.
        place: where it is written.
        reason: the author's reason.
        until: the last day on which it is valid; empty for ever.
        lines: the lines for which it is valid; empty for an annotation.
        manifest: the object for which it is valid; None for a comment.
        wrong: what is wrong with its syntax; empty if nothing is.
        edit: the edit that removes it; None if it shares a comment or annotation with others.
    """

    written: str
    code: str
    place: Place
    reason: str = ""
    until: str = ""
    lines: tuple[int, ...] = ()
    manifest: Manifest | None = None
    wrong: str = ""
    edit: editing.Edit | None = None


class Closing(Value, eq=False):
    """What is known about a unit's suppressions at the end.

    Attributes:
        unused: those that suppressed nothing.
        used: those that suppressed something.
        findings: all findings, suppressed or not.
        today: the day, for example 2027-01-31.
    """

    unused: tuple[Ignore, ...]
    used: tuple[Ignore, ...]
    findings: tuple[Finding, ...]
    today: str


def ignores(unit: ApplySet) -> Iterator[Ignore]:
    """Yield every suppression of a unit, in the order of the text."""
    for reading in unit.sources:
        text = reading.text
        if "#" in text and ("ignore" in text or "ubelint-" in text):
            for comment in comments(reading):
                yield from _of_comment(reading, comment)
    for manifest in unit.manifests:
        yield from _of_annotation(manifest)


def unused_cause(ignore: Ignore) -> str:
    """The cause of the finding that this suppression is unused."""
    return f"{ignore.written} {ignore.reason}"


def suppressed(
    findings: Iterable[Finding], found: Sequence[Ignore], today: str
) -> tuple[list[Finding], int, list[Ignore]]:
    """The findings that are left, how many were suppressed, and the suppressions that suppressed something."""
    active = _Active(ignore for ignore in found if not over(ignore.until, today))
    left: list[Finding] = []
    count = 0
    for finding in findings:
        if active.suppress(finding):
            count += 1
        else:
            left.append(finding)
    return left, count, [ignore for ignore in found if ignore in active.used]


class _Alike:
    """Suppressions of one code for one object or line: all cover the same, but none the finding about itself."""

    def __init__(self) -> None:
        self._unused: dict[tuple[Place, str], list[Ignore]] = {}
        self._about: set[tuple[Place, str]] = set()

    def add(self, ignore: Ignore) -> None:
        about = (ignore.place, unused_cause(ignore))
        self._about.add(about)
        self._unused.setdefault(about, []).append(ignore)

    def use(self, finding: Finding, used: set[Ignore]) -> bool:
        own = (finding.place, finding.cause) if finding.code == UNUSED else None
        kept = {own: self._unused.pop(own)} if own in self._unused else {}
        used.update(*self._unused.values())
        self._unused = kept
        return len(self._about) > (own in self._about)


class _Active:
    """The valid suppressions, by object or by line of a file."""

    def __init__(self, ignores_held: Iterable[Ignore]) -> None:
        self.used: set[Ignore] = set()
        self._objects: dict[tuple[str, str], dict[str, _Alike]] = {}
        self._lines: dict[str, dict[int, dict[str, _Alike]]] = {}
        for ignore in ignores_held:
            if ignore.wrong or not ignore.code:
                continue
            if (manifest := ignore.manifest) is not None:
                path = "" if manifest.origin is not None else ignore.place.path
                self._objects.setdefault((manifest.object, path), {}).setdefault(ignore.code, _Alike()).add(ignore)
            for line in ignore.lines if manifest is None else ():
                by_code = self._lines.setdefault(ignore.place.path, {}).setdefault(line, {})
                by_code.setdefault(ignore.code, _Alike()).add(ignore)
        self._sorted = {path: sorted(by_line) for path, by_line in self._lines.items()}

    def suppress(self, finding: Finding) -> bool:
        """Whether a finding is suppressed; marks all suppressions that cover it as used."""
        hit = False
        for by_code in self._for(finding):
            for length in range(1, len(finding.code) + 1):
                alike = by_code.get(finding.code[:length])
                hit = (alike is not None and alike.use(finding, self.used)) or hit
        return hit

    def _for(self, finding: Finding) -> Iterator[dict[str, _Alike]]:
        for path in dict.fromkeys(("", finding.place.path)):
            yield self._objects.get((finding.object, path), {})
        for place in dict.fromkeys((finding.place, *(related.place for related in finding.related))):
            lines = self._sorted.get(place.path, [])
            for line in lines[bisect_left(lines, place.line) : bisect_right(lines, place.end_line)]:
                yield self._lines[place.path][line]


def _of_comment(reading: Reading, comment: Comment) -> Iterator[Ignore]:
    source = reading.source
    written = of_comment(comment.text)
    if source is None or written is None:
        return
    start, end = comment.offset + written.start, comment.offset + len(comment.text)
    place = place_of(source.path, source.span(start, end))
    alone = source.line(comment.line)[: comment.column - 1].strip() == ""
    lines = (comment.line, comment.line + 1) if alone else (comment.line,)
    if written.wrong:
        yield Ignore("", "", place, lines=lines, wrong=written.wrong)
        return
    whole = len(written.codes) == 1 and not written.start
    edit = _removal(reading, comment, alone=alone) if whole else None
    yield from _each(written, place, lines=lines, edit=edit)


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
    for written in of_annotation(text):
        yield from _each(written, place, manifest=manifest)


def _each(
    written: Written,
    place: Place,
    *,
    lines: tuple[int, ...] = (),
    manifest: Manifest | None = None,
    edit: editing.Edit | None = None,
) -> Iterator[Ignore]:
    """Yield a suppression for each code."""
    end = expiry(written.text)
    if end.wrong:
        yield Ignore(", ".join(written.codes), "", place, end.reason, "", lines, manifest, end.wrong, edit)
        return
    for text in written.codes:
        try:
            code, wrong = prefix_of(text), ""
        except UnknownRule:
            code, wrong = "", f'there is no rule "{text}"{suggestion(text)}'
        yield Ignore(text, code, place, end.reason, end.until, lines, manifest, wrong, edit)


def _removal(reading: Reading, comment: Comment, *, alone: bool) -> editing.Edit | None:
    """The edit that removes a comment with the blanks before it; `alone`, with its whole line."""
    source = reading.source
    if source is None:
        return None
    start = source.line_starts[comment.line - 1]
    end = comment.offset + len(comment.text)
    if alone:
        following = source.line_starts[comment.line] if comment.line < len(source.line_starts) else end
        return editing.Edit(source.path, source.span(start, following), "")
    begin = comment.offset
    while begin > start and source.text[begin - 1] in " \t":
        begin -= 1
    return editing.Edit(source.path, source.span(begin, end), "")
