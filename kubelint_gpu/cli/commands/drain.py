"""`kubelint-gpu drain`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kubelint_gpu.cli.commands.full_clusters import cluster_options, print_json, print_texts, read, width
from kubelint_gpu.cli.help.manual import ManualCommand
from kubelint_gpu.cli.help.shell_completion import PATH
from kubelint_gpu.inventory.view.node_rows import abbreviated
from kubelint_gpu.messages.wording import counted
from kubelint_gpu.options import option
from kubelint_gpu.sources.checkout import exists
from kubelint_gpu.workspace.project.kustomizations import RenderSettings

if TYPE_CHECKING:
    from kubelint_gpu.capacity.departures import Departure
    from kubelint_gpu.capacity.full_cluster import FullCluster


@click.command("drain", cls=ManualCommand, short_help="Show where the pods of a node would go.")
@click.argument("nodes", nargs=-1, required=True)
@option("--path", "paths", multiple=True, type=PATH, help="Manifests; may be repeated.  [default: this directory]")
@cluster_options
def command(
    nodes: tuple[str, ...],
    paths: tuple[str, ...],
    inventories: tuple[str, ...],
    output_format: str,
    config: str | None,
    renderer: RenderSettings,
) -> int:
    """Show where the pods of NODES would go if these were drained together.

    NODES are names or patterns such as gpu-*. For each declared workload with pods there: the nodes that take them,
    how many stay Pending, and whether a PodDisruptionBudget blocks the drain. Exit 1 if pods stay Pending or a budget
    blocks. Pods of DaemonSets stay until their node goes.
    """
    from fnmatch import fnmatchcase

    from kubelint_gpu.capacity.departures import departure

    found = read(paths, inventories, config, renderer)
    known, there = set[str](), dict[str, None]()

    def answer(cluster: FullCluster) -> Departure | None:
        names = [info.name for info in cluster.snapshot.nodes]
        there.update(dict.fromkeys(names))
        gone = [name for name in names if any(fnmatchcase(name, pattern) for pattern in nodes)]
        known.update(pattern for pattern in nodes if any(fnmatchcase(name, pattern) for name in names))
        return departure(cluster, gone, ", ".join(gone)) if gone else None

    answers = [one for one in found.answers(answer) if one is not None]
    missing = [pattern for pattern in nodes if pattern not in known]
    if missing:
        names = [*abbreviated(list(there))]
        hint = f"the cluster has {counted(len(there), 'node')}: {', '.join(names[:3])}{', ...' * (len(names) > 3)}"
        hint = "paths are given with --path" if exists(missing[0]) else hint if there else "the cluster has no nodes"
        raise click.UsageError(f'no node is called "{missing[0]}"; {hint}')
    if output_format == "json":
        from kubelint_gpu.capacity.capacity_json import departure_json

        print_json({"drains": [departure_json(one) for one in answers]})
    else:
        from kubelint_gpu.capacity.capacity_text import departure_text

        print_texts(departure_text(one, width()) for one in answers)
    stopped = any(one.pending or one.blocked for one in answers)
    return found.code or int(stopped)
