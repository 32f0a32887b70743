"""Suppressions that suppress nothing, or give no reason."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from kubelint_gpu.engine.api import ApplySet, Diagnostic, FixCandidate, Place
from kubelint_gpu.engine.registry import closing_rule
from kubelint_gpu.engine.suppressions import UNUSED, Closing, Ignore, unused_cause
from kubelint_gpu.findings.expiry import over
from kubelint_gpu.findings.finding import Finding
from kubelint_gpu.groups import grouped
from kubelint_gpu.messages.wording import listed


@closing_rule("KLG005")
def unused_ignore(unit: ApplySet, closing: Closing) -> Iterator[Diagnostic]:
    """Yield suppressions that suppressed nothing, have expired, cannot be read, or give no reason."""
    documents = _Documents(unit, closing.findings if closing.unused else ())
    for ignore in closing.unused:
        ended = over(ignore.until, closing.today)
        there = None if ignore.wrong or ended else documents.missed(ignore)
        if ignore.wrong:
            message = ignore.wrong
        elif ended:
            message = f"the suppression of {ignore.written} ended on {ignore.until}"
        elif there is not None:
            message = f"{ignore.written} is suppressed here and was found on line {there.line}"
        else:
            message = f"{ignore.written} is suppressed here and was not found"
        edit = ignore.edit
        deletable = edit is not None and not ignore.wrong and not ended and there is None
        yield Diagnostic(
            UNUSED,
            ignore.place,
            message,
            ignore.manifest,
            cause=unused_cause(ignore),
            help=(f"move the comment to line {there.line}, or above it",) if there is not None else (),
            proposals=(FixCandidate("delete the suppression", "safe", lambda edit=edit: [edit]),)  # type: ignore[misc]
            if deletable
            else (),
        )
    yield from _without_reason(closing)


def _without_reason(closing: Closing) -> Iterator[Diagnostic]:
    silent: dict[Place, list[Ignore]] = {}
    for ignore in closing.used:
        if not _says_why(ignore.reason):
            silent.setdefault(ignore.place, []).append(ignore)
    for place, found in silent.items():
        names = list(dict.fromkeys(one.written for one in found))
        yield Diagnostic(
            UNUSED,
            place,
            f"{listed(names)} {'is' if len(names) == 1 else 'are'} suppressed here without a reason",
            found[0].manifest,
            cause="no reason",
            severity="note",
            help=(f"write why behind the bracket, in place of any TODO: ignore[{names[0]}] the reason",),
        )


def _says_why(written: str) -> bool:
    """Whether an author gave a reason; `ignore here` in an editor writes TODO instead."""
    return not written.startswith("TODO") and any(character.isalnum() for character in written)


class _Documents:
    """Findings by the document of a file."""

    def __init__(self, unit: ApplySet, findings: Iterable[Finding]) -> None:
        self._starts = {
            reading.source.path: (reading.source.line_starts, [document.chunk[0] for document in reading.documents])
            for reading in unit.sources
            if reading.source is not None
        }
        self._findings = grouped((self._document(one.place), one) for one in findings)

    def missed(self, ignore: Ignore) -> Place | None:
        """Return the place of the nearest finding in the document that a comment is meant for; None if none is."""
        if ignore.manifest is not None:
            return None
        near = self._findings.get(self._document(ignore.place), ())
        places = [one.place for one in near if one.code.startswith(ignore.code)]
        return min(places, key=lambda place: (abs(place.line - ignore.place.line), place.line), default=None)

    def _document(self, place: Place) -> tuple[str, int]:
        lines, documents = self._starts.get(place.path, ((), ()))
        return place.path, bisect_right(documents, lines[place.line - 1]) if lines else 0
