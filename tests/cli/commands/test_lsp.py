"""The command without the library that speaks the protocol."""

from __future__ import annotations

import subprocess
import sys


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
    assert "pip install 'kubelint-gpu[lsp]'" in ran.stderr
    assert "Traceback" not in ran.stderr
