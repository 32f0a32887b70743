"""A draft of a rule: a finding whose fixes have not been tried yet."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kubelint_gpu.findings import finding
from kubelint_gpu.findings.catalogue import rule
from kubelint_gpu.findings.finding import Certainty, Moment, Place, Related, Safety, Severity, Shared, Step
from kubelint_gpu.values import Value
from kubelint_gpu.workspace.manifest import Manifest

if TYPE_CHECKING:
    from kubelint_gpu.documents.editing import Edit
    from kubelint_gpu.simulation.search.trace import Trace

Identity = tuple[str, str, str, str]
LOWER: dict[Severity, Severity] = {"error": "warning", "warning": "note", "note": "note"}
"""One step below each severity."""


class FixCandidate(Value):
    """A fix to be tried; `edits` raises NotEditable if the text does not allow it.

    `effect` is its cost or benefit, as a clause after `which`; `joint_effect` that of the `joint` change. `must_prove`:
    it is only offered if the changed manifest no longer causes the finding, and causes no new one. Otherwise, for
    example without an inventory to prove it with, it is offered as not verified. `joint` is the title of the same
    change in several workloads at once; empty if there is none. `of_amounts`: the finding is about the number of
    devices of a pod, or of replicas. No other candidate may change the first or lower the second.
    """

    title: str
    safety: Safety
    edits: Callable[[], list[Edit]]
    must_prove: bool = True
    of_amounts: bool = False
    joint: str = ""
    effect: str = ""
    joint_effect: str = ""

    @property
    def whole(self) -> str:
        """The title with its effect."""
        return f"{self.title}, which {self.effect}" if self.effect else self.title


class Diagnostic(Value):
    """The draft of a finding.

    Attributes:
        code: the rule.
        place: the line that its author can change.
        message: one sentence, lower case, without a full stop; `sentence` is the reported form.
        manifest: the object that it is about; None for a file that could not be read.
        cause: distinguishes it from other findings of the rule in the same object, in words that stay the same if lines
            move or messages change.
        severity: the severity, if it is not the rule's own.
        run: the simulated run that the trace describes.
        undecided: why the answer to its question is not known; empty if it states an answer.
        shared: what it has in common with findings of the same cause; None if its message says that.
        waits, follows: as in `Shared`, without the unit; pods of rules about new pods wait in any case.
        fatal: the run itself cannot be trusted (an inventory that cannot be read).
    """

    code: str
    place: Place
    message: str
    manifest: Manifest | None = None
    cause: str = ""
    certainty: Certainty = "certain"
    severity: Severity | None = None
    related: tuple[Related, ...] = ()
    scheduler: str | None = None
    trace: tuple[Step, ...] = ()
    cycle: tuple[str, ...] = ()
    help: tuple[str, ...] = ()
    proposals: tuple[FixCandidate, ...] = ()
    run: Trace | None = None
    fatal: bool = False
    undecided: str = ""
    moment: Moment = "now"
    shared: Shared | None = None
    waits: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The message with long quotations from the file shortened."""
        return finding.with_short_words(self.message)

    @property
    def effective_severity(self) -> Severity:
        """Its own severity, or else its rule's, one step lower if it is only possible."""
        if self.severity is not None:
            return self.severity
        severity = rule(self.code).severity
        return severity if self.certainty == "certain" else LOWER[severity]

    @property
    def identity(self) -> Identity:
        """Return a key that stays the same if the surrounding text changes."""
        manifest = self.manifest
        if manifest is None:
            return self.code, self.place.path, "", self.cause
        # the source line may be another after an edit, the rendered object is the same
        path = manifest.path if manifest.origin is not None else self.place.path
        return self.code, path, f"{manifest.object}/{manifest.part}", self.cause
