"""The options of `kubelint-gpu check`."""

from __future__ import annotations

from collections.abc import Callable

import click

from kubelint_gpu.budget import EFFORTS
from kubelint_gpu.cli.help.shell_completion import codes
from kubelint_gpu.findings.finding import SEVERITIES, THRESHOLDS
from kubelint_gpu.options import executor_option, option, rendering_options
from kubelint_gpu.report.format_names import FORMATS
from kubelint_gpu.workspace.project.shards import read_shard
from kubelint_gpu.workspace.project.worlds import what_if_options

_EACH = "`kubelint-gpu capacity` says which node or zone cannot be lost: it drains each in turn"


def _each_node(_ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value:
        raise click.UsageError(_EACH)


def check_options(command: Callable[..., int]) -> Callable[..., int]:
    """All of them, in the order of the help from last to first."""
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
        option("--statistics", is_flag=True, help="Print how often each rule was found instead of the findings."),
        option("--exit-zero", is_flag=True, help="Exit 0 whatever is found."),
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
            help="Accept what is found: write it down. With --baseline: drop what is gone, add nothing.",
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
            "which. What is gone since runs on: nothing is pruned.",
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
            help="full: judge as if every node were full; what must find room to roll?",
        ),
        option("--without-each-node", is_flag=True, hidden=True, expose_value=False, callback=_each_node, help=_EACH),
        what_if_options,
        option(
            "--min-severity",
            type=click.Choice(SEVERITIES),
            help="Show nothing below this.  [default: note]",
        ),
        option(
            "--effort",
            type=click.Choice(tuple(EFFORTS)),
            default="normal",
            help="How much work goes into what no bound decides: high is ten times normal, low a tenth.  "
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
