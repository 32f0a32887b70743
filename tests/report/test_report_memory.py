"""Ten thousand findings, each with places, a trace and fixes, need no more memory to be written than a few."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from kubelint_gpu.report.format_names import FORMATS

WRITE = """
import resource, sys
from report_samples import DEADLOCK, place, report
from kubelint_gpu.report.format_names import renderer
from kubelint_gpu.report.content import Options
from kubelint_gpu.values import replace
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
render = renderer(sys.argv[1])
for piece in render(report(*[replace(DEADLOCK, place=place("a.yaml", 1, 1, 2))]), Options()):
    pass
found = report(*[replace(DEADLOCK, place=place("a.yaml", 1 + number, 1, 2)) for number in range(10_000)])
before = peak()
written = sum(map(len, render(found, Options())))
print(written, peak() - before)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the peak of a process is asked for in the way of Unix")
@pytest.mark.parametrize("name", sorted(FORMATS))
def test_ten_thousand_findings_are_written_in_bounded_memory(name):
    ran = subprocess.run(
        [sys.executable, "-c", WRITE, name], cwd=Path(__file__).parent, capture_output=True, text=True, check=True
    )
    written, mebibytes = map(int, ran.stdout.split())
    assert written > (1_000 if name == "github" else 500_000)
    assert mebibytes <= 8
