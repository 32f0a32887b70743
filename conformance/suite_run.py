"""One run of a suite: what was chosen, where it is played, and what is kept of it."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from conformance import recording
from conformance.api_client import Object
from conformance.control_plane import ControlPlane
from conformance.processes import NothingChosen, Supervisor

CASES = Path(__file__).parent / "cases"
GOLDEN = Path(__file__).parent.parent / "tests" / "golden"
Found = TypeVar("Found")


@dataclass(frozen=True)
class SuiteRun:
    """A suite on fresh control planes of one release.

    Attributes:
        name: the suite; recordings of it lie in a folder of this name.
        chosen: the options of the command.
        supervisor: what started the control planes.
        planes: the control planes.
        version: the release, such as `1.34`.
    """

    name: str
    chosen: argparse.Namespace
    supervisor: Supervisor
    planes: tuple[ControlPlane, ...]
    version: str

    def chosen_cases(self, found: Sequence[Found]) -> Sequence[Found]:
        """The cases that `--only` leaves.

        Raises:
            NothingChosen: there are none.
        """
        if not found:
            raise NothingChosen(f'no case has "{self.chosen.only}" in its id')
        return found

    def record(self, records: Iterable[Object]) -> int:
        """Write what was seen; how many records there are now. A whole run has all cases, apart from random ones."""
        whole = not self.chosen.only and not self.chosen.short and self.chosen.every == 1
        return recording.write(self.chosen.record / self.name / f"{self.version}.jsonl.xz", records, whole=whole)

    def verdict(self, cases: int, failed: int, wrong: int) -> int:
        """Say how it came out; 1 where something disagreed or could not be run."""
        print(f"{self.name}: {cases} cases, {failed} failed, {wrong} disagreements", flush=True)
        return 1 if failed or wrong else 0

    def reported(self, cases: int, wrong: Sequence[str]) -> int:
        """Print disagreements; 1 where there are any."""
        for each in wrong:
            print(f"disagrees: {each}", flush=True)
        return self.verdict(cases, 0, len(wrong))
