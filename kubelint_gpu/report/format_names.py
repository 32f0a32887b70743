"""The output formats by name; a module is imported when its format is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubelint_gpu.report.content import Options, Report

FORMATS: dict[str, tuple[str, str]] = {
    "text": ("kubelint_gpu.report.formats.text", "render"),
    "concise": ("kubelint_gpu.report.formats.concise", "render"),
    "json": ("kubelint_gpu.report.formats.json", "render"),
    "sarif": ("kubelint_gpu.report.formats.sarif", "render"),
    "github": ("kubelint_gpu.report.formats.github", "render"),
    "gitlab": ("kubelint_gpu.report.formats.gitlab", "render"),
    "html": ("kubelint_gpu.report.page", "render"),
    "markdown": ("kubelint_gpu.report.formats.markdown", "render"),
    "junit": ("kubelint_gpu.report.formats.junit", "render"),
}

LASTING = frozenset(("text", "concise", "sarif", "github", "gitlab", "markdown"))
"""The formats that say the same of the same files: the others also say how long the run took."""

COMMANDING = frozenset(("github",))
"""The formats whose lines are commands to a CI runner."""

DRAWING = frozenset(("html",))
"""The formats that draw the cluster and the moments of a rollout: no other run works them out."""


class Render(Protocol):
    """Writes a report in pieces, so that ten thousand findings need no more memory than one."""

    def __call__(self, report: Report, options: Options) -> Iterator[str]:
        """Yield the pieces in order; together they end with a line end, or are empty."""


def renderer(name: str) -> Render:
    """Return the function that writes a format.

    Raises KeyError for a name that is not in FORMATS.
    """
    module, function = FORMATS[name]
    return cast("Render", getattr(import_module(module), function))
