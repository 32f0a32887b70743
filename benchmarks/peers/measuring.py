"""One call of a tool: wall time, CPU time, memory."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

_APART = """
import json, os, resource, sys
sys.argv = json.loads(sys.argv[1])
from kubelint_gpu.cli.main import invoke
invoke(sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
os.write(2, f"\\n{used.ru_utime + used.ru_stime}".encode())
"""


@dataclass(frozen=True)
class Cost:
    """Seconds of wall and CPU time, and megabytes of the largest process; CPU time is of all processes.

    `failed`: it gave up, which is not to have found something: nothing was printed, and its exit code is not 0.
    """

    wall: float
    cpu: float
    memory: float
    code: int
    failed: bool = False


def call(command: Sequence[str], folder: Path | None = None, environment: dict[str, str] | None = None) -> Cost:
    """Run a command and wait for it; of its output it is only looked at whether there is some."""
    with tempfile.TemporaryFile() as output:
        begun = time.perf_counter()
        with subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env={**os.environ, **(environment or {})},
        ) as run:
            _, status, usage = os.wait4(run.pid, 0)
            run.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - begun
        failed = run.returncode != 0 and not output.tell() and not os.fstat(output.fileno()).st_size
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, run.returncode, failed)


def in_turn(
    commands: dict[str, Sequence[str]],
    rounds: int,
    folder: Path | None = None,
    environment: dict[str, str] | None = None,
    before: Callable[[str], object] = lambda _: None,
) -> dict[str, Cost]:
    """The medians of each command's costs, all called one after the other in every round, the first not counted.

    `before` is called with the name of a command before each of its calls.
    """
    seen: dict[str, list[Cost]] = {name: [] for name in commands}
    for turn in range(rounds + 1):
        for name, command in commands.items():
            before(name)
            cost = call(command, folder, environment)
            if turn:
                seen[name].append(cost)
    return {
        name: Cost(
            median(cost.wall for cost in costs),
            median(cost.cpu for cost in costs),
            max(cost.memory for cost in costs),
            costs[-1].code,
            any(cost.failed for cost in costs),
        )
        for name, costs in seen.items()
    }


def children(command: Sequence[str], folder: Path | None = None, environment: dict[str, str] | None = None) -> float:
    """Seconds of CPU time that this linter's own child processes take: git, kustomize, and those that it forks."""
    python = Path(command[0]).with_name("python")
    ran = subprocess.run(
        [str(python), "-c", _APART, json.dumps(list(command))],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={**os.environ, **(environment or {})},
    )
    return float(ran.stderr.splitlines()[-1])
