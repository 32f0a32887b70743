"""The linters that are compared: where they come from, how they are called, what they look at."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KUBERNETES = "1.34.0"
KUSTOMIZE = ("sigs.k8s.io/kustomize/kustomize/v5", "v5.8.2")
# What each of them looks at, in their own documentation's terms; cluster = knows nodes, rollout = simulates one.
_SHARED = "/api/_definitions.json#"
_SCHEMAS = "{{.NormalizedKubernetesVersion}}/{{.ResourceKind}}{{.KindSuffix}}.json"


class NotInstalled(Exception):  # noqa: N818 - it says what happened
    """A tool cannot be had here; the message says why."""


@dataclass(frozen=True)
class Peer:
    """One linter.

    Attributes:
        name: what it is called.
        version: the release that is compared.
        source: `go`, `pypi`, `self`, or `given`: its program is put into the folder `bin` of the cache by hand.
        package: what is installed: the Go package behind its module, or the requirement.
        looks_at: what it checks.
        blind_to: what it does not.
        command: the call for some files.
    """

    name: str
    version: str
    source: str
    package: str
    looks_at: str
    blind_to: str
    command: Callable[[Path, Sequence[str]], list[str]]


def peers() -> tuple[Peer, ...]:
    """All of them, this linter first."""
    return (
        Peer(
            "kubelint-gpu",
            "this tree",
            "self",
            "",
            "fields, values, placement, rollouts against a declared cluster",
            "security and style advice",
            lambda cache, files: [
                str(cache / "self/bin/kubelint-gpu"),
                "check",
                "--isolated",
                "--no-cache",
                "--exit-zero",
                *_inventory(),
                *files,
            ],
        ),
        Peer(
            "kube-linter",
            "v0.8.3",
            "given",
            "",
            "security and production advice, dangling references",
            "the cluster, rollouts, lines",
            lambda cache, files: [str(cache / "bin/kube-linter"), "lint", *files],
        ),
        Peer(
            "kubeconform",
            "v0.7.0",
            "go",
            "github.com/yannh/kubeconform cmd/kubeconform",
            "schemas",
            "everything that a schema does not say, lines",
            lambda cache, files: [
                str(cache / "bin/kubeconform"),
                "-strict",
                "-ignore-missing-schemas",
                "-n",
                str(os.cpu_count() or 1),
                "-kubernetes-version",
                KUBERNETES,
                "-schema-location",
                str(cache / "schemas" / _SCHEMAS),
                *files,
            ],
        ),
        Peer(
            "kube-score",
            "v1.20.0",
            "go",
            "github.com/zegl/kube-score cmd/kube-score",
            "security and reliability advice",
            "the cluster, rollouts, most lines",
            lambda cache, files: [str(cache / "bin/kube-score"), "score", "--output-format", "ci", *files],
        ),
        Peer(
            "polaris",
            "v0.0.0-72aab8945316",
            "go",
            "github.com/fairwindsops/polaris .",
            "security, efficiency and reliability advice",
            "the cluster, rollouts, lines",
            lambda cache, files: [
                str(cache / "bin/polaris"),
                "audit",
                "--format",
                "json",
                *(f"--audit-path={name}" for name in files),
            ],
        ),
        Peer(
            "checkov",
            "3.2",
            "pypi",
            "checkov~=3.2",
            "security advice",
            "the cluster, rollouts",
            lambda cache, files: [
                str(cache / "python/bin/checkov"),
                "--framework",
                "kubernetes",
                "--compact",
                "--quiet",
                "--skip-download",
                *(part for name in files for part in (("-d" if Path(name).is_dir() else "-f"), name)),
            ],
        ),
        Peer(
            "kubernetes-validate",
            "1.37",
            "pypi",
            "kubernetes-validate>=1.34",
            "schemas",
            "everything that a schema does not say, custom resources",
            lambda cache, files: [
                str(cache / "python/bin/kubernetes-validate"),
                "--quiet",
                "--strict",
                "-k",
                KUBERNETES,
                *_each(files),
            ],
        ),
    )


def cache() -> Path:
    """Where the tools are kept; `KUBELINT_GPU_PEERS_CACHE` moves it."""
    given = os.environ.get("KUBELINT_GPU_PEERS_CACHE")
    return Path(given) if given else Path.home() / ".cache" / "kubelint-gpu-peers"


def install(peer: Peer) -> str:
    """Install one of them and give its version.

    Raises:
        NotInstalled: it cannot be had.
    """
    if peer.source == "self":
        _self()
    elif peer.source == "go":
        _go(peer)
    elif peer.source == "pypi":
        _pypi(peer)
    elif not (cache() / "bin" / peer.name).exists():
        raise NotInstalled(f"its module cannot be had; put a program of {peer.version} into {cache() / 'bin'}")
    if peer.name == "kubeconform":
        _schemas()
    return _version(peer)


def _self() -> None:
    """This tree as a user has it: from a wheel, with its bytecode; an editable installation may compile at every start."""
    python = cache() / "self"
    if not python.exists():
        _run([sys.executable, "-m", "venv", str(python)], cache().parent)
    _run([str(python / "bin/pip"), "install", "--quiet", "--compile", str(ROOT)], python)
    _run(
        [str(python / "bin/pip"), "install", "--quiet", "--compile", "--no-deps", "--force-reinstall", str(ROOT)],
        python,
    )


def _go(peer: Peer) -> None:
    module, _, package = peer.package.partition(" ")
    binary = cache() / "bin" / peer.name
    if binary.exists():
        return
    if shutil.which("go") is None:
        raise NotInstalled("Go is not installed")
    folder = cache() / "go" / peer.name
    folder.mkdir(parents=True, exist_ok=True)
    binary.parent.mkdir(parents=True, exist_ok=True)
    if not (folder / "go.mod").exists():
        _run(["go", "mod", "init", "peer"], folder)
    _run(["go", "get", f"{module}@{peer.version}"], folder)
    _run(["go", "build", "-mod=mod", "-o", str(binary), f"{module}/{package}".removesuffix("/.")], folder)


def kustomize() -> Path:
    """The kustomize that renders the tree that is measured.

    Raises:
        NotInstalled: it cannot be had.
    """
    package, version = KUSTOMIZE
    binary = cache() / "bin" / "kustomize"
    if not binary.exists():
        folder = cache() / "go" / "kustomize"
        folder.mkdir(parents=True, exist_ok=True)
        binary.parent.mkdir(parents=True, exist_ok=True)
        if not (folder / "go.mod").exists():
            _run(["go", "mod", "init", "peer"], folder)
        _run(["go", "get", f"{package}@{version}"], folder)
        _run(["go", "build", "-mod=mod", "-o", str(binary), package], folder)
    return binary


def _pypi(peer: Peer) -> None:
    python = cache() / "python"
    if not python.exists():
        _run([sys.executable, "-m", "venv", str(python)], cache().parent)
    if not (python / "bin" / peer.name).exists():
        _run([str(python / "bin/pip"), "install", "--quiet", peer.package], python)


def _run(command: list[str], folder: Path) -> None:
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if ran.returncode:
        lines = [line for line in ran.stderr.splitlines() if line.strip()]
        raise NotInstalled(f"{' '.join(command[:3])} failed: {_without_hosts(lines[-1]) if lines else ran.returncode}")


def _without_hosts(line: str) -> str:
    """A line of an error without addresses: which mirror somebody uses is nobody's business."""
    return " ".join(word for word in line.split() if "://" not in word)


def _version(peer: Peer) -> str:
    if peer.source == "self":
        from kubelint_gpu.version import __version__

        return __version__
    if peer.source in ("go", "given"):
        return peer.version
    command = [str(cache() / "python/bin/python"), "-c", _METADATA, peer.name]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


_METADATA = "import sys; from importlib.metadata import version; print(version(sys.argv[1]))"


def _schemas() -> None:
    """Schemas for kubeconform, which fetches them from the network by itself: those of kubernetes-validate, each whole."""
    folder = cache() / "schemas" / f"v{KUBERNETES}"
    if folder.exists():
        return
    _pypi(next(peer for peer in peers() if peer.name == "kubernetes-validate"))
    found = next((cache() / "python").rglob(f"kubernetes-json-schema/v{KUBERNETES}-local-strict"))
    definitions = json.loads((found / "_definitions.json").read_text().replace(_SHARED, "#"))["$defs"]
    written = folder.with_suffix(".new")
    written.mkdir(parents=True, exist_ok=True)
    for path in sorted(found.glob("*.json")):
        schema = json.loads(path.read_text().replace(_SHARED, "#"))
        if "x-kubernetes-group-version-kind" in schema:
            schema["$defs"] = _needed(schema, definitions)
            schema.pop("$id", None)
            (written / path.name).write_text(json.dumps(schema))
    written.rename(folder)


def _needed(schema: dict, definitions: dict) -> dict:
    found: dict = {}
    queue = [schema]
    while queue:
        for name in _references(queue.pop()):
            if name not in found and name in definitions:
                found[name] = definitions[name]
                queue.append(definitions[name])
    return found


def _references(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, entry in value.items():
            if key == "$ref" and isinstance(entry, str):
                yield entry.rpartition("/")[2]
            else:
                yield from _references(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from _references(entry)


def _inventory() -> list[str]:
    return ["--inventory", str(ROOT / "examples/tracker/nodes.yaml")]


def _each(names: Sequence[str]) -> Iterator[str]:
    """Files, for a tool that takes no folders."""
    for name in names:
        if Path(name).is_dir():
            yield from (str(path) for path in sorted(Path(name).rglob("*.y*ml")))
        else:
            yield name
