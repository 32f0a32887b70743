"""Files that cannot be read."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.documents import HELM, Problem, Reading
from kubelint_gpu.documents.builder import TEMPLATE
from kubelint_gpu.engine.api import ApplySet, Diagnostic, Related, rule
from kubelint_gpu.sources.files import is_in_chart
from kubelint_gpu.workspace.manifest import place_of


@rule("KLG001")
def yaml_error(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield errors of the parser, and documents that kubectl would refuse while reading."""
    for reading in unit.sources:
        templates = [problem for problem in reading.problems if problem.message in (HELM, TEMPLATE)]
        if templates and is_in_chart(templates[0].path):
            yield _of_a_chart(templates[0])
            continue
        for problem in reading.problems:
            yield Diagnostic(
                "KLG001",
                place_of(problem.path, problem.span),
                problem.message,
                cause=problem.message,
                related=tuple(Related(place_of(problem.path, span), message) for span, message in problem.related),
            )
    for reading in unit.readings:
        yield from _no_manifests(reading)


def _of_a_chart(problem: Problem) -> Diagnostic:
    return Diagnostic(
        "KLG001",
        place_of(problem.path, problem.span),
        "a part of a Helm chart that Helm has not rendered: it is not checked; check what helm template prints",
        cause="part of a chart",
        severity="note",
    )


def _no_manifests(reading: Reading) -> Iterator[Diagnostic]:
    """Yield documents that are a text or a number: notes, or a file of another kind with this suffix."""
    for document in reading.documents:
        value, source = document.value, document.source
        if value is None or isinstance(value, (dict, list)):
            continue
        start = document.span.start
        end = min(document.span.end, source.line_starts[document.span.line - 1] + len(source.line(document.span.line)))
        yield Diagnostic(
            "KLG001",
            place_of(source.path, source.span(start, end)),
            f"this is {'a text' if isinstance(value, str) else 'a single value'} and no manifest: a manifest is a "
            "mapping with apiVersion and kind",
            cause=f"no manifest/{document.index}",
            help=("leave the file out of what is checked, or give it another ending",),
        )
