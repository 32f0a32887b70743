"""Values of options and arguments, and what a shell proposes for them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class _Path(click.ParamType):  # type: ignore[type-arg]  # that of an older click takes none
    """What `click.Path` takes; that looks for a translation of its name as soon as it is made."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; click says what is wrong with one that cannot be read."""
        return value if os.access(value, os.R_OK) else click.Path().convert(value, param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """What the shell proposes by itself."""
        return click.Path().shell_complete(ctx, param, incomplete)


PATH = _Path()


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
