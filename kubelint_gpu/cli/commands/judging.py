"""What `check` does with files that no earlier run has seen like that: judge, mend, report."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from kubelint_gpu.budget import EFFORTS
from kubelint_gpu.cli.checked_inputs import inputs_for
from kubelint_gpu.cli.exit_codes import FAILED, FINDINGS, NOTHING
from kubelint_gpu.cli.outcome_report import draws, report_of
from kubelint_gpu.cli.outputs import as_started, category_of, print_statistics, write
from kubelint_gpu.cli.own_files import own_files, refuse_own_files, wholly_checked
from kubelint_gpu.engine.baseline import load_baseline, settle
from kubelint_gpu.engine.run import check
from kubelint_gpu.engine.selection import per_path_problems, select
from kubelint_gpu.messages.printing import say
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.project.gathering import Gathered
from kubelint_gpu.workspace.project.progress import progress

if TYPE_CHECKING:
    from kubelint_gpu.cache.store import Store
    from kubelint_gpu.engine.executors.executor import Executor


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
    """Check what was gathered, report, and give the exit code; the output is kept where the run has a `key`."""
    executor = executor_at(options["executor"])
    configuration = gathered.settings
    selection = select(configuration, options["select"], options["ignore"], options["min_severity"], options["fail_on"])
    baseline = load_baseline(options["baseline"] or configuration.baseline)
    inputs, past = inputs_for(gathered, paths, inventories, options, store)
    own = own_files(inputs, configuration, baseline, options["write_baseline"])
    refuse_own_files(targets, own, past.path if past is not None else None)
    suppression = selection.suppression(on=not options["no_ignores"])
    fixed = None
    if options["fix"] or options["diff"]:
        if gathered.pipe and not options["diff"]:
            raise click.UsageError("standard input cannot be fixed in place; use --diff")
        from kubelint_gpu.cli.commands.fixing import fix_units, print_diff

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
    found = (*outcome.findings, *inputs.defects, *per_path_problems(selection.configuration))
    outcome = replace(outcome, findings=tuple(filter(inputs.reports, found)))
    if fixed is not None and options["diff"]:
        unaccepted = tuple(one for one in outcome.findings if not baseline.accepts(one))
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
    open_questions = (one for one in outcome.findings if one.undecided and not baseline.accepts(one))
    failing = any(map(selection.fails, settled.findings)) or selection.fails_undecided(open_questions)
    shown = tuple(filter(selection.shows, settled.findings))
    settled = replace(settled, findings=shown, hidden=len(settled.findings) - len(shown))
    settings = selection.configuration.source
    report = report_of(inputs, outcome, settled, time.perf_counter() - begun, [name for name, _ in targets], settings)
    if options["statistics"]:
        print_statistics(report, options["color"])
        targets = [(name, target) for name, target in targets if target != "-"]
    written = write(
        report,
        targets,
        options["color"],
        fix_hints=fixed is None and not gathered.pipe,
        category=category_of(inventories or configuration.inventories),
        quiet=options["quiet"],
        why=options["why"],
        verbose=options["verbose"],
        mend=as_started(paths),
    )
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


def executor_at(address: str | None) -> Executor:
    """Who works at an address; without one the processes of this machine.

    Raises:
        click.UsageError: what is needed to ask others is not installed.
    """
    if address is None:
        from kubelint_gpu.engine.executors.processes import Processes, cores

        return Processes(cores())
    try:
        import distributed  # noqa: F401 - whether it is there
    except ImportError:
        raise click.UsageError("--executor needs the library distributed: pip install 'kubelint-gpu[fleet]'") from None
    from kubelint_gpu.engine.executors.fleet import Fleet

    return Fleet(address)
