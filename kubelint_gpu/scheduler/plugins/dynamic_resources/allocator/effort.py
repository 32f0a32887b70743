"""Limits how long the search for devices may take."""

from __future__ import annotations

from kubelint_gpu.budget import BUDGET
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.outcome import Unknown

TOO_LONG = "the search for devices was given up after {tries} tries"


class Effort:
    """A counter of the devices that all searches of one pod may still try."""

    __slots__ = ("left", "most")

    def __init__(self, most: int = BUDGET.devices) -> None:
        self.left = self.most = most

    def spend(self) -> None:
        """Count one try.

        Raises:
            Unknown: there were too many.
        """
        self.left -= 1
        if self.left < 0:
            raise Unknown(TOO_LONG.format(tries=self.most))
