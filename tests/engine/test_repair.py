"""The order in which fixes are made."""

from __future__ import annotations

from change_cases import inventory as room
from change_cases import made, on
from checks_units import unit, world

from kubelint_gpu.documents import read
from kubelint_gpu.engine.repair import repair
from kubelint_gpu.workspace.apply_set import ApplySet


def test_what_this_change_does_is_mended_before_what_comes_next():
    before, now = (made(name, replicas=2, pod=on("n2"), more=more) for name, more in (("b", ""), ("b", "args: [x]")))
    old = {one.object: one for one in unit(before, room(2, 2)).manifests}
    text = made("a", replicas=2, pod=on("n1")) + now
    changed = ApplySet((read("a.yaml", text.encode()),), world(room(2, 2)), before=old, made={"Deployment/serving/a"})
    told = [(found.object.rpartition("/")[2], found.moment) for found, _ in repair(changed, unsafe=False).applied]
    assert told == [("b", "now"), ("a", "next")]
