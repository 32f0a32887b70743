"""`kubelint-gpu inventory`."""

from __future__ import annotations

import sys

import click

from kubelint_gpu.cli.commands.inventory_capture import command as capture
from kubelint_gpu.cli.exit_codes import FAILED, FINDINGS, NOTHING
from kubelint_gpu.cli.help.manual import ManualCommand, ManualGroup
from kubelint_gpu.cli.help.shell_completion import PATH
from kubelint_gpu.cli.outputs import options_for, write
from kubelint_gpu.messages.display import can_show, say, visible
from kubelint_gpu.options import option
from kubelint_gpu.version import __version__
from kubelint_gpu.workspace.project.worlds import read_world, tell_errors

_FILES = click.argument("files", nargs=-1, required=True, type=PATH)


@click.group("inventory", cls=ManualGroup, short_help="Show, validate and capture inventories.")
def command() -> None:
    """Show, validate and capture inventories: the clusters that manifests are checked against."""


command.add_command(capture)


@command.command("schema", cls=ManualCommand)
def schema() -> None:
    """Print the JSON Schema (draft-07) of kind ClusterInventory."""
    from kubelint_gpu.inventory import schema_text

    say(schema_text(), nl=False)


@command.command("validate", cls=ManualCommand)
@_FILES
@option("--each/--as-one", default=False, help="Each FILE is a cluster of its own.  [default: they are one]")
@option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="[default: auto]")
def validate(files: tuple[str, ...], each: bool, color: str) -> int:
    """Say what is wrong with inventory FILES: exit 0 nothing, 1 warnings, 2 it cannot be used."""
    return max([validate_files(group, color) for group in ([(file,) for file in files] if each else [files])])


@command.command("show", cls=ManualCommand)
@_FILES
@option("--output-format", type=click.Choice(["text", "json"]), default="text", help="[default: text]")
def show(files: tuple[str, ...], output_format: str) -> int:
    """Show a table of inventory FILES: node classes, GPUs, labels, taints, what runs, what is free."""
    from kubelint_gpu.inventory.view.table import render, to_json
    from kubelint_gpu.report.dump import dump

    world, failed = read_world(files)
    tell_errors(world)
    if failed or world.inventory is None or not world.usable:
        return FAILED
    if output_format == "json":
        say(dump(to_json(world.inventory), indent=2))
    else:
        width = options_for(sys.stdout, "never").width
        say(render(world.inventory, width=width, ascii_only=not can_show(sys.stdout)), nl=False)
    return NOTHING if world.whole else FAILED


def validate_files(files: tuple[str, ...], color: str) -> int:
    """Print the problems of the files of one cluster; return the exit code."""
    from kubelint_gpu.engine.run import check
    from kubelint_gpu.findings.catalogue import rule
    from kubelint_gpu.findings.finding import Summary
    from kubelint_gpu.report.content import assemble

    world, failed = read_world(files)
    outcome = check((), world)
    kinds = [finding.severity for finding in outcome.findings]
    summary = Summary(
        files=len(world.readings),
        documents=sum(len(reading.documents) for reading in world.readings),
        nodes=len(world.base.nodes),
        errors=kinds.count("error"),
        warnings=kinds.count("warning"),
        notes=kinds.count("note"),
    )
    sources = {reading.source.path: reading.source for reading in world.readings if reading.source is not None}
    rules = {finding.code: rule(finding.code) for finding in outcome.findings}
    if outcome.findings:
        write(assemble(outcome.findings, summary, rules, sources, __version__), [("text", "-")], color)
    elif not failed:
        nodes = len(world.base.nodes)
        say(f"{visible(', '.join(files))}: a valid inventory of {nodes} node{'' if nodes == 1 else 's'}")
    if failed or outcome.failed:
        return FAILED
    return FINDINGS if outcome.findings else NOTHING
