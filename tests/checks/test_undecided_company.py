"""What is scaled beside rollouts of which not every run is looked at: that it lacks room is possible only."""

from __future__ import annotations

from change_cases import inventory, made
from checks_units import unit, world

from kubelint_gpu.documents import read
from kubelint_gpu.engine.run import check
from kubelint_gpu.workspace.apply_set import ApplySet


def told(before, after, cluster, budget):
    """The certainty of each KLG109, by the name of its object."""
    old = {one.object: one for one in unit(before, cluster).manifests}
    new = {one.object for one in unit(after, cluster).manifests} - old.keys()
    judged = ApplySet((read("a.yaml", after.encode()),), world(cluster), before=old, made=new, budget=budget)
    found = check((judged,), judged.world).findings
    return {one.object.rpartition("/")[2]: one.certainty for one in found if one.code == "KLG109"}


def a(replicas, image=""):
    return made("a", "", replicas=replicas, kind="StatefulSet", pod=image and "hostname: other\n")


def test_places_that_a_rollout_gives_up_may_be_taken():
    before = a(2) + made("b", "", pod="nodeSelector: {on: n2}\n")
    after = a(3, "new") + made("b", "", pod="nodeSelector: {on: n2}\nhostname: other\n") + made("c", "", replicas=3)
    assert told(before, after, inventory(2, 3), budget=40).get("c") != "certain"
