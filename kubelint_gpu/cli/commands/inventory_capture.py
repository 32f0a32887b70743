"""`kubelint-gpu inventory capture`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from kubelint_gpu.cli.exit_codes import FAILED, NOTHING
from kubelint_gpu.cli.help.manual import ManualCommand
from kubelint_gpu.documents.emitter import block_lines
from kubelint_gpu.inventory.capture.pruning import SHAPES, pruned
from kubelint_gpu.inventory.capture.pseudonyms import Pseudonyms
from kubelint_gpu.inventory.kubernetes_version import cluster_version
from kubelint_gpu.inventory.view.node_rows import natural
from kubelint_gpu.messages.display import say
from kubelint_gpu.options import option
from kubelint_gpu.sources.kubectl import Answers
from kubelint_gpu.version import PROJECT_URL

_MODELINE = f"# yaml-language-server: $schema={PROJECT_URL.replace('github.com', 'raw.githubusercontent.com')}"
_SCHEMA = "/main/kubelint_gpu/inventory/file.schema.json"
# what a reader looks for first
_FIRST = ("Node", "PriorityClass", "Namespace", "ResourceQuota", "LimitRange")
_LAST = ("Pod",)

_APP_LABELS = ("app.kubernetes.io/name", "app", "k8s-app")
_AUTOSCALERS = ("cluster-autoscaler", "aws-cluster-autoscaler", "karpenter")
_AUTOSCALED = ("karpenter.sh/nodepool", "eks.amazonaws.com/compute-type")


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


def captured(answers: Answers, *, anonymize: bool = False) -> str:
    """Return the text of an inventory: the fields that decide placement, in a fixed order.

    Names are pseudonyms if asked for. It has `complete: false` if something adds nodes when pods are pending.
    """
    objects = [kept for kept in map(pruned, answers.objects) if kept is not None]
    settings: dict[str, Any] = {}
    if answers.context and not anonymize:
        settings["metadata"] = {"name": answers.context}
    version = cluster_version(answers.version, ()) if answers.version else None
    if version is not None:
        settings["kubernetesVersion"] = version
    if grows(objects):
        settings["complete"] = False
    if anonymize:
        names = Pseudonyms(objects)
        objects = [names.renamed(value) for value in objects]
    return inventory_text(settings, objects)


def grows(objects: list[dict[str, Any]]) -> bool:
    """Whether something in the cluster adds nodes: a running autoscaler, or nodes with an autoscaler's label."""
    for value in objects:
        labels = value.get("metadata", {}).get("labels", {})
        if value["kind"] == "Node" and any(label in labels for label in _AUTOSCALED):
            return True
        if value["kind"] == "Pod" and any(labels.get(label) in _AUTOSCALERS for label in _APP_LABELS):
            return True
    return False


def inventory_text(settings: dict[str, Any], objects: Iterable[dict[str, Any]]) -> str:
    """Return a `ClusterInventory` with the settings, then the objects by kind, namespace and name."""
    whole = {"apiVersion": "kubelint-gpu/v1", "kind": "ClusterInventory", **settings}
    documents = [whole, *sorted(objects, key=_order)]
    texts = ("\n".join(block_lines(document)) for document in documents)
    return f"{_MODELINE}{_SCHEMA}\n" + "\n---\n".join(texts) + "\n"


def _order(value: dict[str, Any]) -> tuple[Any, ...]:
    metadata = value.get("metadata", {})
    return _rank(value["kind"]), natural(str(metadata.get("namespace", ""))), natural(str(metadata.get("name", "")))


def _rank(kind: str) -> int:
    middle = sorted(kind for kind in SHAPES if kind not in (*_FIRST, *_LAST))
    return (*_FIRST, *middle, *_LAST).index(kind)
