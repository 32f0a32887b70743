"""Lines to standard output and standard error, none of which a CI runner takes for a command."""

from __future__ import annotations

import click

from kubelint_gpu.messages.display import commandless


def say(text: str, *, err: bool = False, nl: bool = True, color: bool | None = None) -> None:
    """Print whole lines; `nl` ends the last one."""
    click.echo(commandless(text), err=err, nl=nl, color=color)
