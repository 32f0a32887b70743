"""`kubelint-gpu config`."""

from __future__ import annotations

from pathlib import Path

import click

from kubelint_gpu.cli.help.manual import ManualCommand, ManualGroup
from kubelint_gpu.messages.display import say


@click.group("config", cls=ManualGroup, short_help="Describe the configuration.")
def command() -> None:
    """Describe the configuration, .kubelint-gpu.yaml; check --show-settings shows what it comes to."""


@command.command("schema", cls=ManualCommand)
def schema() -> None:
    """Print the JSON Schema (draft-07) of the configuration."""
    say(Path(__file__).with_name("configuration.schema.json").read_text(encoding="utf-8"), nl=False)
