"""`kubelint-gpu lsp`."""

from __future__ import annotations

import os

import click

from kubelint_gpu.cli.help.manual import ManualCommand
from kubelint_gpu.options import option

_EXTRA = "'kubelint-gpu[lsp] @ git+https://github.com/kubelint-gpu/kubelint-gpu'"
_INSTALL = f"pipx install --force {_EXTRA}, or in this environment: pip install {_EXTRA}"


@click.command("lsp", cls=ManualCommand, short_help="Serve an editor: findings, fixes, hover and completion.")
@option(
    "-i",
    "--inventory",
    "inventories",
    multiple=True,
    metavar="FILE",
    help="The declared cluster; may be repeated.  [default: what the configuration names]",
)
@option("--config", "config", metavar="FILE", help="The configuration.  [default: the nearest one above each file]")
@option("--isolated", is_flag=True, help="Read no configuration.")
@option("--stdio", is_flag=True, help="Talk over standard input and output, as it always does.")
def command(inventories: tuple[str, ...], config: str | None, isolated: bool, stdio: bool) -> None:  # noqa: ARG001
    """Serve an editor over the Language Server Protocol, on standard input and output.

    Editors start this command by themselves; docs/editors.md says how to tell them.
    """
    try:
        from kubelint_gpu.lsp.server import serve
        from kubelint_gpu.lsp.session import SessionSettings
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("kubelint_gpu"):
            raise
        raise click.ClickException(f"the language server needs one more library ({error.name}): {_INSTALL}") from None
    serve(
        SessionSettings(
            tuple(os.path.realpath(path) for path in inventories), os.path.realpath(config) if config else "", isolated
        )
    )
