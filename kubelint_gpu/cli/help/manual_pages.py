"""What `--help` adds to each command: examples and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

CHECKED = (
    ("0", "nothing was found that fails: no error and no warning (notes do not fail)"),
    ("1", "there are findings"),
    ("2", "the run itself failed: bad usage, a missing file, an inventory that cannot be used, or not all of it"),
    ("130", "interrupted"),
)

EXITS: dict[str, tuple[tuple[str, str], ...]] = {
    "cache clean": (("0", "it is empty"), ("2", "something cannot be taken away")),
    "cache dir": (("0", "printed, where there is one"),),
    "check": CHECKED,
    "explain": (("0", "it was explained"), ("2", "there is no such rule or workload, or something cannot be read")),
    "inventory capture": (("0", "written"), ("2", "the cluster cannot be asked, or what it says cannot be used")),
    "inventory diff": (("0", "they are the same"), ("1", "they differ"), ("2", "one of the two cannot be used")),
    "inventory show": (("0", "shown"), ("2", "it cannot be used, or not all of it")),
    "inventory validate": (("0", "valid"), ("1", "there are warnings"), ("2", "it cannot be used, or not all of it")),
    "report merge": (("0", "merged, whatever was found"), ("2", "the reports cannot be read, or are not of one kind")),
    "lsp": (("0", "the editor said goodbye"), ("2", "the libraries of the language server are missing")),
}

EXAMPLES: dict[str, list[tuple[str, str]]] = json.loads(
    (Path(__file__).parent / "examples.json").read_text(encoding="utf-8")
)
"""For each command what somebody may want, and the command line for it."""

ENVIRONMENT = (
    ("NO_COLOR", "no colours, whatever the terminal can"),
    ("FORCE_COLOR", "colours, also where the output is no terminal"),
    ("COLUMNS", "how wide the text is"),
    ("KUBELINT_GPU_NO_CACHE", "1 uses no results of earlier runs, and keeps none"),
    ("KUBELINT_GPU_TRACEBACK", "1 shows where an internal error comes from"),
)

FILES = ((".kubelint-gpu.yaml", "settings, the nearest one upward within the repository"),)
