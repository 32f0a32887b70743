"""`kubelint-gpu inventory diff`."""

from __future__ import annotations

import click

from kubelint_gpu.cli.exit_codes import FAILED, FINDINGS, NOTHING
from kubelint_gpu.cli.help.manual import ManualCommand
from kubelint_gpu.cli.help.shell_completion import PATH
from kubelint_gpu.messages.printing import say


@click.command("diff", cls=ManualCommand)
@click.argument("old", type=PATH)
@click.argument("new", type=PATH)
def command(old: str, new: str) -> int:
    """Say what has changed from inventory OLD to NEW.

    Nodes, GPUs, pools, running pods, priority classes and other objects: exit 0 nothing, 1 something, 2 one of the two
    cannot be used.
    """
    from kubelint_gpu.inventory.difference import differences
    from kubelint_gpu.messages.display import visible
    from kubelint_gpu.workspace.project.worlds import read_world, tell_errors

    if old == new == "-":
        raise click.UsageError("standard input can be only one of the two")
    worlds = []
    for path in (old, new):
        world, failed = read_world((path,))
        tell_errors(world)
        if failed or world.inventory is None or not world.whole:
            return FAILED
        worlds.append(world.inventory)
    found = differences(*worlds)
    for sentence in found:
        say(visible(sentence))
    return FINDINGS if found else NOTHING
