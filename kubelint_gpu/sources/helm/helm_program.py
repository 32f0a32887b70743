"""The user's own Helm: found, asked for its version, and run within limits; it never fetches anything."""

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
    """The path of the program; `named` if the user gave it."""

    path: str
    named: bool = False


class Release(Value):
    """The flags of `helm template`.

    Attributes:
        name: the name of the release; empty to use the chart's name.
        namespace: the namespace of the release.
        sets: single values, as for `--set`.
        json_sets: single values, as for `--set-json`.
        kube_version: the Kubernetes version that templates see.
        api_versions: further API versions that templates see.
    """

    name: str = ""
    namespace: str = "default"
    sets: tuple[str, ...] = ()
    json_sets: tuple[str, ...] = ()
    kube_version: str = KUBE_VERSION
    api_versions: tuple[str, ...] = ()


def find_helm(given: str | None = None) -> Helm:
    """Return the first `helm` on the PATH, or the program that `given` names.

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
    """Return the version that the program prints, `?` if it prints none."""
    with tempfile.TemporaryDirectory() as home:
        try:
            ran = _run([helm.path, "version", "--template", "{{ .Version }}"], Path(home), 10)
        except ProgramError:
            return "?"
    text = ran.output.decode(errors="replace").strip()
    return "?" if ran.failed or not text else text.splitlines()[0]


def template(helm: Helm, chart: Path, values: list[Path], home: Path, release: Release, time: RenderTime) -> Ran:
    """Run `helm template` for a folder that holds a copy of the chart.

    Raises:
        ProgramError: Helm cannot be started, took too long, printed too much, or lies among the files of the run.
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
