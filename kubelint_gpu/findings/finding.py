"""What the checks say and every output format prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from kubelint_gpu.values import PartlyCompared, Value

if TYPE_CHECKING:
    from kubelint_gpu.findings.picture import RolloutPicture

INTERNAL = "KLG000"
Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("note", "warning", "error")
"""From the least to the worst."""
Threshold = Literal["error", "warning", "note", "undecided"]
THRESHOLDS: tuple[Threshold, ...] = ("error", "warning", "note", "undecided")
"""What may fail a run: each fails it with what comes before it."""
Certainty = Literal["certain", "possible"]
Safety = Literal["safe", "unsafe"]
Moment = Literal["now", "next", "later"]
"""When a finding comes true: in this change, in the next one of the same workload, or when something else happens."""
MOMENTS: tuple[Moment, ...] = ("now", "next", "later")

_LONGEST = 253 + len('"",')


class Place(Value, order=True):
    """A range of a file: lines and columns are 1-based, columns count code points, the end is exclusive."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int


class Related(Value):
    """A further place and the sentence that says what stands there; `code` names the rule of a finding in its place."""

    place: Place
    message: str
    code: str = ""


class Step(Value):
    """One event of a trace: who acts and what happens; `place` is None where that is the finding's own.

    `about` is the object that it is about, `kind/namespace/name` or `Node/name`; empty where it is about several.
    """

    step: int
    actor: str
    message: str
    place: Place | None = None
    about: str = ""


class TextEdit(Value):
    """The text that replaces what stands at a place; an empty range inserts."""

    place: Place
    text: str


class Fix(Value):
    """A change of the manifest that makes the finding go away.

    `verified` is true only if the core, run on the changed manifest, no longer gives the finding.
    """

    title: str
    safety: Safety
    verified: bool
    edits: tuple[TextEdit, ...]


class Refusal(Value):
    """A change that was thought of and is not offered, and why; `effect` is what it costs or gives."""

    title: str
    safety: Safety
    why: str
    effect: str = ""


WHO, ASKED = 0, 1
"""What the findings of one cause are about, and what they ask for altogether."""


POSSIBLE = "possible, not certain"


class Shared(Value):
    """What a finding has in common with others of the same cause, which are reported as one where they are many.

    Attributes:
        cause: what is the same of all of them.
        told: the parts of the sentence about all of them, `WHO` and `ASKED` in place of names and the number.
        asked: what this one asks for of a `resource`; where all together ask for more than the cluster `has`, that is
            told once, and certain unless the rest is `unsure`.
        priority: of its pods; where not all have room, those of the highest have.
        of_run: more are one in whatever file they stand; else those of one unit are.
        who: `kind/namespace/name` of whom it tells, where an object has several templates.
        unit: the first file of their unit, where those of one unit are one.
        waits: the objects whose pods it says wait, also as `object at number of replicas`, each with its unit.
        follows: the same of which it is a further effect: it is part of the findings that say these wait.
    """

    cause: str
    told: tuple[str | int, ...]
    asked: int = 0
    has: int | None = None
    priority: int = 0
    of_run: bool = False
    resource: str = ""
    who: str = ""
    unit: str = ""
    unsure: bool = False
    waits: tuple[tuple[str, str], ...] = ()
    follows: tuple[tuple[str, str], ...] = ()


class Finding(PartlyCompared):
    """One cause, said once, at the line that its author can change.

    `object` is `kind/namespace/name`, empty where no object could be read.
    `scheduler` is the text of the FailedScheduling event, where the finding rests on one.
    `cause` tells it from other findings of its rule in the same object; it stays the same when lines or words change.
    `fingerprint` stays the same when lines move.
    `refusals` are the changes that would not have mended it, or not without harm.
    `picture` shows what the trace tells of; it is there only where a picture was asked for.
    `others` are the further objects that it is about.
    `part` names the template of an object with several.
    `undecided` says why the question that it names has no answer; empty if it states an answer.
    """

    not_compared = frozenset({"part", "picture", "refusals", "shared", "undecided"})
    code: str
    name: str
    severity: Severity
    certainty: Certainty
    message: str
    place: Place
    object: str = ""
    scheduler: str | None = None
    related: tuple[Related, ...] = ()
    trace: tuple[Step, ...] = ()
    cycle: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()
    help: tuple[str, ...] = ()
    cause: str = ""
    fingerprint: str = ""
    moment: Moment = "now"
    refusals: tuple[Refusal, ...] = ()
    picture: RolloutPicture | None = None
    others: tuple[str, ...] = ()
    shared: Shared | None = None
    part: str = ""
    undecided: str = ""

    @property
    def is_defect(self) -> bool:
        """Whether it reports a defect of this program, which is never hidden."""
        return self.code == INTERNAL and not self.undecided

    @property
    def chance(self) -> str:
        """How sure it is, in words; empty where it is certain. An error of several is certain of all of them."""
        if self.certainty == "certain":
            return ""
        return "certain of all of them, possible of each" if self.others and self.severity == "error" else POSSIBLE


class Summary(Value):
    """What a run looked at and what it found.

    `ignored` were suppressed, `baseline` are accepted by a baseline; `seconds` is wall time. `units` are the names
    of the sets of files that are applied together, empty if that is not known. `unknown` are claims of pods that nobody
    declares. `hidden` findings count and are not shown, because their severity is too low. `reasons` say why questions
    are undecided, each with how many. `remarks` are further sentences about the run as a whole.
    """

    files: int = 0
    documents: int = 0
    workloads: int = 0
    nodes: int = 0
    errors: int = 0
    warnings: int = 0
    notes: int = 0
    ignored: int = 0
    baseline: int = 0
    undecided: int = 0
    seconds: float = 0.0
    units: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    hidden: int = 0
    reasons: tuple[tuple[str, int], ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def why_undecided(self) -> str:
        """Return why questions are undecided, with numbers if there are several reasons; empty if none is known."""
        if len(self.reasons) < 2:
            return "".join(reason for reason, _ in self.reasons)
        return ", ".join(f"{count} because {reason}" for reason, count in self.reasons)


class RuleInfo(Value):
    """A rule as the catalogue describes it.

    `page` is the Markdown of its README. `remedy` is what to do where a finding has no fix and no help of its own.
    """

    code: str
    name: str
    severity: Severity
    summary: str
    fix: Literal["safe", "unsafe", "none"]
    since: str
    url: str
    tags: tuple[str, ...] = ()
    page: str = ""
    remedy: str = ""


def with_short_words(text: str) -> str:
    """A sentence in which no word is longer than the longest name that an API server takes."""
    if len(text) <= _LONGEST:
        return text
    return " ".join(word if len(word) <= _LONGEST else f"{word[:37]}..." for word in text.split(" "))


def fingerprint(*parts: str) -> str:
    """A name for a finding that is made of what stays the same when lines move."""
    from hashlib import sha256

    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
