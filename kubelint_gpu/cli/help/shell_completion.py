"""What a shell proposes for values of options."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


def codes(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Codes and names of rules, also behind a comma."""
    from click.shell_completion import CompletionItem

    from kubelint_gpu.findings.catalogue import every_rule

    before, comma, begun = incomplete.rpartition(",")
    return [
        CompletionItem(f"{before}{comma}{text}", help=rule.summary)
        for rule in every_rule()
        for text in (rule.code, rule.name)
        if text.lower().startswith(begun.lower())
    ]
