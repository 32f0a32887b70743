"""Suppressions that suppress nothing."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.checks.draft import Draft, Proposal
from kubelint_gpu.checks.ignores import Ignore, expired, unused_cause
from kubelint_gpu.checks.registry import closing_rule
from kubelint_gpu.checks.unit import Unit


@closing_rule("KLG005")
def unused_ignore(_unit: Unit, unused: list[Ignore], today: str) -> Iterator[Draft]:
    """A suppression that suppressed nothing, is over, or is not understood."""
    for ignore in unused:
        if ignore.wrong:
            message = ignore.wrong
        elif expired(ignore, today):
            message = f"the suppression of {ignore.written} ended on {ignore.until}"
        else:
            message = f"{ignore.written} is suppressed here and was not found"
        edit = ignore.edit
        yield Draft(
            "KLG005",
            ignore.place,
            message,
            ignore.manifest,
            cause=unused_cause(ignore),
            proposals=()
            if edit is None or ignore.wrong or expired(ignore, today)
            else (Proposal("delete the suppression", "safe", lambda edit=edit: [edit]),),  # type: ignore[misc]
        )
