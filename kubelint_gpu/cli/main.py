"""The command group; a command is imported when it is called."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module

import click

from kubelint_gpu.cli.exit_codes import FAILED, INTERRUPTED, NOTHING
from kubelint_gpu.cli.help.manual import ManualGroup
from kubelint_gpu.messages.display import say, visible
from kubelint_gpu.options import option
from kubelint_gpu.version import __version__

_TRACEBACK = "KUBELINT_GPU_TRACEBACK"
_VERBOSE = "kubelint_gpu.verbose"
COMPLETE = "_KUBELINT_GPU_COMPLETE"
"""The environment variable with which a shell asks for completions."""
_COMMANDS = {
    "cache": "Show and empty the stored results of earlier runs.",
    "capacity": "Compare what is declared with what the cluster has.",
    "check": "Check manifests against a declared cluster.",
    "config": "Describe the configuration.",
    "drain": "Show where the pods of a node would go.",
    "explain": "Show a rule's page, or why a workload fits where it fits.",
    "init": "Set kubelint-gpu up in this repository.",
    "inventory": "Show, validate, capture and compare inventories.",
    "lsp": "Serve an editor: findings, fixes, hover and completion.",
    "report": "Merge the reports of several jobs.",
    "rules": "List the rules.",
}


class _Group(ManualGroup):
    """Knows its commands by name and imports only the called command."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Return the names of the commands, sorted."""
        return sorted(_COMMANDS)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        """Return the command of a name; None if there is none."""
        if name not in _COMMANDS:
            return None
        command: click.Command = import_module(f"kubelint_gpu.cli.commands.{name}").command
        return command

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(_COMMANDS.items()))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write examples, exit codes, environment variables and files."""
        from kubelint_gpu.cli.help.manual import CHECKED, ENVIRONMENT, EXAMPLES, write_examples, write_list

        write_examples(EXAMPLES[""], ctx, formatter)
        write_list("Exit codes", CHECKED, formatter)
        write_list("Environment", ENVIRONMENT, formatter)
        files = ((".kubelint-gpu.yaml", "settings, the nearest one upward within the repository"),)
        write_list("Files", files, formatter)


def _version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from kubelint_gpu.documents.parser import parser_name

        say(f"kubelint-gpu {__version__} (YAML parser: {parser_name()}; Python {sys.version.split()[0]})")
        for renderer in _renderers() if ctx.meta.get(_VERBOSE) else ():
            say(renderer)
        ctx.exit()


def _verbose(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    ctx.meta[_VERBOSE] = value


def _renderers() -> Iterator[str]:
    """Yield the version and the command of each program that renders."""
    from kubelint_gpu.sources.helm import helm_program
    from kubelint_gpu.sources.kustomize import program
    from kubelint_gpu.sources.rendering_program import ProgramError

    try:
        kustomize = program.find_program()
        yield f"kustomize: {program.version(kustomize)} ({' '.join(kustomize.command)})"
    except ProgramError:
        yield "kustomize: neither kustomize nor kubectl is on the PATH"
    try:
        helm = helm_program.find_helm()
        yield f"helm: {helm_program.version(helm)} ({helm.path})"
    except ProgramError:
        yield "helm: there is no helm on the PATH"


@click.group(cls=_Group)
@option("--version", is_flag=True, expose_value=False, callback=_version, help="Show the version.")
@option(
    "-v",
    "--verbose",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_verbose,
    help="With --version: show also which kustomize and helm render.",
)
def main() -> None:
    """Find GPU rollouts that can never end, before kubectl apply.

    kubelint-gpu reads Kubernetes manifests and a declared cluster inventory, and says what kube-scheduler and the
    workload controllers would do with them.
    """


def _program() -> str:
    """Return the command that the user typed: kubectl runs plugins under their own names."""
    return "kubectl lint-gpu" if os.path.basename(sys.argv[0]).startswith("kubectl-") else "kubelint-gpu"  # noqa: PTH119


def invoke(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit code. A user never sees a traceback."""
    try:
        result = main.main(args=list(arguments), prog_name=_program(), complete_var=COMPLETE, standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        say(error.format_message())
        return FAILED
    except click.ClickException as error:
        shown = io.StringIO()
        error.show(shown)
        say(visible(shown.getvalue(), keep="\n"), err=True, nl=False)
        return FAILED
    except (click.Abort, KeyboardInterrupt):
        say("interrupted", err=True)
        return INTERRUPTED
    except BrokenPipeError:
        # the reader of the pipe is gone; the buffered rest must not raise again at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except Exception as error:
        if os.environ.get(_TRACEBACK):
            raise
        say(f"kubelint-gpu: internal error: {type(error).__name__}: {visible(str(error))}", err=True)
        say(f"kubelint-gpu: please report it with the output of the same command under {_TRACEBACK}=1", err=True)
        return FAILED
    return result if isinstance(result, int) else NOTHING
