"""The programs of one Kubernetes release, built from the Go module proxy into a folder outside the repository."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_VERSIONS = Path(__file__).parent / "versions"
_KWOK = Path(__file__).parent / "kwok"
_STAMPED = ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")


class BuildFailed(RuntimeError):
    """A tool could not be built; the message says how to see why."""


@dataclass(frozen=True, slots=True)
class Release:
    """A folder below `versions/`: a Go module that pins every tool of one Kubernetes minor release.

    Attributes:
        name: `1.34`.
        kubernetes: the exact release, `1.34.1`, as `go.mod` pins it.
    """

    name: str
    kubernetes: str

    @property
    def module(self) -> Path:
        """Where the Go module is."""
        return _VERSIONS / self.name

    @property
    def programs(self) -> Path:
        """Where its built programs are."""
        return cache() / self.name / "bin"

    def program(self, name: str) -> str:
        """The path of a built program."""
        return str(self.programs / name)


def cache() -> Path:
    """The folder for module downloads, build results and running control planes.

    `KUBELINT_GPU_CONFORMANCE_CACHE` moves it.
    """
    given = os.environ.get("KUBELINT_GPU_CONFORMANCE_CACHE")
    return Path(given) if given else Path.home() / ".cache" / "kubelint-gpu-conformance"


def releases() -> tuple[str, ...]:
    """The releases that there are modules for, oldest first."""
    found = [entry.name for entry in _VERSIONS.iterdir() if (entry / "go.sum").is_file()]
    return tuple(sorted(found, key=lambda name: [int(part) for part in name.split(".")]))


def release(name: str) -> Release:
    """The release of a name, `1.34`.

    Raises:
        BuildFailed: there is no such folder, or its module does not pin Kubernetes.
    """
    go_mod = _VERSIONS / name / "go.mod"
    if not go_mod.is_file():
        raise BuildFailed(f"no release {name}; there are {', '.join(releases())}")
    for line in go_mod.read_text(encoding="utf-8").splitlines():
        words = line.replace("require ", "").split()
        if len(words) >= 2 and words[0] == "k8s.io/kubernetes" and words[1].startswith("v"):
            return Release(name, words[1][1:])
    raise BuildFailed(f"{go_mod} does not pin k8s.io/kubernetes")


def packages() -> tuple[str, ...]:
    """What is built of a release; kubectl only where the machine has none."""
    wanted = [
        "./etcd",
        *(f"k8s.io/kubernetes/cmd/kube-{name}" for name in ("apiserver", "scheduler", "controller-manager")),
    ]
    if shutil.which("kubectl") is None:
        wanted.append("k8s.io/kubernetes/cmd/kubectl")
    return tuple(wanted)


def build(chosen: Release) -> float:
    """Build what is missing of a release, or was built from another `go.sum`; the seconds that it took.

    Raises:
        BuildFailed: Go is missing, or a build ended with an error.
    """
    started = time.monotonic()
    for package in packages():
        _built(chosen.module, package, chosen.programs, _stamp(chosen))
    return time.monotonic() - started


def build_kwok() -> str:
    """Build kwok where it is missing; its path.

    It is a module of its own: it needs other versions of the client libraries than the control plane.

    Raises:
        BuildFailed: Go is missing, or the build ended with an error.
    """
    _built(_KWOK, "sigs.k8s.io/kwok/cmd/kwok", cache() / "kwok" / "bin", "-s -w")
    return str(cache() / "kwok" / "bin" / "kwok")


def _stamp(chosen: Release) -> str:
    """Linker flags with which the programs say which release they are."""
    major, minor = chosen.kubernetes.split(".")[:2]
    says = {
        "gitVersion": f"v{chosen.kubernetes}",
        "gitMajor": major,
        "gitMinor": minor,
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
    }
    return " ".join(["-s -w", *(f"-X {where}.{key}={text}" for where in _STAMPED for key, text in says.items())])


def _built(module: Path, package: str, programs: Path, flags: str) -> None:
    name = package.rsplit("/", 1)[-1]
    pinned = hashlib.sha256((module / "go.sum").read_bytes() + flags.encode()).hexdigest()
    receipt = programs / f".{name}.built-from"
    if receipt.is_file() and receipt.read_text(encoding="utf-8") == pinned and (programs / name).is_file():
        return
    go = shutil.which("go")
    if go is None:
        raise BuildFailed("Go is not installed")
    print(f"building {name}", file=sys.stderr, flush=True)
    programs.mkdir(parents=True, exist_ok=True)
    command = [go, "build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", f"{programs}/", package]
    if _run(["nice", "-n", "19", *command], module):
        raise BuildFailed(f"{package} did not build in {module}")
    receipt.write_text(pinned, encoding="utf-8")


def _run(command: Sequence[str], module: Path) -> int:
    """Run a build; with it end all programs that it starts, and its scratch folder goes."""
    from conformance.processes import group_ended, scratch, tied_to_parent

    (cache() / "runs").mkdir(parents=True, exist_ok=True)
    with scratch() as folder:
        process = subprocess.Popen(
            command,
            cwd=module,
            env=go_environment(folder),
            start_new_session=True,
            preexec_fn=tied_to_parent,  # noqa: PLW1509 - it only asks the kernel for something
        )
        with group_ended(process):
            return process.wait()


def go_environment(scratch: Path) -> dict[str, str]:
    """The environment of a build: module and build caches inside the cache folder, no other module sources."""
    return {
        **os.environ,
        "GOTMPDIR": str(scratch),
        "GOMODCACHE": str(cache() / "mod"),
        "GOCACHE": str(cache() / "build"),
        "CGO_ENABLED": "0",
        "GOFLAGS": "-mod=readonly",
        "GOWORK": "off",
    }
