"""The options of `kubelint-gpu check`, and their values with their origins (`--show-settings`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

from kubelint_gpu.budget import EFFORTS
from kubelint_gpu.cli.help.shell_completion import codes
from kubelint_gpu.documents.emitter import flow_text, scalar_text
from kubelint_gpu.findings.finding import SEVERITIES, THRESHOLDS
from kubelint_gpu.messages.display import say, visible
from kubelint_gpu.options import executor_option, option, rendering_options
from kubelint_gpu.report.format_names import FORMATS
from kubelint_gpu.workspace.project.configuration import Configuration
from kubelint_gpu.workspace.project.shards import read_shard
from kubelint_gpu.workspace.project.worlds import what_if_options

if TYPE_CHECKING:
    from kubelint_gpu.engine.executors.executor import Executor

# options of a run that are also settings of the configuration
_SHARED = {"inventories": "inventory", "select": "select", "ignore": "ignore", "baseline": "baseline"}
_NOT_SETTINGS = frozenset({"paths", "show_settings"})
_EACH = "`kubelint-gpu capacity` says which node or zone cannot be lost: it drains each in turn"


def _each_node(_ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value:
        raise click.UsageError(_EACH)


def check_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add all options of `check` to a command, from the last in the help to the first."""
    for decorate in (
        option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="[default: auto]"),
        option("--no-cache", is_flag=True, help="Use no results of earlier runs, and keep none."),
        executor_option,
        option(
            "--shard",
            metavar="N/M",
            callback=read_shard,
            help="Judge one share of the files, such as 2/8: for several jobs.",
        ),
        rendering_options,
        option("--stdin-filename", default="<stdin>", metavar="NAME", help="What standard input is called in reports."),
        option("--show-settings", is_flag=True, help="Print the settings and where each comes from; check nothing."),
        option("--isolated", is_flag=True, help="Read no configuration."),
        option(
            "--config", "config", metavar="FILE", help="The configuration.  [default: the nearest .kubelint-gpu.yaml]"
        ),
        option("--statistics", is_flag=True, help="Print how many findings each rule has, instead of the findings."),
        option("--exit-zero", is_flag=True, help="Exit 0 even if there are findings."),
        option(
            "-v",
            "--verbose",
            is_flag=True,
            help="Print all notes, and with each finding the scheduler's words, steps, more places, names and fixes.",
        ),
        option("--why", is_flag=True, help="Print behind the findings why each rollout ends, or why it does not."),
        option("-q", "--quiet", is_flag=True, help="Print the findings and no summary."),
        option("--no-ignores", is_flag=True, help="Report also what comments and annotations suppress."),
        option(
            "--write-baseline",
            metavar="FILE",
            help="Accept the present findings: write them to FILE. With --baseline: drop fixed ones, add none.",
        ),
        option("--baseline", metavar="FILE", help="Do not report the findings that this file accepts."),
        option("--diff", is_flag=True, help="Show what --fix would change; write nothing."),
        option("--unsafe-fixes", is_flag=True, help="With --fix or --diff: make also those not verified or not safe."),
        option("--fix", is_flag=True, help="Make the safe fixes, then report what is left."),
        option("--hook", is_flag=True, help="As a pre-commit hook: what git tracks, compared with what HEAD holds."),
        option(
            "--against",
            metavar="REV|PATH",
            help="What runs now: manifests of a git revision, or of a path such as ./before; rev:REV and path:PATH say "
            "which. Deleted objects keep running: nothing is pruned.",
        ),
        option(
            "--unit",
            type=click.Choice(("file", "directory", "all")),
            default="directory",
            show_default=True,
            help="Which plain manifests are applied together, to one cluster; a kustomization is always a unit.",
        ),
        option("--together", is_flag=True, help="The same as --unit all."),
        option(
            "--assume",
            type=click.Choice(["full"]),
            help="full: assume that every node is full, and warn about each rollout that needs spare room.",
        ),
        option("--without-each-node", is_flag=True, hidden=True, expose_value=False, callback=_each_node, help=_EACH),
        what_if_options,
        option("--min-severity", type=click.Choice(SEVERITIES), help="Show nothing below this.  [default: note]"),
        option(
            "--effort",
            type=click.Choice(tuple(EFFORTS)),
            default="normal",
            help="How much work goes into questions that no bound decides: high is ten times normal, low a tenth.  "
            "[default: normal]",
        ),
        option(
            "--fail-on",
            type=click.Choice(THRESHOLDS),
            default="warning",
            help="Exit 1 for this and what is worse, shown or not; undecided: also if anything was not decided.  "
            "[default: warning]",
        ),
        option("--ignore", multiple=True, metavar="CODES", shell_complete=codes, help="Do not report these rules."),
        option(
            "--select",
            multiple=True,
            metavar="CODES",
            shell_complete=codes,
            help="Report only these rules: codes, prefixes, names.",
        ),
        option(
            "--output-file", "files", multiple=True, metavar="FILE", help="Where to write a report instead of stdout."
        ),
        option(
            "--output-format",
            "formats",
            multiple=True,
            type=click.Choice(sorted(FORMATS)),
            help="How to report; may be repeated, each with an --output-file.  [default: text]",
        ),
        option(
            "-i",
            "--inventory",
            "inventories",
            multiple=True,
            metavar="FILE",
            help="The declared cluster; may be repeated.",
        ),
    ):
        command = decorate(command)
    return command


def show(ctx: click.Context, configuration: Configuration) -> None:
    """Print the settings as YAML, each with its origin: a flag, a line of the configuration, or the default."""
    rows = list(_rows(ctx, configuration))
    widest = min(60, max(len(text) for text, _ in rows))
    for text, origin in rows:
        say(visible(f"{text:<{widest}}  # {origin}"))


def _rows(ctx: click.Context, configuration: Configuration) -> Iterator[tuple[str, str]]:
    path = configuration.relative_path
    yield f"config: {flow_text(path)}", "read" if path else "none is read"
    for key, value in _of_file(configuration).items():
        line = configuration.lines.get(key)
        if key not in _SHARED.values():
            yield f"{key}: {flow_text(value)}", f"{path}:{line}" if line else "default"
    for parameter in ctx.command.params:
        name = parameter.name or ""
        if name in _NOT_SETTINGS or name in ("config", "help"):
            continue
        key = _SHARED.get(name, parameter.opts[-1].lstrip("-"))
        value = ctx.params.get(name)
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            # the command line adds to the ignored rules of the configuration
            more = f" and {path}:{configuration.lines[key]}" if key == "ignore" and key in configuration.lines else ""
            both = [*list(value or ()), *configuration.ignore] if more else value
            yield f"{key}: {_text(both)}", f"{parameter.opts[-1]}{more}"
        elif key in configuration.lines and name in _SHARED:
            yield f"{key}: {_text(_of_file(configuration)[key])}", f"{path}:{configuration.lines[key]}"
        else:
            yield f"{key}: {_text(value)}", "default"


def _of_file(configuration: Configuration) -> dict[str, Any]:
    return {
        "inventory": configuration.inventory,
        "targets": {target.glob: target.inventory for target in configuration.targets},
        "context": configuration.context,
        "baseline": configuration.baseline,
        "select": configuration.select,
        "ignore": configuration.ignore,
        "severity": configuration.severity,
        "per-path": {
            entry.glob: {
                "ignore": entry.codes,
                **{key: value for key, value in (("reason", entry.reason), ("until", entry.until)) if value},
            }
            for entry in configuration.per_path
        },
        "units": configuration.units,
    }


def _text(value: Any) -> str:
    return flow_text(value) if isinstance(value, (list, tuple, dict)) else scalar_text(value)


def executor_at(address: str | None) -> Executor:
    """Return the workers of the Dask scheduler at an address; without an address, the processes of this machine.

    Raises:
        click.UsageError: the library `distributed` is not installed.
    """
    if address is None:
        from kubelint_gpu.engine.executors.executor import Processes, cores

        return Processes(cores())
    try:
        import distributed  # noqa: F401 - whether it is there
    except ImportError:
        raise click.UsageError("--executor needs the library distributed: pip install 'kubelint-gpu[fleet]'") from None
    from kubelint_gpu.engine.executors.fleet import Fleet

    return Fleet(address)
