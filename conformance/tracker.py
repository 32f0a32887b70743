"""The case that started the project, as a person meets it: kubectl, an event, the linter, its fix, kubectl again."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from conformance.api_client import Object
from conformance.control_plane import ControlPlane
from conformance.kubelets import Kubelets
from conformance.linter import check
from conformance.rollout_case import Case
from conformance.rollout_run import Run

_FILES = Path(__file__).parent / "cases" / "tracker"


def played(plane: ControlPlane, kubelets: Kubelets, kubectl: str) -> Object:
    """What happened: the outcome of the rollout, the event, the linter's text, and the outcome with its fix."""
    from kubelint_gpu.documents import items, read

    def objects(path: Path, kind: str) -> tuple[Object, ...]:
        reading = read(str(path), path.read_bytes())
        found = tuple(item.value for document in reading.documents for item in items(document))
        return tuple(each for each in found if each["kind"] == kind)

    nodes, manifest = _FILES / "nodes.yaml", _FILES / "tracker.yaml"
    deployments = objects(manifest, "Deployment")
    case = Case("tracker", (), deployments, deployments)
    run = Run(plane.client, kubelets, case, sure=True)
    for each in objects(nodes, "Node"):
        plane.client.create(each)
    _kubectl(kubectl, plane, "create", "namespace", "vision")
    _kubectl(kubectl, plane, "apply", "-f", str(manifest))
    first = run.followed()
    with tempfile.TemporaryDirectory(prefix="kubelint-gpu-") as name:
        changed = Path(name) / "tracker.yaml"
        changed.write_text(manifest.read_text(encoding="utf-8").replace(":1.0", ":1.1"), encoding="utf-8")
        report = check(
            changed.parent, [str(changed), "--inventory", str(nodes), "--isolated", "--output-format", "json"]
        )
        foretold = [finding["scheduler"] for finding in report["findings"] if finding.get("scheduler")]
        _kubectl(kubectl, plane, "apply", "-f", str(changed))
        stuck = run.followed()
        events = plane.client.list("Event", "vision", fieldSelector="reason=FailedScheduling")
        check(
            changed.parent, [str(changed), "--inventory", str(nodes), "--isolated", "--fix", "--output-format", "json"]
        )
        _kubectl(kubectl, plane, "apply", "-f", str(changed))
        repaired = run.followed()
    return {
        "before": first["outcome"],
        "changed": stuck["outcome"],
        "events": sorted({event["message"] for event in events}),
        "foretold": foretold,
        "fixed": repaired["outcome"],
    }


def right(answer: Object) -> bool:
    """Whether everything went as the linter says."""
    outcomes = (answer["before"], answer["changed"], answer["fixed"])
    return (
        outcomes == ("complete", "stuck", "complete")
        and bool(answer["foretold"])
        and (set(answer["foretold"]) <= set(answer["events"]))
    )


def kubectl_path(built: str) -> str:
    """The machine's own kubectl, else the one that was built."""
    return shutil.which("kubectl") or built


def _kubectl(kubectl: str, plane: ControlPlane, *arguments: str) -> None:
    command: Sequence[str] = [
        kubectl,
        f"--kubeconfig={plane.kubeconfig}",
        f"--cache-dir={plane.kubeconfig.parent}/kubectl-cache",
        *arguments,
    ]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=60)
