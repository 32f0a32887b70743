"""`kubelint-gpu check`."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from kubelint_gpu.cache.store import users_store
from kubelint_gpu.cli.baseline import Baseline, load_baseline, settle
from kubelint_gpu.cli.commands.fixing import fix_units, print_diff, tell
from kubelint_gpu.cli.exit_codes import FAILED, FINDINGS, NOTHING
from kubelint_gpu.cli.help.manual import ManualCommand
from kubelint_gpu.cli.help.shell_completion import codes
from kubelint_gpu.cli.outcome_report import report_of
from kubelint_gpu.cli.outputs import category_of, options_for, pairs, write
from kubelint_gpu.cli.own_files import is_report, paths_of, refuse_own_files
from kubelint_gpu.engine.processes import cores
from kubelint_gpu.engine.run import Suppression, check
from kubelint_gpu.engine.selection import SEVERITIES, per_path_problems, select
from kubelint_gpu.findings.expiry import today
from kubelint_gpu.report.content import Report
from kubelint_gpu.report.format_names import DRAWING, FORMATS
from kubelint_gpu.sources.checkout import anchor_of
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.project.comparison import comparison
from kubelint_gpu.workspace.project.configuration import Configuration
from kubelint_gpu.workspace.project.configuration_file import find, load
from kubelint_gpu.workspace.project.inputs import Inputs, read_inputs
from kubelint_gpu.workspace.project.kustomizations import KustomizeSettings, kustomize_options
from kubelint_gpu.workspace.project.progress import progress
from kubelint_gpu.workspace.project.shards import read_shard
from kubelint_gpu.workspace.project.worlds import WhatIf, what_if_options


@click.command("check", cls=ManualCommand, short_help="Check manifests against a declared cluster.")
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
@click.option(
    "--select",
    multiple=True,
    metavar="CODES",
    shell_complete=codes,
    help="Report only these rules: codes, prefixes, names.",
)
@click.option("--ignore", multiple=True, metavar="CODES", shell_complete=codes, help="Do not report these rules.")
@click.option(
    "--min-severity",
    type=click.Choice(SEVERITIES),
    help="Report, and fail on, nothing below this.  [default: report all, fail on warnings]",
)
@what_if_options
@click.option(
    "--assume", type=click.Choice(["full"]), help="full: judge as if every node were full; what must find room to roll?"
)
@click.option("--together", is_flag=True, help="All files are applied together, to one cluster.")
@click.option(
    "--against",
    metavar="REV|PATH",
    help="What runs now: manifests of a git revision, or of a path such as ./before; rev:REV and path:PATH say which. "
    "What is gone since runs on: nothing is pruned.",
)
@click.option("--hook", is_flag=True, help="As a pre-commit hook: what git tracks, compared with what HEAD holds.")
@click.option("--fix", is_flag=True, help="Make the safe fixes, then report what is left.")
@click.option("--unsafe-fixes", is_flag=True, help="With --fix or --diff: make also those that may change what runs.")
@click.option(
    "--diff",
    is_flag=True,
    help="Show what --fix would change; write nothing.",
)
@click.option("--baseline", metavar="FILE", help="Do not report the findings that this file accepts.")
@click.option(
    "--write-baseline",
    metavar="FILE",
    help="Accept what is found: write it down. With --baseline: drop what is gone, add nothing.",
)
@click.option("--no-ignores", is_flag=True, help="Report also what comments and annotations suppress.")
@click.option("-q", "--quiet", is_flag=True, help="Print the findings and no summary.")
@click.option("--exit-zero", is_flag=True, help="Exit 0 whatever is found.")
@click.option("--statistics", is_flag=True, help="Print how often each rule was found instead of the findings.")
@click.option(
    "--config", "config", metavar="FILE", help="The configuration.  [default: the nearest .kubelint-gpu.yaml]"
)
@click.option("--isolated", is_flag=True, help="Read no configuration.")
@click.option("--show-settings", is_flag=True, help="Print the settings and where each comes from; check nothing.")
@click.option("--stdin-filename", default="<stdin>", metavar="NAME", help="What standard input is called in reports.")
@kustomize_options
@click.option(
    "--shard", metavar="N/M", callback=read_shard, help="Judge one share of the files, such as 2/8: for several jobs."
)
@click.option("--no-cache", is_flag=True, help="Use no results of earlier runs, and keep none.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="[default: auto]")
@click.pass_context
def command(ctx: click.Context, /, paths: tuple[str, ...], inventories: tuple[str, ...], **options: Any) -> int:
    """Check manifests against a declared cluster.

    PATHS are files, directories, or - for standard input. In a directory all *.yaml, *.yml and *.json are read, and
    kustomizations are rendered; the templates of Helm charts are left out.
    """
    if options["show_settings"]:
        from kubelint_gpu.cli.settings import show

        configuration = _configuration(options["config"], paths, isolated=options["isolated"])
        select(configuration, options["select"], options["ignore"], options["min_severity"])
        show(ctx, configuration)
        return NOTHING
    if not paths:
        raise click.UsageError("give the manifests to check: files, directories, or - for standard input")
    if options["diff"] and options["write_baseline"]:
        raise click.UsageError("--diff writes nothing: leave out --write-baseline")
    if options["shard"] is not None and options["write_baseline"]:
        raise click.UsageError("--write-baseline needs all files: leave out --shard")
    begun = time.perf_counter()
    targets = pairs(options["formats"], options["files"])
    for option in ("statistics", "diff"):
        if options[option] and any(name != "text" and target == "-" for name, target in targets):
            raise click.UsageError(f"--{option} prints text: give each --output-format an --output-file")
    configuration = _configuration(options["config"], paths, isolated=options["isolated"])
    selection = select(configuration, options["select"], options["ignore"], options["min_severity"])
    baseline = load_baseline(options["baseline"] or configuration.baseline)
    past = comparison(options["against"], paths) if options["against"] is not None else None
    store = None if options["no_cache"] else users_store()
    inputs = read_inputs(
        paths,
        inventories,
        configuration=configuration,
        what_if=WhatIf(options["without"], options["added"], full=options["assume"] == "full"),
        together=options["together"],
        stdin_filename=options["stdin_filename"],
        against=past,
        kustomize=KustomizeSettings(options["kustomize"], options["kustomize_flags"], options["kustomize_timeout"]),
        hook=options["hook"],
        store=store,
        shard=options["shard"],
    )
    own = _own(inputs, configuration, baseline, options["write_baseline"])
    refuse_own_files(targets, own, past.path if past is not None else None)
    suppression = Suppression(today(), selection.off(), on=not options["no_ignores"])
    fixed = None
    if options["fix"] or options["diff"]:
        if "-" in paths and not options["diff"]:
            raise click.UsageError("standard input cannot be fixed in place; use --diff")
        fixed = fix_units(
            inputs.units,
            suppression,
            baseline.wanted(lambda finding: inputs.reports(finding) and selection.mends(finding)),
            unsafe=options["unsafe_fixes"],
            write=options["fix"] and not options["diff"],
        )
        if options["diff"]:
            print_diff(fixed.changed)
        inputs = inputs.after(fixed.units, failed=fixed.failed)
    drawn = any(name in DRAWING for name, _ in targets)
    with progress("checking", len(inputs.units)) as done:
        outcome = check(
            inputs.units,
            inputs.world,
            suppression=suppression,
            processes=cores(),
            tell=done,
            stages=drawn,
            store=store,
        )
    if store is not None:
        store.save()
    found = (*outcome.findings, *inputs.defects, *per_path_problems(selection.configuration))
    outcome = replace(outcome, findings=tuple(filter(inputs.reports, found)))
    if fixed is not None and options["diff"]:
        left = any(selection.fails(one) and not baseline.accepts(one) for one in selection.selected(outcome.findings))
        if outcome.failed or inputs.failed or not inputs.usable:
            return FAILED
        return FINDINGS if (left or fixed.changed) and not options["exit_zero"] else NOTHING
    settled = settle(
        baseline,
        options["write_baseline"],
        outcome.findings,
        tuple(selection.selected(outcome.findings)),
        _wholly_checked(inputs, paths),
        failed=outcome.failed or inputs.failed,
    )
    findings = settled.findings
    settings = selection.configuration.source
    report = report_of(inputs, outcome, settled, time.perf_counter() - begun, [name for name, _ in targets], settings)
    if options["statistics"]:
        _print_statistics(report, options["color"])
        targets = [(name, target) for name, target in targets if target != "-"]
    write(
        report,
        targets,
        options["color"],
        fix_hints=fixed is None,
        category=category_of(inventories or configuration.inventories),
        quiet=options["quiet"],
    )
    if fixed is not None:
        tell(fixed)
    if report.failed and all(target != "-" for _, target in targets):
        click.echo(f"kubelint-gpu: the run failed: {report.failed}", err=True)
    if outcome.failed or inputs.failed:
        return FAILED
    failing = any(selection.fails(finding) for finding in findings)
    return FINDINGS if failing and not options["exit_zero"] else NOTHING


def _configuration(given: str | None, paths: Sequence[str], *, isolated: bool) -> Configuration:
    if isolated:
        return Configuration()
    return load(Path(given) if given else find(anchor_of(paths, Path.cwd())))


def _own(inputs: Inputs, configuration: Configuration, baseline: Baseline, written: str | None) -> Iterator[str]:
    """The files that a run reads or writes; what an earlier run reported is none of them."""
    yield from (str(path) for path in (configuration.path, baseline.path, written) if path is not None)
    yield from paths_of(reading for reading in inputs.every if not is_report(reading))
    yield from inputs.beside


def _wholly_checked(inputs: Inputs, given: Sequence[str]) -> Iterator[str]:
    """The files of which all findings are known: inventories, and what lies below the PATHS.

    What a kustomization takes from elsewhere may have findings through others that are not rendered now.
    """
    roots = [Path(path).resolve() for path in given if path != "-"]
    for path in paths_of(inputs.readings):
        if path.startswith("<") or any(Path(path).resolve().is_relative_to(root) for root in roots):
            yield path
    yield from paths_of(reading for world in inputs.worlds for reading in world.readings)


def _print_statistics(report: Report, color: str) -> None:
    import sys

    from kubelint_gpu.report.tally import statistics

    for part in statistics(report, options_for(sys.stdout, color)):
        sys.stdout.write(part)
