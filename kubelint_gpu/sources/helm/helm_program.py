"""The user's own Helm: found, asked for its version, and run within limits; it is never asked to fetch anything."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from kubelint_gpu.sources.children import Ran
from kubelint_gpu.sources.programs import find, is_of_checkout, passed_over
from kubelint_gpu.sources.rendering_program import ProgramError, RenderTime, run
from kubelint_gpu.values import Value

FLAG = "--helm-timeout"
KUBE_VERSION = "1.34.0"
"""The version of Kubernetes that a chart is rendered for if nothing else is said."""


class Helm(Value):
    """The path of the program; `named` by the user or found."""

    path: str
    named: bool = False


class Release(Value):
    """What a chart is rendered as: the flags of `helm template`.

    Attributes:
        name: the release; empty for the name of the chart.
        namespace: where it is installed.
        sets: single values, each as `--set` takes it.
        json_sets: single values, each as `--set-json` takes it.
        kube_version: the version of Kubernetes that templates see.
        api_versions: further versions of the API that templates see.
    """

    name: str = ""
    namespace: str = "default"
    sets: tuple[str, ...] = ()
    json_sets: tuple[str, ...] = ()
    kube_version: str = KUBE_VERSION
    api_versions: tuple[str, ...] = ()


def find_helm(given: str | None = None) -> Helm:
    """The first `helm` on the PATH; `given` is the path of another one.

    Raises:
        ProgramError: there is none.
    """
    if given is not None:
        path = shutil.which(given) if os.path.dirname(given) else find(given)  # noqa: PTH120 - as it is written
        if path is None:
            raise ProgramError(f"--helm: there is no program {given}")
        return Helm(str(Path(path).absolute()), named=True)
    path = find("helm")
    if path is None:
        here = passed_over("helm")
        raise ProgramError(
            "there is no helm on the PATH"
            + (f"; {here} lies in the checkout, and is started only if --helm names it" if here else "")
        )
    return Helm(str(Path(path).absolute()))


def version(helm: Helm) -> str:
    """What the program calls its version, `?` if it does not say."""
    with tempfile.TemporaryDirectory() as home:
        try:
            ran = _run([helm.path, "version", "--template", "{{ .Version }}"], Path(home), 10)
        except ProgramError:
            return "?"
    text = ran.output.decode(errors="replace").strip()
    return "?" if ran.failed or not text else text.splitlines()[0]


def template(helm: Helm, chart: Path, values: list[Path], home: Path, release: Release, time: RenderTime) -> Ran:
    """Run `helm template` for a folder, whose files are a copy.

    Raises:
        ProgramError: it cannot be started, took too long, or printed too much, or it lies among the files of the run.
    """
    if not helm.named and is_of_checkout(helm.path):
        raise ProgramError(f"{helm.path} lies in the checkout, and is started only if --helm names it")
    command = [
        *(helm.path, "template", release.name, str(chart), f"--namespace={release.namespace}", "--skip-tests"),
        f"--kube-version={release.kube_version}",
        *(f"--api-versions={one}" for one in release.api_versions),
        *(f"--values={path}" for path in values),
        *(f"--set-json={one}" for one in release.json_sets),
        *(f"--set={one}" for one in release.sets),
    ]
    seconds = time.left()
    with time.counted():
        return _run(command, home, seconds)


def _run(command: list[str], home: Path, seconds: float) -> Ran:
    variables = {f"HELM_{name}_HOME": str(home) for name in ("CACHE", "CONFIG", "DATA")}
    variables |= {"HELM_PLUGINS": str(home / "none"), "HELM_NO_PLUGINS": "1"}
    return run(command, home, seconds, flag=FLAG, variables=variables)
