"""`kubelint-gpu capacity`."""

from __future__ import annotations

import click

from kubelint_gpu.cli.commands.full_clusters import cluster_options, print_json, print_texts, read, width
from kubelint_gpu.cli.help.manual import ManualCommand
from kubelint_gpu.cli.help.shell_completion import PATH
from kubelint_gpu.workspace.project.kustomizations import RenderSettings


@click.command("capacity", cls=ManualCommand, short_help="Compare what is declared with what the cluster has.")
@click.argument("paths", nargs=-1, type=PATH)
@cluster_options
def command(
    paths: tuple[str, ...],
    inventories: tuple[str, ...],
    output_format: str,
    config: str | None,
    renderer: RenderSettings,
) -> int:
    """Compare the GPUs that all manifests ask for with those of the cluster.

    PATHS are files and directories; by default the current directory. All of them are taken as applied together.

    The table has a row for each GPU model and pool: what others hold, what the declared pods hold at rest, what is
    free, and what rollouts take for a time. Below it stand the pods that find no node, the rollouts without room, the
    nodes and zones without which pods stay Pending, and what drains of one node after the other take from workloads
    without a PodDisruptionBudget.

    Pods that run keep their nodes. The others are placed one after the other, those of the highest priority first,
    then those with the most GPUs. A pod with GPUs goes to the node with the fewest free GPUs, another one to the node
    with the fewest pods of its workload. The scheduler may place them otherwise. Quotas that are too small are listed.
    """
    from kubelint_gpu.capacity.departures import at_rest, with_losses

    found = read(paths, inventories, config, renderer)
    answers = found.answers(lambda cluster: with_losses(at_rest(cluster)))
    if output_format == "json":
        from kubelint_gpu.capacity.capacity_json import capacity_json

        print_json({"clusters": [capacity_json(one) for one in answers]})
    else:
        from kubelint_gpu.capacity.capacity_text import capacity_text

        print_texts(capacity_text(one, width()) for one in answers)
    return found.code
