"""Inputs of `capacity` and `drain`: the manifests, and each cluster with all pods on their nodes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import click

from kubelint_gpu.budget import NORMAL
from kubelint_gpu.capacity.full_cluster import FullCluster, with_all_pods
from kubelint_gpu.cli.exit_codes import FAILED, NOTHING
from kubelint_gpu.cli.outputs import options_for
from kubelint_gpu.documents import Problem, Reading
from kubelint_gpu.messages.display import say
from kubelint_gpu.options import option, rendering_options
from kubelint_gpu.values import Value
from kubelint_gpu.work import UsedUp, limited
from kubelint_gpu.workspace.project.configuration import NAME
from kubelint_gpu.workspace.project.configuration_file import configuration_for
from kubelint_gpu.workspace.project.gathering import gather
from kubelint_gpu.workspace.project.inputs import Inputs, inputs_of
from kubelint_gpu.workspace.project.kustomizations import RenderSettings
from kubelint_gpu.workspace.project.worlds import complain, tell_errors

T = TypeVar("T")


def cluster_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options of a command that reads manifests and clusters, and prints text or JSON."""
    command = rendering_options(command)
    for added in (
        option("--config", metavar="FILE", help="The configuration.  [default: the nearest .kubelint-gpu.yaml]"),
        option("--output-format", type=click.Choice(["text", "json"]), default="text", help="[default: text]"),
        option("-i", "--inventory", "inventories", multiple=True, metavar="FILE", help="The cluster; may be repeated."),
    ):
        command = added(command)
    return command


def print_json(value: dict[str, Any]) -> None:
    """Print plain data."""
    from kubelint_gpu.report.dump import dump

    say(dump(value, indent=2))


def print_texts(texts: Iterable[Iterable[str]]) -> None:
    """Print the lines of several texts, an empty line between two of them."""
    say("\n\n".join("\n".join(lines) for lines in texts))


def width() -> int:
    """Return the width of the text, in columns."""
    return options_for(sys.stdout, "never").width


class DeclaredClusters(Value, eq=False):
    """The inputs of a command about whole clusters."""

    inputs: Inputs

    def answers(self, ask: Callable[[FullCluster], T]) -> list[T]:
        """Return the answer of `ask` for each cluster with all pods on their nodes.

        Raises:
            click.ClickException: the cluster is too large for one answer.
        """
        answers = []
        for world in self.inputs.worlds:
            units = [unit for unit in self.inputs.units if unit.world is world]
            try:
                with limited(NORMAL.run, NORMAL.run):
                    answers.append(ask(with_all_pods(world, units)))
            except UsedUp:
                raise click.ClickException(
                    "this takes more work than one answer may: give fewer manifests, or an inventory of fewer nodes"
                ) from None
        return answers

    @property
    def code(self) -> int:
        """The exit code: FAILED if something could not be read."""
        whole = all(world.whole for world in self.inputs.worlds) and not any(map(_faults, self.inputs.readings))
        return FAILED if self.inputs.failed or not whole else NOTHING


def _faults(reading: Reading) -> list[Problem]:
    """Return the problems of an unreadable file; a file with a double key is readable."""
    return [problem for problem in reading.problems if not problem.related]


def read(
    paths: Sequence[str], inventories: Sequence[str], config: str | None, renderer: RenderSettings
) -> DeclaredClusters:
    """Read manifests and inventories.

    Raises:
        click.UsageError: no inventory is named.
        click.ClickException: an inventory cannot be used.
    """
    settings = configuration_for(config, paths)
    if not inventories and not settings.inventories:
        raise click.UsageError(f"no cluster is declared: give --inventory FILE, or name one in {NAME}")
    gathered = gather(paths or (".",), inventories, configuration=settings, kustomize=renderer)
    gathered.tell()
    inputs = inputs_of(gathered, inventories, unit="all")
    for world in inputs.worlds:
        tell_errors(world)
    for fault in (fault for reading in inputs.readings for fault in _faults(reading)):
        span = fault.span
        place = f"{fault.path}:{span.line}:{span.column}" if span is not None else fault.path
        complain(place, f"{fault.message}; the rest is counted")
    if not inputs.usable or not inputs.worlds:
        raise click.ClickException("the inventory cannot be used")
    return DeclaredClusters(inputs)
