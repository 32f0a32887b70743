"""`kubelint-gpu explain`."""

from __future__ import annotations

from difflib import get_close_matches

import click

from kubelint_gpu.checks.catalogue import UnknownRule, every_rule, find, page


@click.command("explain", short_help="Show a rule's page.")
@click.argument("what")
def command(what: str) -> None:
    """Show the page of the rule WHAT, given by code or name."""
    try:
        found = find(what)
    except UnknownRule:
        known = [name for one in every_rule() for name in (one.code, one.name)]
        near = get_close_matches(what.upper(), known, 1, 0.6) or get_close_matches(what.lower(), known, 1, 0.6)
        hint = f"; did you mean {near[0]}?" if near else "; see kubelint-gpu rules"
        raise click.UsageError(f'there is no rule "{what}"{hint}') from None
    click.echo(page(found.code).rstrip())
