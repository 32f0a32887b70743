"""`kubelint-gpu explain`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from difflib import get_close_matches

import click

from kubelint_gpu.cli import FAILED, NOTHING


@click.command("explain", short_help="Show a rule's page, or why a workload fits where it fits.")
@click.argument("what")
@click.argument("paths", nargs=-1, type=click.Path())
@click.option(
    "-i", "--inventory", "inventories", multiple=True, metavar="FILE", help="The declared cluster; may be repeated."
)
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text", help="[default: text]")
@click.option("--together", is_flag=True, help="All files are applied together, to one cluster.")
@click.option(
    "--config", "config", metavar="FILE", help="The configuration.  [default: the nearest .kubelint-gpu.yaml]"
)
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="[default: auto]")
def command(
    what: str,
    paths: tuple[str, ...],
    inventories: tuple[str, ...],
    output_format: str,
    together: bool,
    config: str | None,
    color: str,
) -> int:
    """Show the page of a rule, or why a workload fits where it fits.

    WHAT is the code or name of a rule, or a workload: kind/name or namespace/kind/name. Workloads are looked up in
    PATHS: files, directories, or - for standard input; by default in the current directory.
    """
    if "/" in what:
        return _workload(what, paths, inventories, output_format, config, color, together=together)
    if paths:
        raise click.UsageError(f'"{what}" is no workload: write kind/name or namespace/kind/name')
    _rule(what)
    return NOTHING


def _rule(what: str) -> None:
    from kubelint_gpu.checks.catalogue import UnknownRule, every_rule, find, page

    try:
        found = find(what)
    except UnknownRule:
        known = [name for one in every_rule() for name in (one.code, one.name)]
        near = get_close_matches(what.upper(), known, 1, 0.6) or get_close_matches(what.lower(), known, 1, 0.6)
        hint = f"; did you mean {near[0]}?" if near else "; see kubelint-gpu rules"
        raise click.UsageError(f'there is no rule "{what}"{hint}') from None
    click.echo(page(found.code).rstrip())


def _workload(
    what: str,
    paths: Sequence[str],
    inventories: Sequence[str],
    output_format: str,
    config: str | None,
    color: str,
    *,
    together: bool,
) -> int:
    from pathlib import Path

    from kubelint_gpu.checks.situation import situations
    from kubelint_gpu.cli import configuration
    from kubelint_gpu.cli.inputs import complain, read_inputs
    from kubelint_gpu.cli.lookup import find

    settings = configuration.load(Path(config) if config else configuration.find(Path.cwd()))
    declared = inventories or settings.inventory
    if not declared:
        raise click.UsageError(
            "where a workload fits depends on the cluster, and none is declared: give --inventory FILE, "
            f"or name one in {configuration.NAME}"
        )
    inputs = read_inputs(paths or (".",), declared, together=together, unit_of=settings.unit_of, apart=True)
    for error in inputs.world.errors:
        where = f"{error.path}:{error.span.line}:{error.span.column}" if error.span else error.path
        complain(where, f"{error.severity}: {error.message}{'; ' + error.hint if error.hint else ''}")
    if not inputs.world.usable:
        return FAILED
    unit, subject = find(what, inputs.units)
    found = situations(unit, subject)
    if output_format == "json":
        import json

        from kubelint_gpu.cli.explanation_json import to_json

        click.echo(json.dumps(to_json(unit, subject, found), indent=2, ensure_ascii=False))
    else:
        from kubelint_gpu.cli.explanation_text import render
        from kubelint_gpu.cli.outputs import options_for

        click.echo("\n".join(render(unit, subject, found, options_for(sys.stdout, color))), color=True)
    return FAILED if inputs.failed else NOTHING
