"""`kubelint-gpu rules`."""

from __future__ import annotations

import click

from kubelint_gpu.checks.catalogue import every_rule


@click.command("rules", short_help="List the rules.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text", help="[default: text]")
def command(output_format: str) -> None:
    """List the rules, with their severity and what they say."""
    rules = list(every_rule())
    if output_format == "json":
        import json

        keys = ("code", "name", "severity", "summary", "fix", "since", "url")
        click.echo(json.dumps([{key: getattr(found, key) for key in keys} for found in rules], indent=2))
        return
    widest = max((len(found.name) for found in rules), default=0)
    for found in rules:
        click.echo(f"{found.code}  {found.severity:<7}  {found.name:<{widest}}  {found.summary}")
