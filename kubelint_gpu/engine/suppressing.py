"""Applies suppressions to the findings of a unit, and reports problems of the suppressions themselves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kubelint_gpu.engine.diagnostic import Diagnostic
from kubelint_gpu.engine.registry import closing_checks
from kubelint_gpu.engine.reported import finding_of
from kubelint_gpu.engine.suppressions import Closing, Ignore, ignores, suppressed, unused_cause
from kubelint_gpu.findings.finding import Finding, Place
from kubelint_gpu.values import Value
from kubelint_gpu.workspace.apply_set import ApplySet


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
