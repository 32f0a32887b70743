"""A finding told in plain lines, for formats that show text without layout."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubelint_gpu.findings.finding import Finding


def story(finding: Finding, *, trace: bool) -> Iterator[str]:
    """Each fact on a line of its own: the message, further places, the scheduler's text, help and fixes.

    With `trace` the steps and the wait cycle are told too.
    """
    yield finding.message
    for related in finding.related:
        place = related.place
        yield f"{place.path}:{place.line}:{place.column}: {related.message}"
    if finding.scheduler:
        yield f"scheduler: {finding.scheduler}"
    if trace:
        for step in finding.trace:
            yield f"{step.step}. {step.actor}: {step.message}"
        yield from finding.cycle
    for advice in finding.help:
        yield f"help: {advice}"
    for fix in finding.fixes:
        yield f"fix: {fix.title}"
