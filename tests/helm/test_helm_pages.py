"""What docs/helm.md shows is what the program prints, and its bounds are those of the program."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from kubelint_gpu.sources import rendering_program
from kubelint_gpu.sources.helm import chart, helm_program, provenance

ROOT = Path(__file__).resolve().parent.parent.parent
COMMAND = Path(sys.executable).parent / "kubelint-gpu"
PAGE = ROOT / "docs" / "helm.md"


def test_the_page_shows_the_real_output(helm, request):
    text = PAGE.read_text()
    found = re.search(r"<!-- output: helm -->\n```console\n(\$ kubelint-gpu ([^\n]*)\n)(.*?)```", text, re.DOTALL)
    command = [str(COMMAND), *found[2].split(), "--helm", helm]
    out = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": "100"}
    )
    new = text[: found.start(3)] + out.stdout.partition("\n\n")[0] + "\n...\n" + text[found.end(3) :]
    if request.config.getoption("--update"):
        PAGE.write_text(new)
    assert new == PAGE.read_text()


def test_the_page_names_the_bounds_as_they_are():
    page = PAGE.read_text()
    seconds, times = rendering_program.SECONDS, rendering_program.MOST_TIMES
    assert f"| time for one chart | {seconds} s, `--helm-timeout` |" in page
    assert f"| {seconds * times} s, ten times that of one |" in page
    assert f"| output | {rendering_program.MOST_OUTPUT >> 20} MB |" in page
    assert f"| files of one chart | {chart.MOST_FILES:,}, {chart.MOST_TOGETHER >> 20} MB together |" in page
    assert f"| renders with another value, for one chart with its values | {provenance.MOST_PROBES}, or as many" in page
    assert f"at most {chart.MOST_VARIANTS}. Each render" in page
    assert f"Templates see Kubernetes {helm_program.KUBE_VERSION.removesuffix('.0')}." in page
