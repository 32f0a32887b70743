"""Which findings count: codes, prefixes and names of rules, and severities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

import click

from kubelint_gpu.checks.catalogue import every_rule
from kubelint_gpu.checks.finding import Finding, Severity

SEVERITIES: tuple[Severity, ...] = ("note", "warning", "error")


@dataclass(frozen=True, slots=True)
class Selection:
    """What is reported; `lowest` None reports everything, and then notes alone do not fail a run."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    lowest: Severity | None = None

    def keeps(self, finding: Finding) -> bool:
        """Whether a finding is reported; what crashed is always."""
        if finding.name == "internal-error":
            return True
        if self.lowest is not None and SEVERITIES.index(finding.severity) < SEVERITIES.index(self.lowest):
            return False
        if any(finding.code.startswith(prefix) for prefix in self.ignore):
            return False
        return not self.select or any(finding.code.startswith(prefix) for prefix in self.select)

    def fails(self, finding: Finding) -> bool:
        """Whether a finding makes the run exit 1."""
        return SEVERITIES.index(finding.severity) >= SEVERITIES.index(self.lowest or "warning")


def codes(given: Iterable[str], option: str) -> tuple[str, ...]:
    """Codes, prefixes of codes and names, separated by commas, as codes and prefixes.

    Raises:
        click.BadParameter: nothing of the catalogue matches.
    """
    names = {found.name: found.code for found in every_rule()} if given else {}
    found = []
    for text in (part.strip() for value in given for part in value.split(",")):
        if not text:
            continue
        upper = text.upper()
        if text.lower() in names:
            found.append(names[text.lower()])
        elif any(code.startswith(upper) for code in names.values()):
            found.append(upper)
        else:
            near = _near(text, [*names, *names.values()])
            raise click.BadParameter(f'there is no rule "{text}"{near}', param_hint=option)
    return tuple(found)


def _near(text: str, known: Sequence[str]) -> str:
    found = get_close_matches(text, known, 1, 0.6) or get_close_matches(text.upper(), known, 1, 0.6)
    return f"; did you mean {found[0]}?" if found else ""
