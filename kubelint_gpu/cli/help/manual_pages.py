"""Texts that `--help` adds to each command: examples and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

CHECKED = (
    ("0", "no finding fails the run: no error and no warning, or as --fail-on says"),
    ("1", "there are findings"),
    ("2", "the run itself failed: bad usage, a missing file, an inventory that cannot be used, or not all of it"),
    ("130", "interrupted"),
)

_MANUAL = json.loads((Path(__file__).parent / "manual.json").read_text(encoding="utf-8"))
EXAMPLES: dict[str, list[tuple[str, str]]] = _MANUAL["examples"]
"""For each command: tasks, each with the command line for it."""

EXITS = {**_MANUAL["exits"], "check": CHECKED}

ENVIRONMENT = (
    ("NO_COLOR", "no colours, whatever the terminal can"),
    ("FORCE_COLOR", "colours, also where the output is no terminal"),
    ("COLUMNS", "how wide the text is"),
    ("KUBELINT_GPU_NO_CACHE", "1 uses no results of earlier runs, and keeps none"),
    ("KUBELINT_GPU_TRACEBACK", "1 shows where an internal error comes from"),
)

FILES = ((".kubelint-gpu.yaml", "settings, the nearest one upward within the repository"),)
