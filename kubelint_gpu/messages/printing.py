"""Prints lines so that no CI runner takes one for a command."""

from __future__ import annotations

import click

from kubelint_gpu.messages.display import commandless


def say(text: str, *, err: bool = False, nl: bool = True, color: bool | None = None) -> None:
    """Print whole lines; `nl` ends the last one."""
    click.echo(commandless(text), err=err, nl=nl, color=color)
