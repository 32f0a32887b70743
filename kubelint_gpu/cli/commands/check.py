"""`kubelint-gpu check`: prints the output of an equal earlier run, or starts a new run."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from kubelint_gpu.cache.store import users_store
from kubelint_gpu.cli.check_options import check_options
from kubelint_gpu.cli.earlier_run import is_plain, key_of, said_before
from kubelint_gpu.cli.exit_codes import NOTHING
from kubelint_gpu.cli.help.manual import ManualCommand
from kubelint_gpu.cli.help.shell_completion import PATH
from kubelint_gpu.cli.outputs import pairs
from kubelint_gpu.sources.files import display_path
from kubelint_gpu.sources.programs import keep_out
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.project.configuration import Configuration
from kubelint_gpu.workspace.project.configuration_file import configuration_for, find
from kubelint_gpu.workspace.project.gathering import gather


@click.command("check", cls=ManualCommand, short_help="Check manifests against a declared cluster.")
@click.argument("paths", nargs=-1, type=PATH)
@check_options
@click.pass_context
def command(ctx: click.Context, /, paths: tuple[str, ...], inventories: tuple[str, ...], **options: Any) -> int:
    """Check manifests against a declared cluster.

    PATHS are files, directories, or - for standard input. In a directory all *.yaml, *.yml and *.json are read, and
    kustomizations and Helm charts are rendered. Without PATHS everything below the configuration is checked, else the
    current directory.
    """
    paths = paths or (_everything(options),)
    if options["show_settings"]:
        from kubelint_gpu.cli.check_options import show
        from kubelint_gpu.engine.selection import select

        configuration = Configuration() if options["isolated"] else configuration_for(options["config"], paths)
        select(configuration, options["select"], options["ignore"], options["min_severity"], options["fail_on"])
        show(ctx, configuration)
        return NOTHING
    named_unit = ctx.get_parameter_source("unit") is click.core.ParameterSource.COMMANDLINE
    if options["together"] and named_unit and options["unit"] != "all":
        raise click.UsageError(f"--together is the same as --unit all: leave out --unit {options['unit']}")
    if options["diff"] and options["write_baseline"]:
        raise click.UsageError("--diff writes nothing: leave out --write-baseline")
    if options["shard"] is not None and options["write_baseline"]:
        raise click.UsageError("--write-baseline needs all files: leave out --shard")
    named = (options[name] for name in ("config", "baseline", "write_baseline", "against"))
    keep_out((*options["files"], *options["added"], *filter(None, named)))
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
        kustomize=replace(options["renderer"], store=store),
        hook=options["hook"],
    )
    key = None
    if store is not None and is_plain(options, targets, (*paths, *inventories), configuration):
        key = key_of(gathered, inventories, options, targets)
        if key is not None and (code := said_before(store, key, gathered)) is not None:
            return code
    from kubelint_gpu.cli.commands.judging import CheckRun, judged

    return judged(CheckRun(gathered, paths, inventories, options, targets, begun, store, key))


def _everything(options: dict[str, Any]) -> str:
    """Return the folder of the configuration; without a configuration, the working directory."""
    path = None if options["isolated"] else Path(options["config"]) if options["config"] else find(Path.cwd())
    return display_path(path.absolute().parent, Path.cwd()) if path is not None else "."
