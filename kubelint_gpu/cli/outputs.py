"""Where reports go: formats and files in pairs, colour, width."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from io import TextIOWrapper
from pathlib import Path, PurePath
from typing import Any, TextIO

import click

from kubelint_gpu.messages.display import can_show, commandless
from kubelint_gpu.report.content import Options, Report
from kubelint_gpu.report.format_names import COMMANDING, renderer
from kubelint_gpu.sources.safe_write import NotWritable, writable


def pairs(formats: Sequence[str], files: Sequence[str]) -> list[tuple[str, str]]:
    """Each format with its file, `-` for standard output: the first file belongs to the last formats given.

    Raises:
        click.UsageError: more files than formats, or two formats for one file.
    """
    chosen = list(formats) or ["text"]
    if len(files) > len(chosen):
        raise click.UsageError("there are more --output-file than --output-format")
    missing = len(chosen) - len(files)
    targets = ["-"] * missing + list(files)
    if len({os.path.realpath(target) if target != "-" else target for target in targets}) < len(targets):
        raise click.UsageError(
            "two formats go to the same place: give each --output-format but the first one an --output-file"
        )
    return list(zip(chosen, targets, strict=True))


def wants_color(choice: str, stream: TextIO) -> bool:
    """The flag, then NO_COLOR, then FORCE_COLOR, then whether it is a terminal."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty()


def options_for(stream: TextIO, color: str, **more: Any) -> Options:
    """How a report looks on a stream; `more` are further options of it."""
    width = 100
    if stream.isatty() or "COLUMNS" in os.environ:
        import shutil

        width = shutil.get_terminal_size((100, 24)).columns
    return Options(
        color=wants_color(color, stream),
        width=max(40, min(width, 160)),
        unicode=can_show(stream),
        **more,
    )


def as_started(paths: Sequence[str]) -> str:
    """Return the command of a pre-commit hook without its files; empty for any other run.

    pre-commit has the program in a folder that is on nobody's PATH.
    """
    program, *arguments = sys.argv
    if "--hook" not in arguments:
        return ""
    home = f"{Path.home()}{os.sep}"
    found = shlex.quote(program.removeprefix(home))
    found = f"~/{found}" if program.startswith(home) else found
    given = shlex.join(one for one in arguments if one not in paths)
    return f"{found if 'PRE_COMMIT' in os.environ else 'kubelint-gpu'} {given}"


def category_of(inventories: Sequence[str]) -> str:
    """What tells apart the runs that check one commit against several clusters: the names of the inventory's files."""
    names = [PurePath(path).as_posix() for path in inventories]
    return "+".join(sorted({re.sub(r"[^A-Za-z0-9._/-]", "-", name) for name in names}))


def write(report: Report, targets: Iterable[tuple[str, str]], color: str, **more: Any) -> str:
    """Write a report in every format that was asked for, and give what went to standard output.

    `more` are further options of the report.

    Raises:
        click.ClickException: a file cannot be written.
    """
    shown: list[str] = []
    for name, target in targets:
        with ExitStack() as stack:
            stream: TextIO = sys.stdout
            if name != "text" and isinstance(stream, TextIOWrapper) and not can_show(stream):
                # what programs read is UTF-8, whatever the terminal shows
                stream.reconfigure(encoding="utf-8")
            if target != "-":
                try:
                    stream = stack.enter_context(Path(writable(target)).open("w", encoding="utf-8", newline="\n"))
                except (OSError, ValueError, NotWritable) as error:
                    cause = getattr(error, "strerror", None) or error
                    raise click.ClickException(f"cannot write {target}: {cause}") from None
            options = options_for(stream, color, **more)
            for part in renderer(name)(report, options):
                part = part if name in COMMANDING else commandless(part)  # noqa: PLW2901 - the same part, harmless
                stream.write(part)
                if target == "-":
                    shown.append(part)
            # what follows on standard error stands behind it, also where both go to one pipe
            stream.flush()
    return "".join(shown)


def print_statistics(report: Report, color: str) -> None:
    """Print how often each rule was found."""
    from kubelint_gpu.report.tally import statistics

    for part in statistics(report, options_for(sys.stdout, color)):
        sys.stdout.write(commandless(part))
