"""`kubelint-gpu rules`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from kubelint_gpu.cli.help.manual import ManualCommand
from kubelint_gpu.findings.catalogue import every_rule
from kubelint_gpu.findings.finding import RuleInfo
from kubelint_gpu.messages.display import say
from kubelint_gpu.options import option

_INDENT = 8


@click.command("rules", cls=ManualCommand, short_help="List the rules.")
@option("--output-format", type=click.Choice(["text", "json"]), default="text", help="[default: text]")
def command(output_format: str) -> None:
    """List the rules, with their severity and what they say; one rule a line where it goes into a file or a pipe."""
    rules = list(every_rule())
    if output_format == "json":
        import json

        keys = ("code", "name", "severity", "summary", "fix", "since", "url")
        say(json.dumps([{key: getattr(found, key) for key in keys} for found in rules], indent=2))
        return
    if sys.stdout.isatty():
        _table(rules)
        return
    widest = max((len(found.name) for found in rules), default=0)
    for found in rules:
        say(f"{found.code}  {found.severity:<7}  {found.name:<{widest}}  {found.summary}")


def _table(rules: Sequence[RuleInfo]) -> None:
    """Two lines for each rule: what it is, and what it says, within the width of the terminal."""
    from kubelint_gpu.cli.outputs import options_for
    from kubelint_gpu.report.theme import theme_of

    theme = theme_of(options_for(sys.stdout, "auto"))
    for found in rules:
        severity = theme.paint(found.severity, found.severity) + " " * (len("warning") - len(found.severity))
        fix = "" if found.fix == "none" else f"  (fix: {found.fix})"
        say(f"{theme.paint('bold', found.code)}  {severity}  {theme.paint('bold', found.name)}{fix}", color=True)
        for line in theme.wrap(theme.show(found.summary), first=_INDENT, hang=_INDENT):
            say(" " * _INDENT + line)
