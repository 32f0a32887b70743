"""A Kustomize tree: rendered, checked, and each finding led back to the line that set the field.

The others read what is rendered, and say where in the rendered text: they are measured behind `kustomize build`.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from benchmarks.peers.tools import Peer, kustomize

BUILD = "kustomize build, and nothing else"
_READERS = {"kubeconform": "-", "kube-score": "-"}
"""The linters that read standard input, and how that is written."""


def commands(found: Sequence[Peer], cache: Path, tree: Path) -> dict[str, list[str]]:
    """What is called, by its name: every overlay once.

    Raises:
        NotInstalled: there is no kustomize.
    """
    binary = str(kustomize())
    overlays = sorted(path.parent for path in tree.glob("overlays/*/kustomization.yaml"))
    called = {BUILD: _each(binary, overlays)}
    for peer in found:
        if peer.source == "self":
            called[peer.name] = peer.command(cache, [str(tree), "--kustomize", binary])
        elif peer.name in _READERS:
            called[f"kustomize build, then {peer.name}"] = _each(
                binary, overlays, shlex.join(peer.command(cache, [_READERS[peer.name]]))
            )
    return called


def _each(binary: str, overlays: Sequence[Path], reader: str = "") -> list[str]:
    calls = [shlex.join([binary, "build", str(overlay)]) + (f" | {reader}" if reader else "") for overlay in overlays]
    return ["sh", "-c", "; ".join(calls)]
