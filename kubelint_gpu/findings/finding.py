"""Findings, which the checks return and every output format prints."""

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

_REASONS = 100
"""The reasons that a sentence about what is undecided names."""
_LONGEST = 253 + len('"",')


class Place(Value, order=True):
    """A range of a file: lines and columns are 1-based, columns count code points, the end is exclusive."""

    path: str
    line: int
    column: int
    end_line: int
    end_column: int


class Related(Value):
    """A related place with its message; `code` names the rule if it is itself a finding."""

    place: Place
    message: str
    code: str = ""


class Step(Value):
    """One event of a trace: the actor and what happens; `place` is None if that is the finding's own.

    `about` is the object, as `kind/namespace/name` or `Node/name`; empty for several objects.
    """

    step: int
    actor: str
    message: str
    place: Place | None = None
    about: str = ""


class TextEdit(Value):
    """The text that replaces the range of a place; an empty range inserts."""

    place: Place
    text: str


class Fix(Value):
    """A change of the manifest that removes the finding.

    `verified` is true only if the core, run on the changed manifest, no longer reports the finding.
    """

    title: str
    safety: Safety
    verified: bool
    edits: tuple[TextEdit, ...]


class Refusal(Value):
    """A change that was considered and is not offered, and why; `effect` is its cost or benefit."""

    title: str
    safety: Safety
    why: str
    effect: str = ""


WHO, ASKED, LACKED = 0, 1, 2
"""What the findings of one cause are about, what they ask for altogether, and how much more that is than there is."""


POSSIBLE = "possible, not certain"


class Shared(Value):
    """What a finding shares with others of the same cause; many of them are reported as one.

    Attributes:
        cause: the key of the common cause.
        told, help: the parts of the sentence about all, and of what to do; `WHO` and `ASKED` stand for names and sum.
        asked: how much this one asks for of a `resource`. If all together ask for more than the cluster `has`, they are
            reported once, as certain unless some part is `unsure`.
        priority: the priority of its pods; if room is short, pods of the highest priority have it.
        of_run: findings of all files are merged; otherwise only those of one unit.
        anywhere: it is the same for every cluster, so that none is named.
        who: `kind/namespace/name` of its workload, if an object has several templates.
        unit: the first file of their unit, unless `of_run`.
        waits: the objects whose pods it reports as waiting, also as `object at number of replicas`, each with its unit.
        follows: the objects whose waiting causes it: it becomes part of the findings that report these.
    """

    cause: str
    told: tuple[str | int, ...]
    asked: int = 0
    has: int | None = None
    priority: int = 0
    of_run: bool = False
    anywhere: bool = False
    resource: str = ""
    who: str = ""
    unit: str = ""
    unsure: bool = False
    waits: tuple[tuple[str, str], ...] = ()
    follows: tuple[tuple[str, str], ...] = ()
    help: tuple[str | int, ...] = ()


class Finding(PartlyCompared):
    """One cause, reported once, at the line that its author can change.

    `object` is `kind/namespace/name`, empty if no object could be read. `scheduler` is the text of the FailedScheduling
    event, if the finding depends on one. `cause` distinguishes it from other findings of its rule in the same object,
    even if lines or words change. `fingerprint` stays the same if lines move. `refusals` are the changes that would not
    fix it, or not without harm. `picture` shows the trace, if a picture was requested. `others` are the further objects
    that it is about. `part` names the template of an object with several.
    `undecided` says why its question has no answer; empty if it states an answer.
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
        """How certain it is, in words; empty if certain.

        An error about several objects is certain for all of them together.
        """
        if self.certainty == "certain":
            return ""
        return "certain of all of them, possible of each" if self.others and self.severity == "error" else POSSIBLE


class Summary(Value):
    """The numbers of a run: what it looked at and what it found.

    `ignored` were suppressed, `baseline` are accepted by a baseline; `seconds` is wall time. `units` are the names of
    the sets of files that are applied together, empty if unknown. `unknown` are undeclared claims of pods. `hidden`
    findings count but are not shown, because their severity is too low. `reasons` say why questions are undecided, each
    with its number. `remarks` are further sentences about the run as a whole. `helm` is the version of the program that
    rendered charts, empty if none were rendered.
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
    helm: str = ""

    @property
    def why_undecided(self) -> str:
        """Why questions are undecided, with numbers if there are several reasons; empty if none is known."""
        if len(self.reasons) < 2:
            return "".join(reason for reason, _ in self.reasons)
        told = [f"{count} because {reason}" for reason, count in self.reasons[:_REASONS]]
        rest = sum(count for _, count in self.reasons[_REASONS:])
        return ", ".join([*told, f"{rest} for reasons that the notes name"] if rest else told)


class RuleInfo(Value):
    """A rule as described in the catalogue.

    `page` is the Markdown of its README. `remedy` is what to do if a finding has no fix and no help of its own.
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
    """A sentence with every word shortened that is longer than the longest name that an API server accepts."""
    if len(text) <= _LONGEST:
        return text
    return " ".join(word if len(word) <= _LONGEST else f"{word[:37]}..." for word in text.split(" "))


def fingerprint(*parts: str) -> str:
    """An identifier of a finding from parts that stay the same if lines move."""
    from hashlib import sha256

    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


NAME = "not-judged"
_MOST = 200


def defect(place: Place, what: str, error: Exception, *, name: str = "", cause: str = "") -> Finding:
    """The finding for an unexpected exception; `what` says what was not done, `name` is the object."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    where = f" ({at.tb_frame.f_code.co_name}, line {at.tb_lineno})" if at is not None else ""
    said = str(error)
    said = said if len(said) <= _MOST else f"{said[:_MOST]}..."
    return Finding(
        code=INTERNAL,
        name=NAME,
        severity="error",
        certainty="certain",
        message=f"{what}: {type(error).__name__}: {said}{where}; please report it, with what stands here",
        place=place,
        object=name,
        cause=cause or what,
        fingerprint=fingerprint(INTERNAL, place.path, name, cause or what),
    )
