"""Commands whose arguments are files, some of them with names that look like options."""

from __future__ import annotations

import os

import click

from kubelint_gpu.sources.files import SUFFIXES


class PathCommand(click.Command):
    """Takes an argument with a leading dash for a path where a manifest of that name is there.

    pre-commit puts no `--` before the names of files, and a file must not become an option by its name.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The arguments of the command line, such paths written with `./`."""
        return super().parse_args(ctx, [os.path.join(".", one) if _is_manifest(one) else one for one in args])  # noqa: PTH118


def _is_manifest(argument: str) -> bool:
    return argument.startswith("-") and argument.endswith(SUFFIXES) and os.path.lexists(argument)
