"""Runs `check` on files that no earlier run has seen in this state: judges, fixes and reports."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from kubelint_gpu.budget import EFFORTS
from kubelint_gpu.cli.check_options import executor_at
from kubelint_gpu.cli.exit_codes import FAILED, FINDINGS, NOTHING
from kubelint_gpu.cli.outputs import as_started, category_of, draws, print_statistics, report_of, write
from kubelint_gpu.cli.own_files import own_files, refuse_own_files, wholly_checked
from kubelint_gpu.engine.baseline import Baseline, load_baseline, settle
from kubelint_gpu.engine.run import Outcome, check
from kubelint_gpu.engine.selection import Selection, per_path_problems, select
from kubelint_gpu.messages.display import say
from kubelint_gpu.report.content import Options, Report
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace.project.comparison import Comparison, comparison
from kubelint_gpu.workspace.project.gathering import Gathered
from kubelint_gpu.workspace.project.inputs import Inputs, inputs_of
from kubelint_gpu.workspace.project.progress import progress
from kubelint_gpu.workspace.project.shards import share
from kubelint_gpu.workspace.project.worlds import WhatIf

if TYPE_CHECKING:
    from kubelint_gpu.cache.store import Store


class CheckRun(Value):
    """A run of `check`: its files, its options, and the targets of its reports. It stores its output with a `key`."""

    gathered: Gathered
    paths: Sequence[str]
    inventories: Sequence[str]
    options: dict[str, Any]
    targets: Sequence[tuple[str, str]]
    begun: float
    store: Store | None = None
    key: str | None = None

    @property
    def compares(self) -> bool:
        """Whether it compares with an earlier state: then it reports only what the change causes."""
        return self.gathered.commit is not None or self.options["against"] is not None

    def end(self, failing: bool) -> int:
        """Return the exit code of a run that could judge everything."""
        return FINDINGS if failing and not self.options["exit_zero"] else NOTHING


def judged(run: CheckRun) -> int:
    """Check the gathered files, report, and return the exit code."""
    options, configuration = run.options, run.gathered.settings
    executor = executor_at(options["executor"])
    selection = select(configuration, options["select"], options["ignore"], options["min_severity"], options["fail_on"])
    own_target = None if options["baseline"] else options["write_baseline"]
    baseline = load_baseline(options["baseline"] or configuration.baseline, own_target)
    inputs, past = _inputs(run)
    own = own_files(inputs, configuration, baseline, options["write_baseline"])
    refuse_own_files(run.targets, own, past.path if past is not None else None)
    suppression = selection.suppression(on=not options["no_ignores"])
    fixed = None
    if options["fix"] or options["diff"]:
        if run.gathered.pipe and not options["diff"]:
            raise click.UsageError("standard input cannot be fixed in place; use --diff")
        from kubelint_gpu.cli.commands.fixing import fixed_or_shown, tell

        wanted = baseline.wanted(lambda finding: inputs.reports(finding) and selection.mends(finding))
        fixed = fixed_or_shown(inputs.units, suppression, wanted, unsafe=options["unsafe_fixes"], show=options["diff"])
        inputs = inputs.after(fixed.units, failed=fixed.failed)
    with progress("checking", len(inputs.units)) as done:
        outcome = check(
            inputs.units,
            inputs.world,
            suppression=suppression,
            effort=EFFORTS[options["effort"]],
            executor=executor,
            tell=done,
            pictures=draws(name for name, _ in run.targets),
            store=run.store,
        )
    findings = (*outcome.findings, *inputs.defects, *per_path_problems(selection.configuration))
    outcome = replace(outcome, findings=tuple(filter(inputs.reports, findings)))
    if fixed is not None and options["diff"]:
        unaccepted = tuple(finding for finding in outcome.findings if not baseline.accepts(finding))
        left = any(map(selection.fails, selection.counted(unaccepted))) or selection.fails_undecided(unaccepted)
        unknown = outcome.failed or inputs.failed or not inputs.usable
        return FAILED if unknown else run.end(left or bool(fixed.changed))
    report, failing = _report(run, inputs, selection, baseline, outcome)
    written = _written(run, report, fix_hints=fixed is None and not run.gathered.pipe)
    if fixed is not None:
        tell(fixed)
    if report.failed and all(target != "-" for _, target in run.targets):
        say(f"kubelint-gpu: the run failed: {report.failed}", err=True)
    code = FAILED
    if not (outcome.failed or inputs.failed):
        code = run.end(failing)
        if run.store is not None and run.key is not None:
            from kubelint_gpu.cli.earlier_run import keep

            keep(run.store, run.key, code, written)
    if run.store is not None:
        run.store.save()
    return code


def _inputs(run: CheckRun) -> tuple[Inputs, Comparison | None]:
    """Return the inputs of a run, and the earlier state that `--against` names."""
    options = run.options
    past = comparison(options["against"], run.paths) if options["against"] is not None else None
    run.gathered.tell()
    inputs = inputs_of(
        run.gathered,
        run.inventories,
        what_if=WhatIf(options["without"], options["added"], full=options["assume"] == "full"),
        unit="all" if options["together"] else options["unit"],
        against=past,
        store=run.store,
    )
    if options["shard"] is not None:
        inputs = inputs.after(share(inputs.units, options["shard"]), failed=False)
    return inputs, past


def _report(
    run: CheckRun, inputs: Inputs, selection: Selection, baseline: Baseline, outcome: Outcome
) -> tuple[Report, bool]:
    """Write the baseline; return the report, and whether its findings fail the run."""
    settled = settle(
        baseline,
        run.options["write_baseline"],
        outcome.findings,
        tuple(selection.counted(outcome.findings)),
        () if run.compares else wholly_checked(inputs, run.paths),
        failed=outcome.failed or inputs.failed,
        grows=run.options["baseline"] is None,
    )
    open_questions = (each for each in outcome.findings if each.undecided and not baseline.accepts(each))
    failing = any(map(selection.fails, settled.findings)) or selection.fails_undecided(open_questions)
    shown = tuple(filter(selection.shows, settled.findings))
    settled = replace(settled, findings=shown, hidden=len(settled.findings) - len(shown))
    formats, seconds = [name for name, _ in run.targets], time.perf_counter() - run.begun
    return report_of(inputs, outcome, settled, seconds, formats, selection.configuration.source), failing


def _written(run: CheckRun, report: Report, *, fix_hints: bool) -> str:
    """Write the report in all formats, and return the text on standard output."""
    options, targets = run.options, run.targets
    if options["statistics"]:
        print_statistics(report, options["color"])
        targets = [(name, target) for name, target in targets if target != "-"]
    looks = Options(
        fix_hints=fix_hints,
        category=category_of(run.inventories or run.gathered.settings.inventories),
        quiet=options["quiet"],
        why=options["why"],
        verbose=options["verbose"],
        mend=as_started(run.paths),
    )
    return write(report, targets, options["color"], looks)
