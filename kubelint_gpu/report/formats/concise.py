"""One line for each finding, in the style of compilers, for terminals and tools that read lines."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.messages.display import visible
from kubelint_gpu.report.content import Options, Report, headline
from kubelint_gpu.report.tally import outcome


def render(report: Report, options: Options) -> Iterator[str]:
    """Yield `file:line:column: severity[code] message` for each finding, then the summary unless quiet."""
    for finding in report.findings:
        place = finding.place
        where = f"{place.path}:{place.line}:{place.column}"
        told = f"{where}: {finding.severity}[{finding.code}] {headline(finding)}"
        yield visible(told, unicode=options.unicode) + "\n"
    if not options.quiet:
        yield visible(outcome(report), unicode=options.unicode) + "\n"
