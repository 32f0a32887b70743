"""`kubelint-gpu report`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from kubelint_gpu.cli.exit_codes import NOTHING
from kubelint_gpu.cli.help.manual import ManualCommand, ManualGroup
from kubelint_gpu.cli.help.shell_completion import PATH
from kubelint_gpu.messages.display import commandless
from kubelint_gpu.options import option
from kubelint_gpu.report.merging import NotMergeable, merged
from kubelint_gpu.sources.files import NotReadable, read_named
from kubelint_gpu.sources.safe_write import NotWritable, write_file


@click.group("report", cls=ManualGroup, short_help="Merge the reports of several jobs.")
def command() -> None:
    """Merge the reports of several jobs."""


@command.command("merge", cls=ManualCommand)
@click.argument("files", nargs=-1, required=True, type=PATH)
@option("--output-file", metavar="FILE", help="Where to write the report instead of stdout.")
def merge(files: tuple[str, ...], output_file: str | None) -> int:
    """Merge the reports of the jobs of check --shard: JSON reports, or SARIF logs.

    The result is in the format of FILES. What several of them found is told once.
    """
    try:
        text = "".join(merged([_read(path) for path in files]))
    except NotMergeable as error:
        raise click.ClickException(f"cannot merge {', '.join(files)}: {error}") from None
    if output_file is None:
        sys.stdout.write(commandless(text))
        return NOTHING
    try:
        write_file(Path(output_file), text.encode())
    except NotWritable as error:
        raise click.ClickException(f"cannot write {output_file}: {error}") from None
    return NOTHING


def _read(path: str) -> object:
    try:
        found: object = json.loads(read_named(path, max_bytes=2**30))
    except (NotReadable, ValueError, RecursionError) as error:
        raise click.ClickException(f"cannot read {path}: {error}") from None
    return found
