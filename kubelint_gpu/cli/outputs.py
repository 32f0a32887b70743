"""Makes the report of a run, and writes it: pairs of formats and files, colour, width."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from io import TextIOWrapper
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, TextIO

import click

from kubelint_gpu.documents import SourceText
from kubelint_gpu.findings.finding import Finding, RuleInfo, Summary
from kubelint_gpu.messages.display import can_show, commandless
from kubelint_gpu.report.content import Options, Report, assemble
from kubelint_gpu.report.format_names import COMMANDING, DRAWING, renderer
from kubelint_gpu.sources.safe_write import NotWritable, writable
from kubelint_gpu.values import replace
from kubelint_gpu.version import __version__

if TYPE_CHECKING:
    from kubelint_gpu.engine.baseline import Settled
    from kubelint_gpu.engine.run import Outcome
    from kubelint_gpu.findings.picture import ClusterPicture
    from kubelint_gpu.workspace.project.inputs import Inputs

_PLAIN = Options()


def pairs(formats: Sequence[str], files: Sequence[str]) -> list[tuple[str, str]]:
    """Return each format with its file, `-` for standard output. The files belong to the last formats.

    Raises:
        click.UsageError: more files than formats, or two formats for one file.
    """
    chosen = list(formats) or ["text"]
    if len(files) > len(chosen):
        raise click.UsageError("there are more --output-file than --output-format")
    missing = len(chosen) - len(files)
    targets = ["-"] * missing + list(files)
    if len({os.path.realpath(target) if target != "-" else target for target in targets}) < len(targets):
        raise click.UsageError(
            "two formats go to the same place: give each --output-format but the first one an --output-file"
        )
    return list(zip(chosen, targets, strict=True))


def wants_color(choice: str, stream: TextIO) -> bool:
    """Whether to use colours: the flag decides, then NO_COLOR, FORCE_COLOR, and whether `stream` is a terminal."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty()


def options_for(stream: TextIO, color: str, options: Options = _PLAIN) -> Options:
    """Return the options of a report with the colours, the width and the characters of a stream."""
    width = 100
    if stream.isatty() or "COLUMNS" in os.environ:
        import shutil

        width = shutil.get_terminal_size((100, 24)).columns
    width = max(40, min(width, 160))
    return replace(options, color=wants_color(color, stream), width=width, unicode=can_show(stream))


def as_started(paths: Sequence[str]) -> str:
    """Return the command of a pre-commit hook without its files; empty for any other run.

    pre-commit has the program in a folder that is on nobody's PATH.
    """
    program, *arguments = sys.argv
    if "--hook" not in arguments:
        return ""
    home = f"{Path.home()}{os.sep}"
    found = shlex.quote(program.removeprefix(home))
    found = f"~/{found}" if program.startswith(home) else found
    given = shlex.join(one for one in arguments if one not in paths)
    return f"{found if 'PRE_COMMIT' in os.environ else 'kubelint-gpu'} {given}"


def category_of(inventories: Sequence[str]) -> str:
    """Return a name for runs that check one commit against one of several clusters: the inventory's file names."""
    names = [PurePath(path).as_posix() for path in inventories]
    return "+".join(sorted({re.sub(r"[^A-Za-z0-9._/-]", "-", name) for name in names}))


def write(report: Report, targets: Iterable[tuple[str, str]], color: str, options: Options = _PLAIN) -> str:
    """Write a report in every requested format, and return the text on standard output.

    Raises:
        click.ClickException: a file cannot be written.
    """
    shown: list[str] = []
    for name, target in targets:
        with ExitStack() as stack:
            stream: TextIO = sys.stdout
            if name != "text" and isinstance(stream, TextIOWrapper) and not can_show(stream):
                # programs read UTF-8, even if the terminal cannot show it
                stream.reconfigure(encoding="utf-8")
            if target != "-":
                try:
                    stream = stack.enter_context(Path(writable(target)).open("w", encoding="utf-8", newline="\n"))
                except (OSError, ValueError, NotWritable) as error:
                    cause = getattr(error, "strerror", None) or error
                    raise click.ClickException(f"cannot write {target}: {cause}") from None
            for part in renderer(name)(report, options_for(stream, color, options)):
                part = part if name in COMMANDING else commandless(part)  # noqa: PLW2901 - the same part, harmless
                stream.write(part)
                if target == "-":
                    shown.append(part)
            # standard error may share a pipe with standard output: its later text must come after this text
            stream.flush()
    return "".join(shown)


def print_statistics(report: Report, color: str) -> None:
    """Print how many findings each rule has."""
    from kubelint_gpu.report.tally import statistics

    for part in statistics(report, options_for(sys.stdout, color)):
        sys.stdout.write(commandless(part))


def report_of(
    inputs: Inputs,
    outcome: Outcome,
    settled: Settled,
    seconds: float,
    formats: Sequence[str],
    settings: SourceText | None,
) -> Report:
    """Return the report of a run for some formats; `settings` is the text of the configuration."""
    from kubelint_gpu.workspace.project.inputs import counted_in

    findings = settled.findings
    kinds = [finding.severity for finding in findings]
    reasons: Counter[str] = Counter()
    for finding in outcome.findings:
        if finding.undecided:
            reasons[finding.undecided] += 1 + len(finding.others)
    readings, units = counted_in(inputs.units)
    summary = Summary(
        files=len(readings),
        documents=sum(reading.count for reading in readings),
        workloads=outcome.workloads,
        nodes=sum(world.node_count for world in inputs.worlds),
        errors=kinds.count("error"),
        warnings=kinds.count("warning"),
        notes=kinds.count("note"),
        ignored=outcome.ignored,
        baseline=settled.accepted,
        undecided=sum(reasons.values()),
        reasons=tuple(reasons.most_common()),
        hidden=settled.hidden,
        seconds=seconds,
        unknown=outcome.unknown,
        units=units,
        remarks=(*inputs.remarks, *outcome.remarks),
        helm=inputs.helm,
    )
    sources = {reading.source.path: reading.source for reading in inputs.every if reading.source is not None}
    if settings is not None:
        sources[settings.path] = settings
    failed = "something that was to be checked could not be read or rendered" if inputs.failed else ""
    if outcome.failed:
        failed = "a rule failed, or the inventory could not be used"
        if any(world.usable and not world.whole for world in inputs.worlds):
            failed = "objects of the inventory cannot be read, and what they may decide is possible instead of certain"
    if any(not world.usable and world.errors for world in inputs.worlds):
        failed = "the inventory cannot be used, and no rule that needs the cluster was asked"
    clusters = _clusters(inputs) if draws(formats) else ()
    return assemble(
        findings, summary, _rules(findings, formats), sources, __version__, failed, clusters, outcome.decided
    )


def _clusters(inputs: Inputs) -> tuple[ClusterPicture, ...]:
    from kubelint_gpu.capacity.capacity_text import demanded
    from kubelint_gpu.views import cluster_picture

    drawn = (
        (cluster_picture(world), [unit for unit in inputs.units if unit.world is world]) for world in inputs.worlds
    )
    return tuple(
        replace(picture, pools=pools, told=told)
        for world, (picture, units) in zip(inputs.worlds, drawn, strict=True)
        if picture is not None
        for pools, told in (demanded(world, units),)
    )


def _rules(findings: Sequence[Finding], formats: Sequence[str]) -> dict[str, RuleInfo]:
    """Return the rules of some findings by code; for SARIF, with their pages."""
    from kubelint_gpu.findings.catalogue import folders, page, rule

    codes = sorted({finding.code for finding in findings}.intersection(folders()))
    return {code: replace(rule(code), page=page(code)) if "sarif" in formats else rule(code) for code in codes}


def draws(formats: Iterable[str]) -> bool:
    """Whether one of the formats shows pictures."""
    return not DRAWING.isdisjoint(formats)
