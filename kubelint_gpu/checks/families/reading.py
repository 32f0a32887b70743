"""Files that cannot be read."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.checks.draft import Draft
from kubelint_gpu.checks.finding import Related
from kubelint_gpu.checks.manifest import place_of
from kubelint_gpu.checks.registry import rule
from kubelint_gpu.checks.unit import Unit


@rule("KLG001")
def yaml_error(unit: Unit) -> Iterator[Draft]:
    """What the parser cannot read, or kubectl would refuse while reading."""
    for reading in unit.readings:
        for problem in reading.problems:
            yield Draft(
                "KLG001",
                place_of(problem.path, problem.span),
                problem.message,
                cause=problem.message,
                related=tuple(Related(place_of(problem.path, span), message) for span, message in problem.related),
            )
