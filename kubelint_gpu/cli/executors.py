"""`--executor`: who judges the files of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from kubelint_gpu.engine.executors.executor import Executor


def executor_at(address: str | None) -> Executor:
    """Who works at an address; without one the processes of this machine.

    Raises:
        click.UsageError: what is needed to ask others is not installed.
    """
    if address is None:
        from kubelint_gpu.engine.executors.processes import Processes, cores

        return Processes(cores())
    try:
        import distributed  # noqa: F401 - whether it is there
    except ImportError:
        raise click.UsageError("--executor needs the library distributed: pip install 'kubelint-gpu[fleet]'") from None
    from kubelint_gpu.engine.executors.fleet import Fleet

    return Fleet(address)
