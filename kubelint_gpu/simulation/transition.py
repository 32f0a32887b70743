"""A workload as it shall be and as it is."""

from __future__ import annotations

from kubelint_gpu.kube.objects.workload import Workload
from kubelint_gpu.values import Value, replace


class Transition(Value):
    """A workload as it shall be and as it is; equal where only the template's hash changes.

    Attributes:
        rolls: False where the template stays as it is, so that nothing is replaced.
        known: what changes is known, and happens at the same moment as every other change that is.
        existing: False where nothing of it runs before: its pods are made beside those of all others, and what is
            judged is a later rollout.
        whole: its pods do nothing, and do not end, before all of them run, as those of a training Job.
    """

    new: Workload
    old: Workload
    rolls: bool = True
    known: bool = False
    existing: bool = True
    whole: bool = False

    def unrolled(self) -> Transition:
        """Return it without how its pods are replaced, unless they are at this moment: to compare it with others."""
        if self.known or not self.existing:
            return self
        new = replace(self.new, strategy=None)
        return replace(self, new=new, old=new if self.old is self.new else replace(self.old, strategy=None))
