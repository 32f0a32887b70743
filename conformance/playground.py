"""A control plane to try things on with kubectl, until it is interrupted."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from conformance.control_plane import CONTROLLERS, DidNotStart, start
from conformance.kubelets import Kubelets
from conformance.processes import Supervisor
from conformance.tools import Release

NODES = Path(__file__).parent.parent / "examples" / "tracker" / "nodes.yaml"


def up(release: Release, nodes: Path | None) -> int:
    """Start a control plane with the nodes of a file, say how kubectl reaches it, and keep it until ^C."""
    from kubelint_gpu.documents import items, read

    path = nodes or NODES
    reading = read(str(path), path.read_bytes())
    for problem in reading.problems:
        print(f"{path}: {problem.message}", file=sys.stderr)
        return 1
    supervisor = Supervisor()
    try:
        (plane,) = start(supervisor, release, 1, CONTROLLERS, ())
        for document in reading.documents:
            for item in items(document):
                if item.value.get("kind") == "Node":
                    plane.client.create(item.value)
        kubelets = Kubelets(plane.client)
        try:
            print(f"Kubernetes {release.kubernetes} runs with the nodes of {path}; ^C ends it.")
            print(f"export KUBECONFIG={plane.kubeconfig}", flush=True)
            while not supervisor.dead():
                time.sleep(0.5)
        finally:
            kubelets.stop()
        name = supervisor.dead()[0]
        raise DidNotStart(f"{name} ended\n{supervisor.log(name)}")
    finally:
        supervisor.stop()
