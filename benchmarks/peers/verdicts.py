"""Who finds the deadlock of each example: what the linters say of the same manifests."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peers.tools import KUBERNETES, ROOT, cache

# What other linters say about how a workload rolls, spreads or keeps its pods apart.
_ABOUT_ROLLOUT = re.compile(r"strateg|rolling|rollout|surge|unavailable|deadlock", re.IGNORECASE)
_AGAINST = re.compile(r"anti-?affinity|replicas?\b.*(less|one|single|minimum)|use RollingUpdate", re.IGNORECASE)


@dataclass(frozen=True)
class Verdict:
    """What a linter says of an example: `finds`, `advises` (the opposite, or something near) or `silent`."""

    word: str
    detail: str = ""


def examples() -> Iterator[tuple[str, Path, list[Path]]]:
    """Name, inventory and manifests of every example of the repository."""
    for folder in sorted((ROOT / "examples").iterdir()):
        files = sorted(folder.glob("*.yaml"))
        inventories = [path for path in files if _is_inventory(path)]
        manifests = [path for path in files if path not in inventories and "fixed" not in path.name]
        if inventories and manifests:
            yield folder.name, inventories[0], manifests


def ours(inventory: Path, manifests: list[Path]) -> Verdict:
    """This linter's rollout findings and their lines."""
    command = [
        sys.executable,
        "-m",
        "kubelint_gpu",
        "check",
        "--isolated",
        "--output-format",
        "json",
        "--select",
        "KLG1",
    ]
    ran = subprocess.run(
        [*command, "--inventory", str(inventory), *map(str, manifests)], capture_output=True, text=True, check=False
    )
    found = [finding for finding in json.loads(ran.stdout)["findings"] if finding["severity"] != "note"]
    places = sorted({f"{finding['code']} on line {finding['line']}" for finding in found})
    return Verdict("finds" if found else "silent", ", ".join(places))


def kube_score(_inventory: Path, manifests: list[Path]) -> Verdict:
    """kube-score's comments."""
    ran = subprocess.run(
        [str(cache() / "bin/kube-score"), "score", "--output-format", "json", *map(str, manifests)],
        capture_output=True,
        text=True,
        check=False,
    )
    said = [
        f"{entry['check']['name']}: {comment['summary']}"
        for scored in json.loads(ran.stdout or "[]") or []
        for entry in scored["checks"]
        if not entry["skipped"] and entry["grade"] < 10
        for comment in entry["comments"] or ()
    ]
    return _of(said)


def checkov(_inventory: Path, manifests: list[Path]) -> Verdict:
    """checkov's failed checks."""
    files = [part for path in manifests for part in ("-f", str(path))]
    ran = subprocess.run(
        [str(cache() / "python/bin/checkov"), "--framework", "kubernetes", "--skip-download", "-o", "json", *files],
        capture_output=True,
        text=True,
        check=False,
    )
    value = json.loads(ran.stdout or "{}")
    failed = value.get("results", {}).get("failed_checks", []) if isinstance(value, dict) else []
    return _of([check["check_name"] for check in failed])


def kube_linter(_inventory: Path, manifests: list[Path]) -> Verdict:
    """kube-linter's reports."""
    ran = subprocess.run(
        [str(cache() / "bin/kube-linter"), "lint", "--format", "json", *map(str, manifests)],
        capture_output=True,
        text=True,
        check=False,
    )
    reports = json.loads(ran.stdout or "{}").get("Reports") or []
    return _of([f"{report['Check']}: {report['Diagnostic']['Message']}" for report in reports])


def kubeconform(_inventory: Path, manifests: list[Path]) -> Verdict:
    """kubeconform's complaints."""
    schemas = cache() / "schemas" / "{{.NormalizedKubernetesVersion}}/{{.ResourceKind}}{{.KindSuffix}}.json"
    ran = subprocess.run(
        [str(cache() / "bin/kubeconform"), "-strict", "-ignore-missing-schemas", "-kubernetes-version", KUBERNETES,
         "-schema-location", str(schemas), *map(str, manifests)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return _of(ran.stdout.splitlines())


def kubernetes_validate(_inventory: Path, manifests: list[Path]) -> Verdict:
    """kubernetes-validate's complaints."""
    ran = subprocess.run(
        [str(cache() / "python/bin/kubernetes-validate"), "--quiet", "--strict", *map(str, manifests)],
        capture_output=True,
        text=True,
        check=False,
    )
    return _of((ran.stdout + ran.stderr).splitlines())


JUDGES: dict[str, Callable[[Path, list[Path]], Verdict]] = {
    "kubelint-gpu": ours,
    "kube-linter": kube_linter,
    "kubeconform": kubeconform,
    "kube-score": kube_score,
    "checkov": checkov,
    "kubernetes-validate": kubernetes_validate,
}


def _of(said: list[str]) -> Verdict:
    near = sorted({line for line in said if _ABOUT_ROLLOUT.search(line)})
    if near:
        return Verdict("advises", near[0])
    against = sorted({line for line in said if _AGAINST.search(line)})
    if against:
        return Verdict("advises", against[0])
    return Verdict("silent", f"{len(said)} other remarks" if said else "")


def _is_inventory(path: Path) -> bool:
    text = path.read_text()
    return "kind: ClusterInventory" in text or re.search(r"^kind: Node$", text, re.MULTILINE) is not None
