"""`kubelint-gpu init`: an inventory, a baseline, the configuration and the hook of a repository."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from kubelint_gpu.cli.exit_codes import FAILED, NOTHING
from kubelint_gpu.cli.help.manual import ManualCommand
from kubelint_gpu.messages.display import say
from kubelint_gpu.options import option

_INVENTORY = "cluster.yaml"
_BASELINE = ".kubelint-gpu-baseline.json"
_CONFIGURATION = ".kubelint-gpu.yaml"
_HOOK = ".pre-commit-config.yaml"
_DRAFT = """\
# The cluster as kubelint-gpu sees it. Replace the examples by what you have, then name this file in .kubelint-gpu.yaml.
# `kubelint-gpu inventory capture -o cluster.yaml` writes it from a running cluster.
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
kubernetesVersion: "1.34"
nodes:
  - name: gpu-1
    allocatable: {cpu: 32, memory: 125Gi}
    gpus: {model: A100-PCIE-40GB, count: 2}
  - name: worker-1
    allocatable: {cpu: 16, memory: 64Gi}
"""
_REPOSITORY = """\
  - repo: https://github.com/kubelint-gpu/kubelint-gpu
    rev: 451e93dd80a2e60b8f741b564ead913c275a557e # pre-commit autoupdate --bleeding-edge --freeze
    hooks:
      - id: kubelint-gpu
"""


@click.command("init", cls=ManualCommand)
@option("-y", "--yes", is_flag=True, help="Ask nothing: make everything that is missing.")
@option("--draft", is_flag=True, help="Ask no cluster: draft an inventory to fill in.")
@option("--context", default="", metavar="NAME", help="The context of the kubeconfig.  [default: the current one]")
def command(yes: bool, draft: bool, context: str) -> int:
    """Set kubelint-gpu up in this repository.

    It takes the inventory that is there, captures one of the cluster with kubectl, or drafts one. It shows the errors
    that are there, accepts what is found now as a baseline, and writes the configuration and the pre-commit hook. A
    file that is there is left as it is.
    """
    root = _root()
    configured = root / _CONFIGURATION
    if configured.exists():
        say(f"{_CONFIGURATION} is there: it is left as it is, and so are the inventory and the baseline.")
    else:
        found, question = _declared(root), f"Draft {_INVENTORY}, to fill in?"
        inventory = found[0] if len(found) == 1 else "" if found else _captured(context, yes=yes, draft=draft)
        baseline = _baseline(root, inventory, yes=yes)
        if not (found or inventory) and (yes or draft or _agrees(question)):
            _write(root / _INVENTORY, _DRAFT, "is drafted, to be filled in")
        if yes or _agrees(f"Write {_CONFIGURATION}?"):
            _write(configured, _configuration(inventory, baseline))
    _hook(root / _HOOK, yes=yes)
    say("\nNext:")
    for step in _next(root):
        say(f"  {step}")
    return NOTHING


def _agrees(question: str) -> bool:
    """Ask a question; yes is the default.

    Raises:
        click.ClickException: nobody is there to answer.
    """
    try:
        return click.confirm(question, default=True)
    except click.Abort:
        if sys.stdin.isatty():
            raise
        raise click.ClickException("nobody answers: init --yes asks nothing and makes what is missing") from None


def _root() -> Path:
    """Return the root of the repository, which is the working directory.

    Raises:
        click.ClickException: the working directory is another one, or in no repository.
    """
    from kubelint_gpu.sources.checkout import repository_root

    here = Path.cwd()
    root = repository_root(here)
    if not (root / ".git").exists():
        raise click.ClickException("there is no git repository here: run git init, or change to the repository")
    if root != here:
        raise click.ClickException(f"run it at the root of the repository: cd {root}")
    return root


def _declared(root: Path) -> list[str]:
    """Return the files of the repository that declare a cluster, and say which they are."""
    from kubelint_gpu.documents import read
    from kubelint_gpu.inventory.loading import KIND
    from kubelint_gpu.kube.values.plain import mapping
    from kubelint_gpu.messages.wording import listed
    from kubelint_gpu.workspace.project.files_beside import Around, manifests_of

    if (root / _INVENTORY).exists():
        found = [_INVENTORY]
    else:
        files = manifests_of(Around(root, [str(root)]).holding([f"kind: {KIND}"]), ())
        readings = [read(file.path, file.data) for file in files]
        kinds = {one.path: [mapping(document.value).get("kind") for document in one.documents] for one in readings}
        found = sorted(path for path, each in kinds.items() if KIND in each)
    if len(found) == 1:
        say(f"{found[0]} is there: it is taken for the inventory.")
    elif found:
        say(f"{listed(found)} declare clusters: the configuration says which files go to which, with `targets`.")
    return found


def _captured(context: str, *, yes: bool, draft: bool) -> str:
    """Capture an inventory, unless it is not wanted; return its name if that worked. A failure is printed."""
    question = "Capture an inventory of the cluster with kubectl? It only reads."
    if draft or not (yes or _agrees(question)):
        return ""
    from kubelint_gpu.cli.commands.inventory_capture import command as capture

    try:
        failed = _run(capture, ["-o", _INVENTORY, *(("--context", context) if context else ())]) == FAILED
    except click.ClickException as error:
        say(f"No inventory is captured: {error.format_message()}", err=True)
        return ""
    return "" if failed else _INVENTORY


def _baseline(root: Path, inventory: str, *, yes: bool) -> str:
    """Return the name of the baseline; empty if there is none."""
    if (root / _BASELINE).exists():
        return _BASELINE
    from kubelint_gpu.cli.commands.check import command as check
    from kubelint_gpu.sources.files import collect

    if not collect(["."]).files:
        say("There is no manifest yet, so that a baseline would accept nothing.")
        return ""
    arguments = [".", "--isolated", *(("-i", inventory) if inventory else ())]
    _run(check, [*arguments, "--min-severity", "error"])
    question = "Accept what is found now, also what is not shown, and report only what is new (a baseline)?"
    if not (yes or _agrees(question)):
        return ""
    _run(check, [*arguments, "--write-baseline", _BASELINE, "-q"])
    return _BASELINE if (root / _BASELINE).exists() else ""


def _run(command: click.Command, arguments: Sequence[str]) -> object:
    return command.main([*arguments], prog_name="kubelint-gpu", standalone_mode=False)


def _configuration(inventory: str, baseline: str) -> str:
    lines = [
        f"inventory: {inventory}" if inventory else f"# inventory: {_INVENTORY}  # when it says what you have",
        f"baseline: {baseline}" if baseline else f"# baseline: {_BASELINE}",
    ]
    return "".join(f"{line}\n" for line in lines)


def _hook(path: Path, *, yes: bool) -> None:
    """Write the hook; an existing configuration of pre-commit is not changed."""
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else None
    if text is None:
        if yes or _agrees(f"Write {path.name}?"):
            _write(path, f"repos:\n{_REPOSITORY}")
    elif "kubelint-gpu" in text:
        say(f"{path.name} has the hook already.")
    else:
        say(f"{path.name} is there and is left as it is. Add this below repos:\n\n{_REPOSITORY}", nl=False)


def _next(root: Path) -> list[str]:
    """Return what to do next, one step a line."""
    made = [name for name in (_INVENTORY, _BASELINE, _CONFIGURATION, _HOOK) if (root / name).exists()]
    steps = [f"git add {' '.join(made)}", "pre-commit install    # pip install pre-commit, if there is none"]
    text = (root / _CONFIGURATION).read_text(encoding="utf-8") if (root / _CONFIGURATION).is_file() else ""
    if "# inventory:" in text:
        again = f"kubelint-gpu check --write-baseline {_BASELINE}    # what the cluster makes of what is there"
        fill = f"fill in {_INVENTORY}, and name it in" if _INVENTORY in made else "name the inventories in"
        steps = [f"{fill} {_CONFIGURATION}", again, *steps]
    return [*steps, "kubelint-gpu check    # as the hook sees it: no commit is stopped for what the baseline accepts"]


def _write(path: Path, text: str, done: str = "is written") -> None:
    """Write a new file, and say so.

    Raises:
        click.ClickException: it cannot be written.
    """
    from kubelint_gpu.sources.safe_write import NotWritable, write_file

    try:
        write_file(path, text.encode())
    except NotWritable as error:
        raise click.ClickException(f"cannot write {path.name}: {error}") from None
    say(f"{path.name} {done}.")
