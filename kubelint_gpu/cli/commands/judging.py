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
from kubelint_gpu.engine.baseline import load_baseline, settle
from kubelint_gpu.engine.run import check
from kubelint_gpu.engine.selection import per_path_problems, select
from kubelint_gpu.messages.printing import say
from kubelint_gpu.report.content import Options
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.project.comparison import Comparison, comparison
from kubelint_gpu.workspace.project.gathering import Gathered
from kubelint_gpu.workspace.project.inputs import Inputs, inputs_of
from kubelint_gpu.workspace.project.progress import progress
from kubelint_gpu.workspace.project.shards import share
from kubelint_gpu.workspace.project.worlds import WhatIf

if TYPE_CHECKING:
    from kubelint_gpu.cache.store import Store


def judged(
    gathered: Gathered,
    paths: Sequence[str],
    inventories: Sequence[str],
    options: dict[str, Any],
    targets: Sequence[tuple[str, str]],
    begun: float,
    store: Store | None,
    key: str | None,
) -> int:
    """Check the gathered files, report, and return the exit code. A run with a `key` stores its output."""
    executor = executor_at(options["executor"])
    configuration = gathered.settings
    selection = select(configuration, options["select"], options["ignore"], options["min_severity"], options["fail_on"])
    own_target = None if options["baseline"] else options["write_baseline"]
    baseline = load_baseline(options["baseline"] or configuration.baseline, own_target)
    inputs, past = inputs_for(gathered, paths, inventories, options, store)
    own = own_files(inputs, configuration, baseline, options["write_baseline"])
    refuse_own_files(targets, own, past.path if past is not None else None)
    suppression = selection.suppression(on=not options["no_ignores"])
    fixed = None
    if options["fix"] or options["diff"]:
        if gathered.pipe and not options["diff"]:
            raise click.UsageError("standard input cannot be fixed in place; use --diff")
        from kubelint_gpu.cli.commands.fixing import fixed_or_shown

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
            pictures=draws(name for name, _ in targets),
            store=store,
        )
    findings = (*outcome.findings, *inputs.defects, *per_path_problems(selection.configuration))
    outcome = replace(outcome, findings=tuple(filter(inputs.reports, findings)))
    if fixed is not None and options["diff"]:
        unaccepted = tuple(finding for finding in outcome.findings if not baseline.accepts(finding))
        left = any(map(selection.fails, selection.counted(unaccepted))) or selection.fails_undecided(unaccepted)
        if outcome.failed or inputs.failed or not inputs.usable:
            return FAILED
        return FINDINGS if (left or fixed.changed) and not options["exit_zero"] else NOTHING
    settled = settle(
        baseline,
        options["write_baseline"],
        outcome.findings,
        tuple(selection.counted(outcome.findings)),
        wholly_checked(inputs, paths),
        failed=outcome.failed or inputs.failed,
        grows=options["baseline"] is None,
    )
    open_questions = (each for each in outcome.findings if each.undecided and not baseline.accepts(each))
    failing = any(map(selection.fails, settled.findings)) or selection.fails_undecided(open_questions)
    shown = tuple(filter(selection.shows, settled.findings))
    settled = replace(settled, findings=shown, hidden=len(settled.findings) - len(shown))
    settings = selection.configuration.source
    report = report_of(inputs, outcome, settled, time.perf_counter() - begun, [name for name, _ in targets], settings)
    if options["statistics"]:
        print_statistics(report, options["color"])
        targets = [(name, target) for name, target in targets if target != "-"]
    looks = Options(
        fix_hints=fixed is None and not gathered.pipe,
        category=category_of(inventories or configuration.inventories),
        quiet=options["quiet"],
        why=options["why"],
        verbose=options["verbose"],
        mend=as_started(paths),
    )
    written = write(report, targets, options["color"], looks)
    if fixed is not None:
        from kubelint_gpu.cli.commands.fixing import tell

        tell(fixed)
    if report.failed and all(target != "-" for _, target in targets):
        say(f"kubelint-gpu: the run failed: {report.failed}", err=True)
    code = FAILED
    if not (outcome.failed or inputs.failed):
        code = FINDINGS if failing and not options["exit_zero"] else NOTHING
        if store is not None and key is not None:
            from kubelint_gpu.cli.earlier_run import keep

            keep(store, key, code, written)
    if store is not None:
        store.save()
    return code


def inputs_for(
    gathered: Gathered, paths: Sequence[str], inventories: Sequence[str], options: dict[str, Any], store: Store | None
) -> tuple[Inputs, Comparison | None]:
    """Return the inputs of a run with the options of `check`, and the earlier state that `--against` names."""
    past = comparison(options["against"], paths) if options["against"] is not None else None
    gathered.tell()
    inputs = inputs_of(
        gathered,
        inventories,
        what_if=WhatIf(options["without"], options["added"], full=options["assume"] == "full"),
        unit="all" if options["together"] else options["unit"],
        against=past,
        store=store,
    )
    if options["shard"] is not None:
        inputs = inputs.after(share(inputs.units, options["shard"]), failed=False)
    return inputs, past
