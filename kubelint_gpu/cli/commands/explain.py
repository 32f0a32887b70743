"""`kubelint-gpu explain`."""

from __future__ import annotations

import sys

import click

from kubelint_gpu.cli.exit_codes import NOTHING
from kubelint_gpu.cli.help.manual import ManualCommand
from kubelint_gpu.cli.help.shell_completion import PATH, codes
from kubelint_gpu.messages.display import say
from kubelint_gpu.options import option, rendering_options
from kubelint_gpu.workspace.project.kustomizations import RenderSettings
from kubelint_gpu.workspace.project.worlds import WhatIf, what_if_options


@click.command("explain", cls=ManualCommand, short_help="Show a rule's page, or why a workload fits where it fits.")
@click.argument("what", shell_complete=codes)
@click.argument("paths", nargs=-1, type=PATH)
@option(
    "-i", "--inventory", "inventories", multiple=True, metavar="FILE", help="The declared cluster; may be repeated."
)
@option("--output-format", type=click.Choice(["text", "json"]), default="text", help="[default: text]")
@what_if_options
@option("--together", is_flag=True, help="All files are applied together, to one cluster.")
@option("--config", "config", metavar="FILE", help="The configuration.  [default: the nearest .kubelint-gpu.yaml]")
@rendering_options
@option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="[default: auto]")
def command(
    what: str,
    paths: tuple[str, ...],
    inventories: tuple[str, ...],
    output_format: str,
    together: bool,
    config: str | None,
    color: str,
    without: tuple[str, ...],
    added: tuple[str, ...],
    renderer: RenderSettings,
) -> int:
    """Show the page of a rule, or why a workload fits where it fits.

    WHAT is the code or name of a rule, or a workload: kind/name or namespace/kind/name. Workloads are looked up in
    PATHS: files, directories, or - for standard input; by default in the current directory.

    The page of a rule is laid out for a terminal; into a file or a pipe it goes as it is, in Markdown.
    """
    if "/" in what:
        what_if = WhatIf(without, added)
        from kubelint_gpu.cli.commands.workload_explanation import explain_workload

        return explain_workload(
            what, paths, inventories, output_format, config, color, what_if, renderer, together=together
        )
    if paths:
        raise click.UsageError(f'"{what}" is no workload: write kind/name or namespace/kind/name')
    _rule(what, color)
    return NOTHING


def _rule(what: str, color: str) -> None:
    from kubelint_gpu.cli.outputs import options_for
    from kubelint_gpu.findings.catalogue import UnknownRule, find, page, suggestion
    from kubelint_gpu.report import rule_page as terminal

    try:
        found_rule = find(what)
    except UnknownRule:
        raise click.UsageError(f'there is no rule "{what}"{suggestion(what) or "; see kubelint-gpu rules"}') from None
    text = page(found_rule.code).rstrip()
    if sys.stdout.isatty() or color == "always":
        text = "".join(terminal.page(text, options_for(sys.stdout, color))).rstrip()
    say(text, color=True)
