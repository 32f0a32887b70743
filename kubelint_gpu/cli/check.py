"""`kubelint-gpu check`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from kubelint_gpu.checks.finding import Finding, RuleInfo, Summary
from kubelint_gpu.checks.run import Outcome, Suppression, check
from kubelint_gpu.cli import FAILED, FINDINGS, NOTHING
from kubelint_gpu.cli.configuration import Configuration, find, load
from kubelint_gpu.cli.fixing import fix_units, print_diff, tell
from kubelint_gpu.cli.inputs import Inputs, read_inputs
from kubelint_gpu.cli.outputs import options_for, pairs, write
from kubelint_gpu.cli.selection import SEVERITIES, select
from kubelint_gpu.report.formats import FORMATS
from kubelint_gpu.report.model import Report, assemble
from kubelint_gpu.version import __version__


@click.command("check", short_help="Check manifests against a declared cluster.")
@click.argument("paths", nargs=-1, type=click.Path())
@click.option(
    "-i", "--inventory", "inventories", multiple=True, metavar="FILE", help="The declared cluster; may be repeated."
)
@click.option(
    "--output-format",
    "formats",
    multiple=True,
    type=click.Choice(sorted(FORMATS)),
    help="How to report; may be repeated, each with an --output-file.  [default: text]",
)
@click.option(
    "--output-file", "files", multiple=True, metavar="FILE", help="Where to write a report instead of stdout."
)
@click.option("--select", multiple=True, metavar="CODES", help="Report only these rules: codes, prefixes, names.")
@click.option("--ignore", multiple=True, metavar="CODES", help="Do not report these rules.")
@click.option(
    "--min-severity",
    type=click.Choice(SEVERITIES),
    help="Report, and fail on, nothing below this.  [default: report all, fail on warnings]",
)
@click.option("--together", is_flag=True, help="All files are applied together, to one cluster.")
@click.option("--against", metavar="REV|PATH", help="What runs now: manifests of a git revision, or of a path.")
@click.option("--fix", is_flag=True, help="Make the safe fixes, then report what is left.")
@click.option("--unsafe-fixes", is_flag=True, help="With --fix or --diff: make also those that may change what runs.")
@click.option("--diff", is_flag=True, help="Show what --fix would change; write nothing.")
@click.option("--no-ignores", is_flag=True, help="Report also what comments and annotations suppress.")
@click.option("--exit-zero", is_flag=True, help="Exit 0 whatever is found.")
@click.option("--statistics", is_flag=True, help="Print how often each rule was found instead of the findings.")
@click.option(
    "--config", "config", metavar="FILE", help="The configuration.  [default: the nearest .kubelint-gpu.yaml]"
)
@click.option("--isolated", is_flag=True, help="Read no configuration.")
@click.option("--stdin-filename", default="<stdin>", metavar="NAME", help="What standard input is called in reports.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="[default: auto]")
def command(paths: tuple[str, ...], inventories: tuple[str, ...], **options: Any) -> int:
    """Check manifests against a declared cluster.

    PATHS are files, directories, or - for standard input. Exit codes: 0 nothing found, 1 findings, 2 the run failed.
    """
    if not paths:
        raise click.UsageError("give the manifests to check: files, directories, or - for standard input")
    begun = time.perf_counter()
    targets = pairs(options["formats"], options["files"])
    configuration = _configuration(options["config"], isolated=options["isolated"])
    selection = select(configuration, options["select"], options["ignore"], options["min_severity"])
    inputs = read_inputs(
        paths,
        inventories or configuration.inventory,
        together=options["together"],
        stdin_filename=options["stdin_filename"],
        unit_of=configuration.unit_of,
        against=options["against"],
    )
    suppression = Suppression(time.strftime("%Y-%m-%d"), selection.off(), on=not options["no_ignores"])
    fixed = None
    if options["fix"] or options["diff"]:
        if "-" in paths and not options["diff"]:
            raise click.UsageError("standard input cannot be fixed in place; use --diff")
        fixed = fix_units(
            inputs.units,
            suppression,
            selection,
            unsafe=options["unsafe_fixes"],
            write=options["fix"] and not options["diff"],
        )
        if options["diff"]:
            print_diff(fixed.changed)
            failed = inputs.failed or not _usable(inputs)
            return FAILED if failed else FINDINGS if fixed.changed and not options["exit_zero"] else NOTHING
        inputs = inputs.after(fixed.units, failed=fixed.failed)
    outcome = check(inputs.units, inputs.world, suppression=suppression)
    findings = list(selection.selected(outcome.findings))
    report = _report(inputs, outcome, findings, time.perf_counter() - begun, [name for name, _ in targets])
    if options["statistics"]:
        _print_statistics(report, options["color"])
        targets = [(name, target) for name, target in targets if target != "-"]
    write(report, targets, options["color"], fix_hints=fixed is None)
    if fixed is not None:
        tell(fixed)
    if outcome.failed or inputs.failed:
        return FAILED
    failing = any(selection.fails(finding) for finding in findings)
    return FINDINGS if failing and not options["exit_zero"] else NOTHING


def _configuration(given: str | None, *, isolated: bool) -> Configuration:
    if isolated:
        return Configuration()
    return load(Path(given) if given else find(Path.cwd()))


def _usable(inputs: Inputs) -> bool:
    return inputs.world.inventory is None or inputs.world.usable


def _report(
    inputs: Inputs, outcome: Outcome, findings: Sequence[Finding], seconds: float, formats: Sequence[str]
) -> Report:
    kinds = [finding.severity for finding in findings]
    summary = Summary(
        files=len(inputs.readings),
        documents=sum(len(reading.documents) for reading in inputs.readings),
        workloads=sum(manifest.workload is not None for unit in inputs.units for manifest in unit.templates),
        nodes=len(inputs.world.base.nodes),
        errors=kinds.count("error"),
        warnings=kinds.count("warning"),
        notes=kinds.count("note"),
        ignored=outcome.ignored,
        undecided=outcome.undecided,
        seconds=seconds,
    )
    readings = (*inputs.readings, *inputs.world.readings)
    sources = {reading.source.path: reading.source for reading in readings if reading.source is not None}
    failed = "a path or the inventory could not be used" if outcome.failed or inputs.failed else ""
    if not inputs.world.usable and inputs.world.errors:
        failed = "the inventory cannot be used, and no rule that needs the cluster was asked"
    return assemble(findings, summary, _rules(findings, formats), sources, __version__, failed)


def _rules(findings: Sequence[Finding], formats: Sequence[str]) -> dict[str, RuleInfo]:
    """The rules that a report describes: all of them with their pages for SARIF, else those that were found."""
    from kubelint_gpu.checks.catalogue import every_rule, folders, page, rule
    from kubelint_gpu.values import replace

    if "sarif" in formats:
        return {found.code: replace(found, page=page(found.code)) for found in every_rule()}
    return {code: rule(code) for code in sorted({finding.code for finding in findings}) if code in folders()}


def _print_statistics(report: Report, color: str) -> None:
    import sys

    from kubelint_gpu.report.tally import statistics

    for part in statistics(report, options_for(sys.stdout, color)):
        sys.stdout.write(part)
