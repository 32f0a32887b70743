"""The installed command, run as users run it."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import warm

ROOT = Path(__file__).resolve().parent.parent.parent
TRACKER = ROOT / "examples" / "tracker"
TRACKED = (TRACKER / "tracker.yaml").read_text()
READY = TRACKED.replace(
    "        imagePullPolicy: Always\n",
    "        imagePullPolicy: Always\n        readinessProbe: {httpGet: {path: /health, port: 8004}}\n",
)
"""The tracker with a probe, for what is about something else than KLG118."""
COMMAND = Path(sys.executable).parent / "kubelint-gpu"


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def codes(self) -> list[str]:
        return sorted(finding["code"] for finding in self.json["findings"])

    @property
    def serious(self) -> list[str]:
        """The codes of errors and warnings; notes come beside them."""
        return sorted(finding["code"] for finding in self.json["findings"] if finding["severity"] != "note")


@cache
def beside_examples() -> Path:
    """A folder with the examples and nothing else: in the repository a run looks through all of its files."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    shutil.copytree(ROOT / "examples", folder / "examples")
    return folder


def kubelint(
    *arguments: str | Path, cwd: Path | None = None, stdin: bytes = b"", env: dict[str, str] | None = None
) -> Ran:
    assert COMMAND.exists(), "the package is not installed beside this Python"
    environment = {
        name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")
    }
    environment |= {"PYTHONUTF8": "1"} | (env or {})
    found = warm.run(arguments, cwd=cwd or beside_examples(), environment=environment, given=stdin, timeout=120)
    return Ran(found.returncode, found.stdout.decode(), found.stderr.decode())


def check_json(
    *arguments: str | Path, cwd: Path | None = None, stdin: bytes = b"", env: dict[str, str] | None = None
) -> Ran:
    return kubelint("check", *arguments, "--output-format", "json", cwd=cwd, stdin=stdin, env=env)
