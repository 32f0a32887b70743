"""`kubelint-gpu cache`."""

from __future__ import annotations

import click

from kubelint_gpu.cache.store import cache_folder, clean
from kubelint_gpu.cli.exit_codes import NOTHING
from kubelint_gpu.cli.help.manual import ManualCommand, ManualGroup
from kubelint_gpu.messages.display import say


@click.group("cache", cls=ManualGroup, short_help="Show and empty the stored results of earlier runs.")
def command() -> None:
    """Show and empty the stored results of earlier runs."""


@command.command("dir", cls=ManualCommand)
def directory() -> int:
    """Print the folder in which results are kept.

    It prints nothing where none are: without a home folder, or where that folder would lie in the checkout.
    """
    folder = cache_folder()
    if folder is not None:
        say(str(folder))
    return NOTHING


@command.command("clean", cls=ManualCommand)
def empty() -> int:
    """Delete all stored results of earlier runs."""
    folder = cache_folder()
    try:
        freed = clean(folder) if folder is not None else 0
    except OSError as error:
        raise click.ClickException(f"cannot empty {folder}: {error.strerror or error}") from None
    say(f"{freed:,} bytes freed")
    return NOTHING
