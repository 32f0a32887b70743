"""A program that is started ends at its limits, whatever it does."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from kubelint_gpu.sources.children import ChildError, Limits, OutputLimitError, TimeLimitError, run

LIMITS = Limits(seconds=2, output=1 << 20, memory=256 << 20)
ENDLESS = "import sys\nwhile True: sys.stdout.write('x' * 65536)"
COMPLAINING = "import sys\nfor _ in range(1000): sys.stderr.write('x' * 65536)\nsys.exit(3)"
GREEDY = "import sys\nsys.stdin.close()\nprint(len([bytes(1 << 20) for _ in range(1024)]))"
LEAVING = "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])"


def python(code, given=b"", limits=LIMITS, **options):
    return run([sys.executable, "-c", code], limits, given=given, **options)


@pytest.mark.parametrize("session", [True, False])
@pytest.mark.parametrize(
    ("code", "error", "message"),
    [
        (ENDLESS, OutputLimitError, "printed more than 1 MB, the most that is read"),
        ("import time; time.sleep(60)", TimeLimitError, "took longer than 2 seconds"),
        (LEAVING, TimeLimitError, "what it started did not within 2 seconds"),
    ],
)
def test_what_does_not_end_is_ended(code, error, message, session):
    begun = time.monotonic()
    with pytest.raises(error, match=message):
        python(code, given=b"x" * (1 << 20), session=session)
    assert time.monotonic() - begun < 20


def test_what_it_complains_of_is_kept_up_to_a_limit():
    found = python(COMPLAINING)
    assert found.failed
    assert len(found.error) == 64 * 1024


@pytest.mark.skipif(sys.platform != "linux", reason="another process is bounded on Linux alone")
def test_its_memory_is_bounded():
    found = python("import time; time.sleep(0.5)\n" + GREEDY, limits=Limits(20, 1 << 20, 256 << 20))
    assert found.failed
    assert "MemoryError" in found.error


def test_it_is_given_more_than_a_pipe_holds():
    code = "import sys; sys.stdout.write(str(len(sys.stdin.buffer.read())))"
    assert python(code, given=b"x" * 5_000_000, limits=Limits(20, 100, 1 << 30)).output == b"5000000"


def test_what_cannot_be_started_says_why(tmp_path):
    with pytest.raises(ChildError, match=r"none cannot be started: no such file"):
        run([str(tmp_path / "none")], LIMITS)
    with pytest.raises(ChildError, match="cannot be started"):
        run([sys.executable, "a\0b"], LIMITS)


def test_no_other_module_starts_a_program():
    """The worker of the language server is this program itself."""
    top = Path(__file__).parents[2]
    files = [*top.glob("kubelint_gpu/**/*.py"), *top.glob("rules/**/*.py")]
    starting = ("subprocess", "os.system", "os.popen", "os.exec", "os.spawn", "posix_spawn")
    found = {os.path.relpath(one, top) for one in files if any(word in one.read_text() for word in starting)}
    assert found == {"kubelint_gpu/sources/children.py", "kubelint_gpu/lsp/worker_process.py"}
