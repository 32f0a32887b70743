"""`kubelint-gpu inventory capture`."""

from __future__ import annotations

import click

from kubelint_gpu.cli.exit_codes import FAILED, NOTHING
from kubelint_gpu.cli.help.manual import ManualCommand
from kubelint_gpu.messages.printing import say
from kubelint_gpu.options import option


@click.command("capture", cls=ManualCommand)
@option("--context", default="", metavar="NAME", help="The context of the kubeconfig.  [default: the current one]")
@option("--kubeconfig", default="", metavar="FILE", help="The kubeconfig.  [default: kubectl's]")
@option("--anonymize", is_flag=True, help="Pseudonyms in place of names, with the same verdicts.")
@option(
    "--leave-out", multiple=True, metavar="RESOURCE", help="Do not ask for this, such as csinodes; may be repeated."
)
@option("-o", "--output", default="-", metavar="FILE", help="Where to write it.  [default: standard output]")
def command(context: str, kubeconfig: str, anonymize: bool, leave_out: tuple[str, ...], output: str) -> int:
    """Write an inventory of a running cluster.

    It is asked with kubectl and nothing of it is changed. Only what decides placement is kept: no environment, image,
    command, annotation, address or secret.
    """
    from kubelint_gpu.documents import read
    from kubelint_gpu.inventory import load
    from kubelint_gpu.inventory.capture.capturing import captured
    from kubelint_gpu.messages.wording import counted
    from kubelint_gpu.sources.kubectl import KubectlError, ask
    from kubelint_gpu.sources.programs import keep_out
    from kubelint_gpu.workspace.cluster_context import ClusterContext
    from kubelint_gpu.workspace.project.worlds import complain, tell_errors

    keep_out([output])
    without = [_resource(name) for name in leave_out]
    try:
        answers = ask(context=context, kubeconfig=kubeconfig, without=without)
    except KubectlError as error:
        raise click.ClickException(str(error)) from None
    for name in answers.unknown:
        complain(name, "left out: this server does not have it")
    for name in without:
        complain(name, "left out, as asked: verdicts that depend on it may be wrong")
    text = captured(answers, anonymize=anonymize)
    if "\ncomplete: false\n" in text:
        complain(
            "complete: false",
            "something adds nodes to this cluster when pods wait; pools say how far (docs/inventory.md)",
        )
    _write(text, output)
    inventory, errors = load((read(output, text.encode()),))
    tell_errors(ClusterContext(inventory, (), errors))
    if output != "-":
        nodes, pods = (counted(len([*inventory.of_kind(kind)]), kind.lower()) for kind in ("Node", "Pod"))
        complain(output, f"{nodes}, {pods}; kubelint-gpu inventory show {output} shows them")
    return FAILED if any(error.severity == "error" for error in errors) else NOTHING


def _resource(name: str) -> str:
    import difflib

    from kubelint_gpu.sources.kubectl import RESOURCES

    found = [known for known in RESOURCES if name.lower() in (known, known.partition(".")[0])]
    if not found:
        near = difflib.get_close_matches(name.lower(), [known.partition(".")[0] for known in RESOURCES], 1, 0.5)
        hint = f"; did you mean {near[0]}?" if near else f"; asked for are {', '.join(RESOURCES)}"
        raise click.BadParameter(f'"{name}" is not asked for{hint}', param_hint="--leave-out")
    if found[0] in ("nodes", "pods"):
        raise click.BadParameter(f"without {found[0]} there is no inventory", param_hint="--leave-out")
    return found[0]


def _write(text: str, output: str) -> None:
    """All of it or nothing, so that a run that fails leaves the old inventory as it was."""
    from pathlib import Path

    from kubelint_gpu.sources.safe_write import NotWritable, write_file

    if output == "-":
        say(text, nl=False)
        return
    try:
        write_file(Path(output), text.encode())
    except NotWritable as error:
        raise click.ClickException(f"cannot write {output}: {error}") from None
