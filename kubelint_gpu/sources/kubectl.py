"""Objects and version of a running cluster, read with the user's own kubectl; nothing is changed."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Sequence
from typing import Any

from kubelint_gpu.sources import children
from kubelint_gpu.sources.children import ChildError, Limits
from kubelint_gpu.sources.programs import find, search_path
from kubelint_gpu.values import Value

# what an inventory is made of, with the group that serves it
RESOURCES = (
    "nodes",
    "pods",
    "namespaces",
    "limitranges",
    "persistentvolumeclaims",
    "persistentvolumes",
    "resourcequotas",
    "csidrivers.storage.k8s.io",
    "csinodes.storage.k8s.io",
    "csistoragecapacities.storage.k8s.io",
    "deviceclasses.resource.k8s.io",
    "devicetaintrules.resource.k8s.io",
    "poddisruptionbudgets.policy",
    "priorityclasses.scheduling.k8s.io",
    "resourceclaims.resource.k8s.io",
    "resourceclaimtemplates.resource.k8s.io",
    "resourceslices.resource.k8s.io",
    "runtimeclasses.node.k8s.io",
    "storageclasses.storage.k8s.io",
    "volumeattachments.storage.k8s.io",
)
_NEEDED = ("nodes", "pods")
_LIMITS = Limits(seconds=300, output=512 << 20, memory=8 << 30)


class KubectlError(Exception):
    """The cluster did not answer; the message says why."""


class Answers(Value):
    """The answers of a cluster.

    Attributes:
        objects: the objects of all resources asked for.
        version: the version of the API server, for example `v1.34.1`; empty if unknown.
        context: the name of the context that kubectl used.
        unknown: resources that this server does not serve.
    """

    objects: tuple[dict[str, Any], ...]
    version: str
    context: str
    unknown: tuple[str, ...]


def ask(*, context: str = "", kubeconfig: str = "", without: Collection[str] = ()) -> Answers:
    """List the objects of all resources that an inventory needs, except those in `without`.

    Raises:
        KubectlError: kubectl is missing, cannot reach the cluster, or may not list a resource.
    """
    # each option is one argument, so that a name that looks like an option is none
    flags = [f"--{name}={value}" for name, value in (("context", context), ("kubeconfig", kubeconfig)) if value]
    served = set(_run(["api-resources", "--verbs=list", "--output=name"], flags, partly=True).decode().split())
    if not served.issuperset(_NEEDED):
        raise KubectlError("the server does not say that it serves nodes and pods: is it an API server of Kubernetes?")
    wanted = [name for name in RESOURCES if name not in without]
    asked = [name for name in wanted if name in served]
    listed = _json(_run(["get", ",".join(asked), "--all-namespaces", "--output=json"], flags))
    items = listed.get("items") if isinstance(listed, dict) else None
    if not isinstance(items, list):
        raise KubectlError("kubectl gave no list of objects")
    version = _json(_run(["version", "--output=json"], flags, partly=True))
    server = version.get("serverVersion") if isinstance(version, dict) else None
    current = context or _run(["config", "current-context"], flags, partly=True).decode(errors="replace").strip()
    return Answers(
        objects=tuple(item for item in items if isinstance(item, dict)),
        version=str(server.get("gitVersion", "")) if isinstance(server, dict) else "",
        context=current,
        unknown=tuple(name for name in wanted if name not in served),
    )


def _json(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise KubectlError("kubectl gave something else than JSON") from None


def _run(arguments: Sequence[str], flags: Sequence[str], *, partly: bool = False) -> bytes:
    """Return the output of kubectl; with `partly` even if kubectl also reports errors."""
    program = find("kubectl")
    if program is None:
        raise KubectlError("kubectl is not installed")
    timeout = [] if arguments[0] == "config" else ["--request-timeout=60s"]
    try:
        # kubectl looks up programs that the kubeconfig names; without a session of its own they may ask at the terminal
        environment = {**os.environ, "PATH": os.pathsep.join(search_path())}
        command = [program, *arguments, *timeout, *flags]
        ran = children.run(command, _LIMITS, environment=environment, session=False)
    except ChildError as error:
        raise KubectlError(str(error)) from None
    if ran.failed and not (partly and ran.output.strip()):
        if partly and arguments[0] == "config":
            return b""
        raise KubectlError(_complaint(ran.error))
    return ran.output


def _complaint(text: str) -> str:
    lines = [line.removeprefix("error: ").removeprefix("Error from server ") for line in text.splitlines() if line]
    # klog's lines come before kubectl's own sentence and say the same with more noise
    told = [line for line in lines if line[:1] not in "EWIF" or not line[1:5].isdigit()] or lines
    shown = "\n  ".join(told[:20]) or "kubectl failed and did not say why"
    if any("Forbidden" in line or "forbidden" in line for line in told):
        return f"{shown}\n  docs/inventory.md has a ClusterRole that allows it; --leave-out RESOURCE asks for less"
    return shown
