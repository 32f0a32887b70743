"""`kubelint-gpu explain` for a workload."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress

import click

from kubelint_gpu.analysis.decided import ask
from kubelint_gpu.budget import NORMAL
from kubelint_gpu.cli.exit_codes import FAILED, NOTHING
from kubelint_gpu.explain.lookup import find
from kubelint_gpu.explain.scheduling_moments import situations
from kubelint_gpu.messages.display import say
from kubelint_gpu.work import UsedUp, limited
from kubelint_gpu.workspace.project.configuration import NAME
from kubelint_gpu.workspace.project.configuration_file import configuration_for
from kubelint_gpu.workspace.project.gathering import gather
from kubelint_gpu.workspace.project.inputs import inputs_of
from kubelint_gpu.workspace.project.kustomizations import RenderSettings
from kubelint_gpu.workspace.project.worlds import WhatIf, tell_errors


def explain_workload(
    what: str,
    paths: Sequence[str],
    inventories: Sequence[str],
    output_format: str,
    config: str | None,
    color: str,
    what_if: WhatIf,
    renderer: RenderSettings,
    *,
    together: bool,
) -> int:
    """Print why a workload fits where it fits; return the exit code."""
    settings = configuration_for(config, paths)
    if not inventories and not settings.inventories:
        raise click.UsageError(
            "where a workload fits depends on the cluster, and none is declared: give --inventory FILE, "
            f"or name one in {NAME}"
        )
    gathered = gather(paths or (".",), inventories, configuration=settings, kustomize=renderer)
    gathered.tell()
    inputs = inputs_of(gathered, inventories, what_if=what_if, unit="all" if together else "directory")
    for world in inputs.worlds:
        tell_errors(world)
    if not inputs.usable or not inputs.worlds:
        return FAILED
    unit, subject = find(what, inputs.units)
    try:
        with limited(NORMAL.run, NORMAL.group):
            moments = situations(unit, subject)
            with suppress(UsedUp):
                ask(unit)
    except UsedUp:
        raise click.ClickException(
            f"{what} asks for more work than one explanation may take: pod and cluster are too large together"
        ) from None
    if output_format == "json":
        from kubelint_gpu.explain.explanation_json import to_json
        from kubelint_gpu.report.dump import dump

        say(dump(to_json(unit, subject, moments), indent=2))
    else:
        from kubelint_gpu.cli.outputs import options_for
        from kubelint_gpu.explain.explanation_text import render

        say("\n".join(render(unit, subject, moments, options_for(sys.stdout, color))), color=True)
    return FAILED if inputs.failed or not all(world.whole for world in inputs.worlds) else NOTHING
