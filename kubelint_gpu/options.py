"""Options and arguments whose declaration imports nothing that only `--help` needs: `inspect`, `locale`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import click


class _Option(click.Option):
    """An option whose help is written as it is shown: click looks for indentation otherwise."""

    def __init__(self, *given: Any, help: str | None = None, **more: Any) -> None:  # noqa: A002 - click's name
        super().__init__(*given, **more)
        self.help = help


def _show_help(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


option = partial(click.option, cls=_Option)
HELP = _Option(
    ["-h", "--help"],
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_show_help,
    help="Show this message and exit.",
)


def kustomize_options(command: Callable[..., int]) -> Callable[..., int]:
    """`--kustomize`, `--kustomize-flag` and `--kustomize-timeout`."""
    for decorate in (
        option(
            "--kustomize-timeout",
            type=click.FloatRange(min=0, min_open=True),
            default=60,
            metavar="SECONDS",
            help="How long rendering one kustomization may take.  [default: 60]",
        ),
        option(
            "--kustomize-flag",
            "kustomize_flags",
            multiple=True,
            metavar="FLAG",
            help="Hand a flag to kustomize, such as --enable-helm; may be repeated. It may then start programs.",
        ),
        option(
            "--kustomize",
            metavar="PATH",
            help="The kustomize or kubectl that renders.  [default: the first on the PATH]",
        ),
    ):
        command = decorate(command)
    return command
