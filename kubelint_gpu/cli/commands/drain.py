"""`kubelint-gpu drain`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from kubelint_gpu.cli.commands.full_clusters import read
from kubelint_gpu.cli.help.manual import ManualCommand
from kubelint_gpu.cli.help.shell_completion import PATH
from kubelint_gpu.messages.printing import say
from kubelint_gpu.options import kustomize_options, option
from kubelint_gpu.workspace.project.kustomizations import KustomizeSettings

if TYPE_CHECKING:
    from kubelint_gpu.capacity.departures import Departure
    from kubelint_gpu.capacity.full_cluster import FullCluster


@click.command("drain", cls=ManualCommand, short_help="Show where the pods of a node would go.")
@click.argument("nodes", nargs=-1, required=True)
@option("--path", "paths", multiple=True, type=PATH, help="Manifests; may be repeated.  [default: this directory]")
@option(
    "-i", "--inventory", "inventories", multiple=True, metavar="FILE", help="The declared cluster; may be repeated."
)
@option("--output-format", type=click.Choice(["text", "json"]), default="text", help="[default: text]")
@option("--config", "config", metavar="FILE", help="The configuration.  [default: the nearest .kubelint-gpu.yaml]")
@kustomize_options
def command(
    nodes: tuple[str, ...],
    paths: tuple[str, ...],
    inventories: tuple[str, ...],
    output_format: str,
    config: str | None,
    kustomize: str | None,
    kustomize_flags: tuple[str, ...],
    kustomize_timeout: float,
) -> int:
    """Show where the pods of NODES would go if these were drained together.

    NODES are names or patterns such as gpu-*. For each declared workload with pods there: the nodes that take them,
    how many stay Pending, and whether a PodDisruptionBudget blocks the drain. Exit 1 if pods stay Pending or a budget
    blocks. Pods of DaemonSets stay until their node goes.
    """
    from fnmatch import fnmatchcase

    from kubelint_gpu.capacity.departures import departure
    from kubelint_gpu.cli.outputs import options_for

    found = read(paths, inventories, config, KustomizeSettings(kustomize, kustomize_flags, kustomize_timeout))
    known = set[str]()

    def answer(cluster: FullCluster) -> Departure | None:
        names = [info.name for info in cluster.snapshot.nodes]
        gone = [name for name in names if any(fnmatchcase(name, pattern) for pattern in nodes)]
        known.update(pattern for pattern in nodes if any(fnmatchcase(name, pattern) for name in names))
        return departure(cluster, gone, ", ".join(gone)) if gone else None

    answers = [one for one in found.answers(answer) if one is not None]
    missing = [pattern for pattern in nodes if pattern not in known]
    if missing:
        raise click.UsageError(f'no node is called "{missing[0]}"; see kubelint-gpu inventory show FILE')
    if output_format == "json":
        from kubelint_gpu.capacity.capacity_json import departure_json
        from kubelint_gpu.report.dump import dump

        say(dump({"drains": [departure_json(one) for one in answers]}, indent=2))
    else:
        from kubelint_gpu.capacity.capacity_text import departure_text

        width = options_for(sys.stdout, "never").width
        say("\n\n".join("\n".join(departure_text(one, width)) for one in answers))
    stopped = any(one.pending or any(move.blocked for move in one.moves) for one in answers)
    return found.code or int(stopped)
