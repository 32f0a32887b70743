import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import instructions  # noqa: E402 - it lies beside the package, not in it

# A third more than was recorded: what one heavy import costs, and less than two releases of an interpreter differ by.
LIMIT = 1.33
HEAVY = {
    "dataclasses",
    "jsonschema",
    "asyncio",
    "multiprocessing",
    "http",
    "email",
    "ssl",
    "pygls",
}
HEAVY_HERE = {"kubelint_gpu.lsp", "kubelint_gpu.report.html", "kubelint_gpu.report.formats.sarif"}


@pytest.mark.thorough
@pytest.mark.skipif(
    shutil.which("valgrind") is None and "CI" not in os.environ,
    reason="valgrind, which counts instructions, is not installed; CI has it",
)
def test_the_hook_takes_no_more_instructions_than_recorded() -> None:
    known = instructions.recorded()
    allowed = known.get(instructions.PYTHON, max(known.values())) * LIMIT
    assert instructions.hook_ratio() < allowed, (
        "a slow import? python benchmarks/instructions.py --record, if it is meant"
    )


def test_the_hook_imports_nothing_heavy() -> None:
    code = (
        "import atexit, json, sys; sys.argv = ['kubelint-gpu', *sys.argv[1:]]\n"
        "from kubelint_gpu.cli import run\n"
        "atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))\n"
        "run()"
    )
    command = [sys.executable, "-c", code, *instructions.HOOK[2:]]
    ran = subprocess.run(command, cwd=ROOT / "examples" / "tracker", capture_output=True, text=True, check=True)
    loaded = set(json.loads(ran.stderr.splitlines()[-1]))
    assert "kubelint_gpu.engine.run" in loaded
    assert sorted(loaded & (HEAVY | HEAVY_HERE)) == []
