"""The command without the library that speaks the protocol."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_without_the_library_the_command_says_what_to_install():
    ran = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; sys.modules['pygls'] = None; from kubelint_gpu.cli import run; run()",
            "lsp",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    address = "'kubelint-gpu[lsp] @ git+https://github.com/kubelint-gpu/kubelint-gpu'"
    assert f"pip install {address}" in ran.stderr
    assert f"pipx install {address}" in (ROOT / "docs" / "editors.md").read_text()
    assert "Traceback" not in ran.stderr
