"""Real YAML: the manifests of well-known modules, as the Go module proxy keeps them."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from pathlib import Path

MODULES = (
    "github.com/prometheus-operator/prometheus-operator@v0.79.2",
    "sigs.k8s.io/kueue@v0.10.0",
    "github.com/ray-project/kuberay/ray-operator@v1.2.2",
    "sigs.k8s.io/cluster-api@v1.9.3",
    "github.com/cert-manager/cert-manager@v1.16.2",
    "github.com/argoproj/argo-cd/v2@v2.13.3",
    "github.com/argoproj/argo-workflows/v3@v3.6.2",
    "sigs.k8s.io/gateway-api@v1.2.1",
)
_RENDERED = ("kustomization.yaml", "kustomization.yml", "Chart.yaml", "Chart.yml")
"""What makes a folder one that is rendered before it is checked: another kind of work, measured by itself."""


def real(folder: Path) -> tuple[Path, list[str]]:
    """A folder with the YAML files of those modules, and the modules that could not be had."""
    target = folder / "real"
    missing_file = folder / "real.missing"
    if target.exists():
        return target, missing_file.read_text().split()
    made, missing = target.with_suffix(".new"), []
    for module in MODULES:
        ran = subprocess.run(
            ["go", "mod", "download", "-json", module], cwd=folder, capture_output=True, text=True, check=False
        )
        source = json.loads(ran.stdout or "{}").get("Dir")
        if ran.returncode or not source:
            missing.append(module)
            continue
        for path in sorted(Path(source).rglob("*.y*ml")):
            if path.name in _RENDERED:
                continue
            kept = made / module.rpartition("@")[0].replace("/", "+") / path.relative_to(source)
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, kept)
    missing_file.write_text("\n".join(missing))
    made.rename(target)
    return target, missing


def copies(corpus: Path, folder: Path, count: int) -> Path:
    """So many files of a folder of real manifests, under other names as often as it takes; none that is rendered."""
    target = folder / f"copies-{count}"
    if target.exists():
        return target
    found = [path for path in sorted(corpus.rglob("*.y*ml")) if path.name not in _RENDERED and path.is_file()]
    made = target.with_suffix(".new")
    for number in range(count):
        kept = made / f"copy-{number // len(found):03}" / f"{number:05}-{found[number % len(found)].name}"
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(found[number % len(found)], kept)
    made.rename(target)
    return target


def pyyaml(folder: Path) -> list[str]:
    """A command that loads every document of a folder with PyYAML's C loader, and goes on where it cannot."""
    return [_LOADER, str(folder)]


def size(folder: Path) -> tuple[int, int]:
    """Files and bytes."""
    sizes = [path.stat().st_size for path in folder.rglob("*.y*ml")]
    return len(sizes), sum(sizes)


def today() -> str:
    """The day of a measurement."""
    return time.strftime("%Y-%m-%d")


_LOADER = """
import sys, yaml
from pathlib import Path
for path in sorted(Path(sys.argv[1]).rglob('*.y*ml')):
    try:
        for _ in yaml.load_all(path.read_bytes(), Loader=yaml.CSafeLoader): pass
    except (yaml.YAMLError, ValueError): pass
"""
