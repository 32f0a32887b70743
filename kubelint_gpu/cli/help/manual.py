"""The pages of `--help`: options in sections, examples and exit codes, in 80 columns."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from kubelint_gpu.options import HELP
from kubelint_gpu.sources.files import SUFFIXES

_WHOLE = 10_000
OTHERS = "Other options"
SECTIONS = {
    "What is checked": (
        *("inventories", "paths", "unit", "together", "against", "hook", "shard", "stdin_filename"),
        *("helm", "helm_timeout", "values", "sets", "release", "namespace"),
        *("kustomize", "kustomize_flags", "kustomize_timeout", "each", "context", "kubeconfig", "leave_out", "draft"),
        *("without", "without_each_node", "added", "assume"),
    ),
    "Which findings count": (
        "select",
        "ignore",
        "min_severity",
        "fail_on",
        "effort",
        "no_ignores",
        "baseline",
        "write_baseline",
    ),
    "How they are reported": (
        "formats",
        "output_format",
        "files",
        "output",
        "output_file",
        "statistics",
        "verbose",
        "why",
        "quiet",
        "exit_zero",
        "color",
        "anonymize",
    ),
    "Repairs": ("fix", "unsafe_fixes", "diff"),
    "Settings": ("config", "isolated", "show_settings", "executor", "no_cache", "stdio", "yes"),
}
"""The sections of the options, with the names of their parameters. Options without a section come last."""


class PathCommand(click.Command):
    """Takes an argument with a leading dash for a path if a manifest has that name.

    pre-commit puts no `--` before the names of files, and the name of a file must not act as an option.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the command line, with `./` before such paths."""
        return super().parse_args(ctx, [os.path.join(".", text) if _is_manifest(text) else text for text in args])  # noqa: PTH118


def _is_manifest(argument: str) -> bool:
    return argument.startswith("-") and argument.endswith(SUFFIXES) and os.path.lexists(argument)


class _Helped(click.Command):
    def get_help_option(self, _ctx: click.Context) -> click.Option:
        """`--help`, the same for all commands."""
        return HELP


class ManualCommand(_Helped, PathCommand):
    """A command whose help reads as a page of a manual."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options, section by section."""
        for title, parameters in sectioned(self.get_params(ctx)):
            rows = [row for row in (parameter.get_help_record(ctx) for parameter in parameters) if row is not None]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Examples, then exit codes."""
        name = command_name(ctx)
        write_examples(EXAMPLES.get(name, ()), ctx, formatter)
        write_list("Exit codes", EXITS.get(name, ()), formatter)
        super().format_epilog(ctx, formatter)


class ManualGroup(_Helped, click.Group):
    """A group that knows what was meant by a mistyped command, and describes its commands in whole sentences."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first argument names.

        Raises:
            click.UsageError: there is none of this name; with what may have been meant.
        """
        name = args[0]
        if not name.startswith("-") and not ctx.resilient_parsing and self.get_command(ctx, name) is None:
            raise click.UsageError(f'there is no command "{name}"{self._meant(ctx, name)}', ctx)
        return super().resolve_command(ctx, args)

    def _meant(self, ctx: click.Context, name: str) -> str:
        import difflib

        commands = self.list_commands(ctx)
        near = difflib.get_close_matches(name, commands, 1, 0.5)
        if near:
            return f"; did you mean {near[0]}?"
        if "check" in commands and Path(name).exists():
            return f"; to check it: {ctx.command_path} check {name}"
        return f"; there are {', '.join(commands)}"

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Each command with its whole first sentence."""
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(name, one.get_short_help_str(limit=_WHOLE)) for name, one in found if one is not None])


def command_name(ctx: click.Context) -> str:
    """The words that call the command, without the program."""
    return " ".join(ctx.command_path.split()[len((ctx.find_root().info_name or "").split()) :])


def sectioned(parameters: Sequence[click.Parameter]) -> Iterator[tuple[str, list[click.Option]]]:
    """The options of each section, in the order in which they are declared."""
    known = {name: title for title, names in SECTIONS.items() for name in names}
    options = [one for one in parameters if isinstance(one, click.Option)]
    for title in (*SECTIONS, OTHERS):
        yield title, [one for one in options if known.get(one.name or "", OTHERS) == title]


def write_examples(examples: Sequence[tuple[str, str]], ctx: click.Context, formatter: click.HelpFormatter) -> None:
    """Each example as a sentence and, below it, a line that can be copied."""
    if not examples:
        return
    program = ctx.find_root().info_name or ""
    with formatter.section("Examples"):
        for number, (sentence, line) in enumerate(examples):
            if number:
                formatter.write_paragraph()
            formatter.write_text(sentence)
            formatter.write(f"{'':{formatter.current_indent}}  $ {line.replace('PROGRAM', program)}\n")


def write_list(title: str, rows: Sequence[tuple[str, str]], formatter: click.HelpFormatter) -> None:
    """A section with a word and its meaning on each line."""
    if rows:
        with formatter.section(title):
            formatter.write_dl([(word, meaning) for word, meaning in rows])


CHECKED = (
    ("0", "no finding fails the run: no error and no warning, or as --fail-on says"),
    ("1", "there are findings"),
    ("2", "the run itself failed: bad usage, a missing file, an inventory that cannot be used, or not all of it"),
    ("130", "interrupted"),
)

_MANUAL = json.loads((Path(__file__).parent / "manual.json").read_text(encoding="utf-8"))
EXAMPLES: dict[str, list[tuple[str, str]]] = _MANUAL["examples"]
"""For each command: tasks, each with the command line for it."""

EXITS = {**_MANUAL["exits"], "check": CHECKED}

ENVIRONMENT = (
    ("NO_COLOR", "no colours, whatever the terminal can"),
    ("FORCE_COLOR", "colours, also where the output is no terminal"),
    ("COLUMNS", "how wide the text is"),
    ("KUBELINT_GPU_NO_CACHE", "1 uses no results of earlier runs, and keeps none"),
    ("KUBELINT_GPU_TRACEBACK", "1 shows where an internal error comes from"),
)

FILES = ((".kubelint-gpu.yaml", "settings, the nearest one upward within the repository"),)
