"""A controller as somebody would add it: that of a Fleet makes a wave of new pods beside the old ones, then deletes as many."""

from __future__ import annotations

from kubelint_gpu.simulation.controllers.reconciler import Action, EqualNodes
from kubelint_gpu.simulation.controllers.replica_set import CustomController, keep

ROW = {
    "kind": "Fleet",
    "groups": ["example.com"],
    "exact": True,
    "ends": False,
    "rollout": "wave by wave",
    "update": "waves",
    "templates": [{"path": "spec.template", "form": "template", "pods": ["spec.replicas"]}],
}


class Waves(EqualNodes):
    name: str
    old: int
    new: int
    replicas: int
    wave: int
    rolls = True

    @property
    def kinds(self):
        return (self.old, self.new)

    def begin(self):
        return (0,)

    def actions(self, control, seen):
        (made,) = control
        if seen.active(self.new) < made:
            yield from keep(self.new, made, control, seen, (self.new,), self.name, by="Fleet")
        elif seen.ready(self.new) >= made:
            if seen.active(self.old) > self.replicas - made:
                yield Action(control, "deletes an old pod", delete=(self.old, 1), family=(self.old,))
            elif made < self.replicas:
                yield Action((min(self.replicas, made + self.wave),), "begins the next wave")

    def done(self, _control, seen):
        return seen.ready(self.new) >= self.replicas and not seen.active(self.old)


class WavesController(CustomController):
    def add_rolling(self, builder):
        change = builder.change
        old = builder.pod_type(builder.old_pod(), change.before, change.running)
        new = builder.pod_type(builder.new_pod(), 0, new=True)
        builder.add(Waves(change.new.key, old, new, change.replicas, self.workload.strategy.spec.get("wave", 1)))
