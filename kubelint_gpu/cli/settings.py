"""`--show-settings`: what a run would go by, and where each setting comes from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from kubelint_gpu.documents.emitter import flow_text, scalar_text
from kubelint_gpu.messages.display import visible
from kubelint_gpu.messages.printing import say
from kubelint_gpu.workspace.project.configuration import Configuration

# settings of a run that the configuration may hold too
_SHARED = {"inventories": "inventory", "select": "select", "ignore": "ignore", "baseline": "baseline"}
_NOT_SETTINGS = frozenset({"paths", "show_settings"})


def show(ctx: click.Context, configuration: Configuration) -> None:
    """Print the settings as YAML, each with its origin: a flag, a line of the configuration, or the default."""
    rows = list(_rows(ctx, configuration))
    widest = min(60, max(len(text) for text, _ in rows))
    for text, origin in rows:
        say(visible(f"{text:<{widest}}  # {origin}"))


def _rows(ctx: click.Context, configuration: Configuration) -> Iterator[tuple[str, str]]:
    path = configuration.relative_path
    yield f"config: {flow_text(path)}", "read" if path else "none is read"
    for key, value in _of_file(configuration).items():
        line = configuration.lines.get(key)
        if key not in _SHARED.values():
            yield f"{key}: {flow_text(value)}", f"{path}:{line}" if line else "default"
    for parameter in ctx.command.params:
        name = parameter.name or ""
        if name in _NOT_SETTINGS or name in ("config", "help"):
            continue
        key = _SHARED.get(name, parameter.opts[-1].lstrip("-"))
        value = ctx.params.get(name)
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            # what the command line ignores is ignored besides what the configuration does
            more = f" and {path}:{configuration.lines[key]}" if key == "ignore" and key in configuration.lines else ""
            both = [*list(value or ()), *configuration.ignore] if more else value
            yield f"{key}: {_text(both)}", f"{parameter.opts[-1]}{more}"
        elif key in configuration.lines and name in _SHARED:
            yield f"{key}: {_text(_of_file(configuration)[key])}", f"{path}:{configuration.lines[key]}"
        else:
            yield f"{key}: {_text(value)}", "default"


def _of_file(configuration: Configuration) -> dict[str, Any]:
    return {
        "inventory": configuration.inventory,
        "targets": {one.glob: one.inventory for one in configuration.targets},
        "context": configuration.context,
        "baseline": configuration.baseline,
        "select": configuration.select,
        "ignore": configuration.ignore,
        "severity": configuration.severity,
        "per-path": {
            one.glob: {
                "ignore": one.codes,
                **{key: value for key, value in (("reason", one.reason), ("until", one.until)) if value},
            }
            for one in configuration.per_path
        },
        "units": configuration.units,
    }


def _text(value: Any) -> str:
    return flow_text(value) if isinstance(value, (list, tuple, dict)) else scalar_text(value)
