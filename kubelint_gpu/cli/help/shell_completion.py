"""Types of options and arguments, with the values that a shell proposes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class _Path(click.ParamType):  # type: ignore[type-arg]  # that of an older click takes none
    """Like `click.Path`, but looks for no translation of its name when it is created."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return a readable path; for an unreadable path, raise the error of `click.Path`."""
        return value if os.access(value, os.R_OK) else click.Path().convert(value, param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Return the proposals of the shell for paths."""
        return click.Path().shell_complete(ctx, param, incomplete)


PATH = _Path()


def codes(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the codes and names of rules that complete a text, also after a comma."""
    from click.shell_completion import CompletionItem

    from kubelint_gpu.findings.catalogue import every_rule

    before, comma, begun = incomplete.rpartition(",")
    return [
        CompletionItem(f"{before}{comma}{text}", help=rule.summary)
        for rule in every_rule()
        for text in (rule.code, rule.name)
        if text.lower().startswith(begun.lower())
    ]
