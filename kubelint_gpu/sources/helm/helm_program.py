"""The user's own Helm: found, asked for its version, and run within limits; it never fetches anything."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Sequence
from itertools import groupby, islice
from pathlib import Path

from kubelint_gpu.documents import Reading
from kubelint_gpu.patterns import pattern
from kubelint_gpu.sources.children import Ran
from kubelint_gpu.sources.helm.chart import Chart
from kubelint_gpu.sources.helm.chart_values import ChartValues
from kubelint_gpu.sources.programs import find, is_of_checkout, passed_over
from kubelint_gpu.sources.render import Obstacle, Spot
from kubelint_gpu.sources.rendering_program import ProgramError, RenderTime, run
from kubelint_gpu.values import Value

FLAG = "--helm-timeout"
KUBE_VERSION = "1.34.0"
"""The version of Kubernetes that a chart is rendered for if nothing else is said."""

_MOST = 400
_MOST_READ = 4_000
_MOST_LOG = 400_000
_PLACE = pattern(
    r"(?<![^\s:()\"])(?P<name>[^\s:()\"]+/templates/[^\s:()\"]+)"
    r"(?:\)?:\s*(?:error converting[^:]*: )?(?:yaml: )?(?:line )?(?P<line>\d+)(?::(?P<column>\d+))?)?"
)
_REFUSED = pattern(
    r"^(?:(?P<chart>[\w.-]+):$|- at '(?P<at>[^'\n]*)': (?:additional properties '(?P<more>[^'\n]*)')?)", re.MULTILINE
)
_SKIPPED = pattern(r"skipping unknown hooks?\W+(?:hookTypes=)?\"?(?P<events>[^\"\n]{1,400})")
_MOST_SKIPPED = 20
_CRASHED = ("fatal error: ", "runtime: ")
"""The beginnings of what the runtime of Go prints if memory or the stack is used up. Errors of helm begin otherwise."""


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
        json_spots: where each of `json_sets` is written.
    """

    name: str = ""
    namespace: str = "default"
    sets: tuple[str, ...] = ()
    json_sets: tuple[str, ...] = ()
    kube_version: str = KUBE_VERSION
    api_versions: tuple[str, ...] = ()
    json_spots: tuple[Spot, ...] = ()


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
        lies = f"; {here} lies in the checkout, and is started only if --helm names it" if here else ""
        raise ProgramError(f"there is no helm on the PATH{lies}")
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
        ProgramError: Helm cannot be started, took too long, printed too much, is of the checkout, or is no Helm.
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
        ran = _run(command, home, seconds)
    if b"# Source: " not in ran.output and re.search(r"v?\d", version(helm)) is None:
        raise ProgramError(f"{helm.path} is not helm: `{helm.path} version` prints no version of Helm")
    return ran


def _run(command: list[str], home: Path, seconds: float) -> Ran:
    variables = {f"HELM_{name}_HOME": str(home) for name in ("CACHE", "CONFIG", "DATA")}
    variables |= {"HELM_PLUGINS": str(home / "none"), "HELM_NO_PLUGINS": "1"}
    # less work to free memory, of which a render needs little
    variables |= {"GOGC": "400", "GOMEMLIMIT": "1GiB"}
    return run(command, home, seconds, flag=FLAG, variables=variables)


def hooks_left_out(log: str, templates: Sequence[Reading], top: Spot) -> list[Obstacle]:
    """The hooks that Helm leaves out of what it prints, because it knows none of their events."""
    found = []
    for events in sorted({one["events"] for one in islice(_SKIPPED().finditer(log[:_MOST_LOG]), _MOST_SKIPPED)}):
        sources = (one.source for one in templates if one.source is not None and events in one.source.text)
        source = next(sources, None)
        start = source.text.index(events) if source is not None else 0
        spot = Spot(source.path, source.span(start, start + len(events))) if source is not None else top
        why = f"helm leaves out an object, because {events!r} is no event of a hook"
        found.append(Obstacle(spot.path, spot.span, why, withheld=True))
    return found


def complaint(error: str, templates: Sequence[Reading], chart: Chart, top: Spot, values: ChartValues) -> Obstacle:
    """Return the place and the sentence for an error that Helm printed."""
    lines = [line.strip() for line in error.splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith(("WARNING:", "Use --debug", "level="))]
    # Helm prints them in any order
    parts = groupby(lines, lambda line: line.startswith("- at "))
    lines = [line for is_sorted, part in parts for line in (sorted(part) if is_sorted else part)]
    text = " ".join(lines)[:_MOST_READ]
    text = text[max(text.find("Error: "), 0) :].removeprefix("Error: ") or "it says nothing"
    if lines and lines[0].startswith(_CRASHED):
        text = "it uses more memory than it may; look for a range, an include or a tpl that does not end"
    text = re.sub(r"(?<!\S)\S*/kubelint-gpu-[^/\s]*/(?:chart|values)/?", "", text)
    match = _PLACE().search(text)
    top = _refused("\n".join(lines), chart, values, top)
    path, span = top.path, top.span
    if match is not None:
        inner = match["name"].partition("/")[2]
        source = next((one.source for one in templates if one.path == chart.shown(inner)), None)
        if source is not None:
            # a line of what is printed is no line of the template
            counts = "YAML parse error" not in text and match["line"] is not None
            number = min(max(int(match["line"]) if counts else 1, 1), len(source.line_starts))
            start = source.line_starts[number - 1] + (int(match["column"] or 0) if counts else 0)
            path, span = source.path, source.span(start, start + 1)
    shortened = text if len(text) <= _MOST else text[:_MOST] + " …"
    return Obstacle(path, span, f"helm cannot render it: {shortened}")


def _refused(error: str, chart: Chart, values: ChartValues, top: Spot) -> Spot:
    """Return where the first value stands that a schema refuses; `top` if no schema refuses one."""
    prefix: tuple[str, ...] = ()
    for match in _REFUSED().finditer(error):
        if match["chart"]:
            prefix = (match["chart"],) if match["chart"] != chart.value.get("name") else ()
        steps = (*(match["at"] or "").split("/")[1:], *filter(None, [match["more"]]))
        spot = values.spot((*prefix, *(int(step) if step.isdecimal() else step for step in steps)))
        if spot is not None and not match["chart"]:
            return spot
    return top
