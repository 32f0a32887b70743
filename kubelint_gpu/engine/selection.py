"""Selects what a run reports: by rule, severity and path, and by the suppressions in the manifests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import cast

import click
from msgspec import field

from kubelint_gpu.engine.diagnostic import Diagnostic
from kubelint_gpu.engine.registry import closing_checks
from kubelint_gpu.engine.reported import finding_of
from kubelint_gpu.engine.suppressions import UNUSED, Closing, Ignore, ignores, suppressed, unused_cause
from kubelint_gpu.findings.catalogue import UnknownRule, folders, prefix_of, suggestion
from kubelint_gpu.findings.expiry import over, today
from kubelint_gpu.findings.finding import SEVERITIES, Finding, Place, Severity, Threshold
from kubelint_gpu.messages.wording import listed
from kubelint_gpu.values import PartlyCompared, Value, replace
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.project.configuration import Configuration


class Selection(PartlyCompared):
    """Which findings are reported, and which fail a run.

    Attributes:
        lowest: the lowest severity that is shown; None shows everything.
        threshold: the lowest severity that fails the run; `undecided` is below a note.
        known: a cache of the ignored codes by file.
    """

    not_compared = frozenset({"known"})
    configuration: Configuration
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: tuple[tuple[str, str], ...] = ()
    lowest: Severity | None = None
    threshold: Threshold = "warning"
    known: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def selected(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Return the findings of the selected rules that are severe enough to be shown."""
        return filter(self.shows, self.counted(findings))

    def shows(self, finding: Finding) -> bool:
        """Whether a finding is severe enough to be shown; a defect of the program always is."""
        lowest = self.lowest or SEVERITIES[0]
        return finding.is_defect or SEVERITIES.index(finding.severity) >= SEVERITIES.index(lowest)

    def counted(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Return the findings of the selected rules, shown or not, with the severities of the configuration.

        A defect of the program is always among them.
        """
        for finding in findings:
            if finding.is_defect:
                yield finding
            elif not self._ignores(finding) and finding.code.startswith(self.select or ("",)):
                yield replace(finding, severity=cast("Severity", self._level(finding)))

    def reports(self, finding: Finding) -> bool:
        """Whether a finding is reported."""
        return any(True for _ in self.selected((finding,)))

    def mends(self, finding: Finding) -> bool:
        """Whether the fix of a finding is applied: it is reported, and no note unless exactly its code is selected."""
        reported = next(self.selected((finding,)), None)
        return reported is not None and (reported.severity != "note" or finding.code in self.select)

    def fails(self, finding: Finding) -> bool:
        """Whether a finding makes the run exit 1."""
        return self.threshold == "undecided" or SEVERITIES.index(finding.severity) >= SEVERITIES.index(self.threshold)

    def fails_undecided(self, findings: Iterable[Finding]) -> bool:
        """Whether an undecided question makes the run exit 1; its rule need not be selected, only not ignored."""
        open_questions = (finding for finding in findings if finding.undecided and not self._ignores(finding))
        return self.threshold == "undecided" and any(open_questions)

    def suppression(self, *, on: bool = True) -> Suppression:
        """The suppressions that are valid today; none unless `on`."""
        return Suppression(today(), self.off(), on=on)

    def off(self) -> tuple[str, ...]:
        """The codes of the rules that are never reported."""
        levels = dict(self.severity)
        return tuple(
            code
            for code in folders()
            if code.startswith(self.ignore or ("-",))
            or (self.select and not code.startswith(self.select))
            or any(level == "off" and code.startswith(prefix) for prefix, level in levels.items())
        )

    def _level(self, finding: Finding) -> str:
        return next((level for prefix, level in self.severity if finding.code.startswith(prefix)), finding.severity)

    def _ignores(self, finding: Finding) -> bool:
        path = finding.place.path
        if path not in self.known:
            self.known[path] = (*self.ignore, *self.configuration.ignores(path))
        return finding.code.startswith(self.known[path]) or self._level(finding) == "off"


def select(
    configuration: Configuration,
    selected: Sequence[str],
    ignored: Sequence[str],
    lowest: Severity | None = None,
    threshold: Threshold = "warning",
) -> Selection:
    """The selection of the command line and the configuration; `--select` replaces that of the configuration.

    Raises:
        click.BadParameter: a code or name does not exist.
    """
    where = str(configuration.path) if configuration.path else "configuration"
    levels = [(code, level) for given, level in configuration.severity.items() for code in codes([given], where)]
    paths = tuple(replace(entry, codes=codes(entry.codes, where)) for entry in configuration.per_path)
    return Selection(
        replace(configuration, per_path=paths),
        codes(selected, "--select") if selected else codes(configuration.select, where),
        (*codes(ignored, "--ignore"), *codes(configuration.ignore, where)),
        tuple(sorted(levels, key=lambda pair: -len(pair[0]))),
        lowest,
        threshold,
    )


def per_path_problems(configuration: Configuration) -> Iterator[Finding]:
    """Yield findings about the configuration's own suppressions: those that are expired, or have no reason."""
    now = today()
    for entry in configuration.per_path:
        named = listed(entry.codes) or "nothing"
        if over(entry.until, now):
            message = f'the suppression of {named} for "{entry.glob}" ended on {entry.until}'
            yield finding_of(Diagnostic(UNUSED, entry.place, message, cause=f"{entry.glob} {entry.until}"))
        elif not entry.reason.strip():
            message = f'{named} is suppressed for "{entry.glob}" without a reason'
            yield finding_of(Diagnostic(UNUSED, entry.place, message, cause=f"{entry.glob} no reason", severity="note"))


def codes(given: Iterable[str], option: str) -> tuple[str, ...]:
    """Codes and prefixes for a list of codes, prefixes and names, separated by commas.

    Raises:
        click.BadParameter: no rule of the catalogue matches.
    """
    found = []
    for text in (part.strip() for value in given for part in value.split(",")):
        if not text:
            continue
        try:
            found.append(prefix_of(text))
        except UnknownRule:
            raise click.BadParameter(f'there is no rule "{text}"{suggestion(text)}', param_hint=option) from None
    return tuple(found)


class Suppression(Value):
    """How suppressions in the manifests are treated.

    Attributes:
        today: the day of the run, for example 2027-01-31; empty if no suppression expires.
        off: codes and prefixes of rules that are never reported: suppressions of these are not called unused.
        on: whether suppressions have any effect.
    """

    today: str = ""
    off: tuple[str, ...] = ()
    on: bool = True


Told = tuple[Finding, Diagnostic]


def left_by(
    unit: ApplySet, findings: Sequence[Finding], rules: Suppression
) -> tuple[list[Finding], int, list[Told], set[tuple[Place, str]]]:
    """The remaining findings, the number of suppressed ones, and the findings about the suppressions themselves.

    The last result has the places of suppressions in sources of rendered objects that had an effect, with their causes.
    """
    written = list(ignores(unit)) if rules.on else []
    if not written:
        return list(findings), 0, [], set()
    left, hidden, used = suppressed(findings, written, rules.today)
    worked = set(used)
    off = rules.off or ("-",)
    unused = [one for one in written if one not in worked and not _switched_off(one, off)]
    told = _closing(unit, unused, used, findings, rules.today)
    # a suppression may itself be suppressed, as any other finding; the one that does so is not unused
    worked.update(suppressed([finding for finding, _ in told], written, rules.today)[2])
    unused = [one for one in unused if one not in worked]
    told = _closing(unit, unused, used, findings, rules.today)
    kept, more, _ = suppressed([finding for finding, _ in told], written, rules.today)
    names = frozenset(kept)
    effective = {(one.place, unused_cause(one)) for one in used} if unit.rendered else set()
    return left, hidden + more, [one for one in told if one[0] in names], effective


def _closing(
    unit: ApplySet, unused: Iterable[Ignore], used: Iterable[Ignore], findings: Iterable[Finding], today: str
) -> list[Told]:
    closing = Closing(tuple(unused), tuple(used), tuple(findings), today)
    return [(finding_of(draft), draft) for one in closing_checks().values() for draft in one(unit, closing)]


def _switched_off(ignore: Ignore, off: tuple[str, ...]) -> bool:
    """Whether the rule of a suppression is never reported."""
    return bool(ignore.code) and (ignore.code.startswith(off) or any(code.startswith(ignore.code) for code in off))
