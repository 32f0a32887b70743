"""The suites: what plays each, and what of a control plane it needs."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import NamedTuple

from conformance import tools
from conformance.control_plane import CONTROLLERS, start
from conformance.processes import Supervisor
from conformance.suite_run import SuiteRun

Player = Callable[[SuiteRun], int]


class Suite(NamedTuple):
    """A suite.

    Attributes:
        module: where the function is that plays it; imported when the suite is chosen.
        function: its name.
        controllers: the controllers that run; without any there is no controller manager.
        without: admission plugins that are off.
    """

    module: str
    function: str
    controllers: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    @property
    def player(self) -> Player:
        """What plays it; 1 where something disagreed or could not be run.

        Raises:
            ModuleNotFoundError: something that it needs is not installed.
        """
        found: Player = getattr(import_module(f"conformance.{self.module}"), self.function)
        return found


SUITES = {
    "validation": Suite("object_suites", "objects"),
    "updates": Suite("object_suites", "changes"),
    "admission": Suite("object_suites", "admissions"),
    # the recorded scheduler scenarios are pods that admission has not touched
    "scheduling": Suite("scheduler_suites", "scheduled", without=("DefaultTolerationSeconds",)),
    "devices": Suite("scheduler_suites", "claims"),
    "tracker": Suite("rollout_suites", "by_hand", CONTROLLERS),
    "fixes": Suite("rollout_suites", "fixes", CONTROLLERS),
    "rollouts": Suite("rollout_suites", "rollouts", CONTROLLERS),
    "applies": Suite("rollout_suites", "applies", CONTROLLERS),
}


def players(chosen: Iterable[str] | None) -> dict[str, Player]:
    """What plays the chosen suites, or all."""
    return {name: SUITES[name].player for name in chosen or SUITES}


def run(chosen: argparse.Namespace, played: dict[str, Player]) -> int:
    """Play suites, each on fresh control planes; 1 when something failed."""
    release = tools.release(chosen.kubernetes)
    worst = 0
    for name, play in played.items():
        suite = SUITES[name]
        supervisor = Supervisor(keep=chosen.keep)
        count = chosen.planes if suite.controllers else min(chosen.planes, 3)
        try:
            planes = start(supervisor, release, count, suite.controllers, suite.without)
            worst = max(worst, play(SuiteRun(name, chosen, supervisor, planes, release.kubernetes)))
        finally:
            supervisor.stop()
    return worst
