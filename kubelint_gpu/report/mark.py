"""The places of a finding with their labels, in groups that share a snippet."""

from __future__ import annotations

from itertools import pairwise

from kubelint_gpu.findings.finding import Finding, Place, with_short_words
from kubelint_gpu.values import Value

_JOINTS = ("and", "or")
NEAR = 40
"""Lines between two places that a reader still sees as one picture: about one screen."""


class Mark(Value):
    """A place, its label, and whether it is the place of the finding itself."""

    place: Place
    label: str
    primary: bool = False

    @property
    def last_line(self) -> int:
        """Return the last line that shows a part of the place; an end before the first column excludes its line."""
        place = self.place
        ends_before = place.end_column <= 1 and place.end_line > place.line
        return max(place.line, place.end_line - (1 if ends_before else 0))


def groups(finding: Finding) -> list[list[Mark]]:
    """Return the marks of each snippet by line; the primary place's snippet first, then the related ones in order.

    The label of the primary place is its message; without one, the object is named.
    """
    said: dict[Place, list[str]] = {finding.place: []}
    for related in finding.related:
        said.setdefault(related.place, []).append(related.message)
    turn = {place: index for index, place in enumerate(said)}
    found: list[list[Mark]] = []
    for place in sorted(said):
        primary = place == finding.place
        label = "; ".join(said[place]) or (object_name(finding) if primary else "")
        mark = Mark(place, label, primary)
        if found and _near(found[-1], mark):
            found[-1].append(mark)
        else:
            found.append([mark])
    return sorted(found, key=lambda group: min(turn[mark.place] for mark in group))


def object_name(finding: Finding) -> str:
    """Return the object as users write it: `Deployment vision/object-tracker`."""
    kind, _, name = finding.object.partition("/")
    return f"{kind} {name.lstrip('/')}".rstrip()


def headline(finding: Finding) -> str:
    """Return the message, prefixed by the name of the object if the message does not contain it."""
    name = object_name(finding)
    if not name or _names(_subject(finding.message), finding):
        return finding.message
    return with_short_words(f"{name}: {finding.message}")


def _subject(message: str) -> str:
    """Return the subject of a message, before the colon; holders and evicted pods come after it."""
    return message.partition(": ")[0]


def _names(message: str, finding: Finding) -> bool:
    """Whether a message names the object of a finding after its kind, which a list of objects may share."""
    kind, _, whole = object_name(finding).partition(" ")
    names, kinds, row = {whole, whole.rpartition("/")[2]}, {kind, f"{kind}s", f"{kind}es"}, False
    for word, following in pairwise((*message.split(), "")):
        bare = word.strip("(),:;'")
        if bare == finding.object or (row and bare in names):
            return True
        row = bare in kinds or (row and (word.endswith(",") or not {bare, following}.isdisjoint(_JOINTS)))
    return False


def _near(group: list[Mark], mark: Mark) -> bool:
    last = group[-1]
    return last.place.path == mark.place.path and mark.place.line <= last.last_line + NEAR
