"""Machine instructions of the hook's case, one file against one inventory: no seconds, so that load does not matter.

The case stands in a repository of its own, because what lies beside a file is read, too.

Usage: python benchmarks/instructions.py [--record]

Prints the instructions of the run and those of an interpreter that does nothing; `--record` keeps their ratio for this
release of Python in `instructions.json`, which `tests/performance` compares with. Needs valgrind.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORD = Path(__file__).with_name("instructions.json")
CASE = ("tracker.yaml", "nodes.yaml")
HOOK = ("-m", "kubelint_gpu", "check", "--isolated", "--exit-zero", CASE[0], "--inventory", CASE[1])
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"


def instructions(folder: str, *arguments: str) -> int:
    """The instructions that an interpreter executes in a folder with some arguments."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", sys.executable, *arguments]
    ran = subprocess.run(command, cwd=folder, env=_environment(), capture_output=True, text=True, check=True)
    found = re.search(r"Collected : (\d+)", ran.stderr)
    assert found is not None, ran.stderr
    return int(found[1])


def hook_ratio() -> float:
    """How many times the instructions of an idle interpreter the hook's case takes, its bytecode being at hand."""
    with tempfile.TemporaryDirectory() as folder:
        for name in CASE:
            shutil.copy(ROOT / "examples" / "tracker" / name, folder)
        for command in (["git", "init", "-q"], ["git", "add", "."], [sys.executable, *HOOK]):
            subprocess.run(command, cwd=folder, env=_environment(), capture_output=True, check=True)
        return instructions(folder, *HOOK) / instructions(folder, "-c", "pass")


def _environment() -> dict[str, str]:
    """One in which every run does the same: bytecode is kept as on a user's machine, and results are not."""
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONHASHSEED": "0", "LC_ALL": "C", "PYTHONPATH": str(ROOT), "KUBELINT_GPU_NO_CACHE": "1"}


def recorded() -> dict[str, float]:
    """The ratios that were recorded, by release of Python."""
    return {key: float(value) for key, value in json.loads(RECORD.read_text()).items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help="keep the ratio for this release of Python")
    options = parser.parse_args()
    found = hook_ratio()
    print(f"Python {PYTHON}: {found:.1f} times an interpreter that does nothing")
    if options.record:
        kept = (recorded() if RECORD.exists() else {}) | {PYTHON: round(found, 1)}
        RECORD.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
