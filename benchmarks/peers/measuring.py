"""One call of a tool: wall time, CPU time, memory."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True)
class Cost:
    """Seconds of wall and CPU time, and megabytes of the largest process; CPU time is of all processes."""

    wall: float
    cpu: float
    memory: float
    code: int


def call(command: Sequence[str]) -> Cost:
    """Run a command and wait for it; its output goes nowhere."""
    begun = time.perf_counter()
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as run:
        _, status, usage = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - begun
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, run.returncode)


def in_turn(commands: dict[str, Sequence[str]], rounds: int) -> dict[str, Cost]:
    """The medians of each command's costs, all called one after the other in every round, the first not counted."""
    seen: dict[str, list[Cost]] = {name: [] for name in commands}
    for turn in range(rounds + 1):
        for name, command in commands.items():
            cost = call(command)
            if turn:
                seen[name].append(cost)
    return {
        name: Cost(
            median(cost.wall for cost in costs),
            median(cost.cpu for cost in costs),
            max(cost.memory for cost in costs),
            costs[-1].code,
        )
        for name, costs in seen.items()
    }
