"""`kubelint-gpu check`: its options, and what is known of a run from an earlier one."""

from __future__ import annotations

import time
from typing import Any

import click

from kubelint_gpu.cache.store import users_store
from kubelint_gpu.cli.earlier_run import is_plain, key_of, said_before
from kubelint_gpu.cli.exit_codes import NOTHING
from kubelint_gpu.cli.help.manual import ManualCommand
from kubelint_gpu.cli.help.shell_completion import PATH, codes
from kubelint_gpu.cli.outputs import pairs
from kubelint_gpu.findings.finding import SEVERITIES
from kubelint_gpu.options import executor_option, kustomize_options, option
from kubelint_gpu.report.format_names import FORMATS
from kubelint_gpu.workspace.project.configuration import Configuration
from kubelint_gpu.workspace.project.configuration_file import configuration_for
from kubelint_gpu.workspace.project.gathering import gather
from kubelint_gpu.workspace.project.kustomizations import KustomizeSettings
from kubelint_gpu.workspace.project.shards import read_shard
from kubelint_gpu.workspace.project.worlds import what_if_options


@click.command("check", cls=ManualCommand, short_help="Check manifests against a declared cluster.")
@click.argument("paths", nargs=-1, type=PATH)
@option(
    "-i", "--inventory", "inventories", multiple=True, metavar="FILE", help="The declared cluster; may be repeated."
)
@option(
    "--output-format",
    "formats",
    multiple=True,
    type=click.Choice(sorted(FORMATS)),
    help="How to report; may be repeated, each with an --output-file.  [default: text]",
)
@option("--output-file", "files", multiple=True, metavar="FILE", help="Where to write a report instead of stdout.")
@option(
    "--select",
    multiple=True,
    metavar="CODES",
    shell_complete=codes,
    help="Report only these rules: codes, prefixes, names.",
)
@option("--ignore", multiple=True, metavar="CODES", shell_complete=codes, help="Do not report these rules.")
@option(
    "--min-severity",
    type=click.Choice(SEVERITIES),
    help="Report, and fail on, nothing below this.  [default: report all, fail on warnings]",
)
@what_if_options
@option(
    "--assume", type=click.Choice(["full"]), help="full: judge as if every node were full; what must find room to roll?"
)
@option("--together", is_flag=True, help="All files are applied together, to one cluster.")
@option(
    "--against",
    metavar="REV|PATH",
    help="What runs now: manifests of a git revision, or of a path such as ./before; rev:REV and path:PATH say which. "
    "What is gone since runs on: nothing is pruned.",
)
@option("--hook", is_flag=True, help="As a pre-commit hook: what git tracks, compared with what HEAD holds.")
@option("--fix", is_flag=True, help="Make the safe fixes, then report what is left.")
@option("--unsafe-fixes", is_flag=True, help="With --fix or --diff: make also those not verified or not safe.")
@option("--diff", is_flag=True, help="Show what --fix would change; write nothing.")
@option("--baseline", metavar="FILE", help="Do not report the findings that this file accepts.")
@option(
    "--write-baseline",
    metavar="FILE",
    help="Accept what is found: write it down. With --baseline: drop what is gone, add nothing.",
)
@option("--no-ignores", is_flag=True, help="Report also what comments and annotations suppress.")
@option("-q", "--quiet", is_flag=True, help="Print the findings and no summary.")
@option("--exit-zero", is_flag=True, help="Exit 0 whatever is found.")
@option("--statistics", is_flag=True, help="Print how often each rule was found instead of the findings.")
@option("--config", "config", metavar="FILE", help="The configuration.  [default: the nearest .kubelint-gpu.yaml]")
@option("--isolated", is_flag=True, help="Read no configuration.")
@option("--show-settings", is_flag=True, help="Print the settings and where each comes from; check nothing.")
@option("--stdin-filename", default="<stdin>", metavar="NAME", help="What standard input is called in reports.")
@kustomize_options
@option(
    "--shard", metavar="N/M", callback=read_shard, help="Judge one share of the files, such as 2/8: for several jobs."
)
@executor_option
@option("--no-cache", is_flag=True, help="Use no results of earlier runs, and keep none.")
@option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="[default: auto]")
@click.pass_context
def command(ctx: click.Context, /, paths: tuple[str, ...], inventories: tuple[str, ...], **options: Any) -> int:
    """Check manifests against a declared cluster.

    PATHS are files, directories, or - for standard input. In a directory all *.yaml, *.yml and *.json are read, and
    kustomizations are rendered; the templates of Helm charts are left out.
    """
    if options["show_settings"]:
        from kubelint_gpu.cli.settings import show
        from kubelint_gpu.engine.selection import select

        configuration = Configuration() if options["isolated"] else configuration_for(options["config"], paths)
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
    for printed in ("statistics", "diff"):
        if options[printed] and any(name != "text" and target == "-" for name, target in targets):
            raise click.UsageError(f"--{printed} prints text: give each --output-format an --output-file")
    store = None if options["no_cache"] else users_store()
    configuration = Configuration() if options["isolated"] else configuration_for(options["config"], paths, store)
    gathered = gather(
        paths,
        inventories,
        configuration=configuration,
        stdin_filename=options["stdin_filename"],
        kustomize=KustomizeSettings(
            options["kustomize"], options["kustomize_flags"], options["kustomize_timeout"], store
        ),
        hook=options["hook"],
    )
    key = None
    if store is not None and is_plain(options, targets, (*paths, *inventories), configuration):
        key = key_of(gathered, inventories, options, targets)
        if key is not None and (code := said_before(store, key, gathered)) is not None:
            return code
    from kubelint_gpu.cli.commands.judging import judged

    return judged(gathered, paths, inventories, options, targets, begun, store, key)
