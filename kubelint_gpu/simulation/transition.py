"""A workload before and after its change."""

from __future__ import annotations

from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.values import Value, replace


class Transition(Value):
    """A workload before and after its change; equal if only the template's hash changes.

    Attributes:
        rolls: False if the template stays, so that no pod is replaced.
        known: the change is known, and happens at the same moment as every other known change.
        existing: False if none of its pods runs before. They are created beside those of all others, and the verdict is
            about a later rollout.
        whole: its pods do nothing, and do not end, before all of them run, like those of a training Job.
    """

    new: Workload
    old: Workload
    rolls: bool = True
    known: bool = False
    existing: bool = True
    whole: bool = False

    def unrolled(self) -> Transition:
        """Return it without its update strategy, unless its pods are replaced now: to compare it with others."""
        if self.known or not self.existing:
            return self
        new = replace(self.new, strategy=None)
        return replace(self, new=new, old=new if self.old is self.new else replace(self.old, strategy=None))
