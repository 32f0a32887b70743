"""What docs/kustomize.md shows is what the program prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
COMMAND = Path(sys.executable).parent / "kubelint-gpu"


def test_the_page_shows_the_real_output_of_one_finding(program, request):
    path = ROOT / "docs" / "kustomize.md"
    text = path.read_text()
    found = re.search(r"<!-- output: kustomize -->\n```console\n(\$ kubelint-gpu ([^\n]*)\n)(.*?)```", text, re.DOTALL)
    command = [str(COMMAND), *found[2].split(), "--kustomize", program]
    out = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": "100"}
    )
    shown = out.stdout.partition("\n\n")[0] + "\n...\n"
    new = text[: found.start(3)] + shown + text[found.end(3) :]
    if request.config.getoption("--update"):
        path.write_text(new)
    assert new == path.read_text()


def test_the_page_names_the_limits_as_they_are():
    from kubelint_gpu.sources import rendering_program as program
    from kubelint_gpu.sources.kustomize.files import surveyor
    from kubelint_gpu.workspace.project import fallback

    page = (ROOT / "docs" / "kustomize.md").read_text()
    assert f"| time for one kustomization | {program.SECONDS} s, `--kustomize-timeout` |" in page
    together = program.MOST_TIMES * program.SECONDS
    assert f"| time for all kustomizations of a run together | {together} s, ten times that of one |" in page
    assert f"| output | {program.MOST_OUTPUT >> 20} MB |" in page
    assert f"| files of one kustomization together | {surveyor.MOST_BYTES >> 20} MB |" in page
    assert (
        f"| objects of one kustomization, bases counted as often as they are used | {surveyor.MOST_OBJECTS:,} |" in page
    )
    assert f"| objects of one kustomization that is tried by itself | {fallback.MOST_OF_ONE:,} |" in page
    assert f"| objects of all that are tried by themselves in a run | {fallback.MOST_TOGETHER:,} |" in page
    assert "| time in which such are begun | twice that of one kustomization |" in page
    assert fallback.MOST_TIMES == 2
