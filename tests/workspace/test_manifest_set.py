"""What is applied together, before anything is asked of a cluster."""

from __future__ import annotations

from checks_units import NODES, deployment, unit, world

from kubelint_gpu.documents import read
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.manifest import manifests
from kubelint_gpu.workspace.manifest_set import ManifestSet

READINGS = (read("a.yaml", deployment().encode()),)
OTHERS = manifests((read("b.yaml", deployment(name="other").encode()),))
NEIGHBOURS = manifests((read("c.yaml", deployment(name="near").encode()),))


def test_it_reads_its_objects_without_a_cluster():
    found = ManifestSet(READINGS, world(""))
    assert [one.object for one in found.manifests] == ["Deployment/serving/chat"]
    assert (found.has_nodes, found.complete, found.minor_release) == (False, False, None)
    assert ManifestSet(READINGS, world(NODES)).minor_release == 34


def test_what_lies_beside_it_comes_before_its_neighbours():
    found = ManifestSet(READINGS, world(""), beside=OTHERS, neighbours=NEIGHBOURS)
    assert [one.name for one in found.surroundings()] == ["other", "near"]
    assert [one.name for one in found.surroundings(("Service",))] == []


def test_with_other_text_it_is_of_its_own_class_and_keeps_the_rest():
    found = unit(deployment(), before=deployment())
    other = found.with_readings(())
    assert isinstance(other, ApplySet)
    assert (other.before, other.manifests) == (found.before, ())
    assert not found.without_cluster().cluster.nodes


def test_what_was_worked_out_is_forgotten():
    found = unit(deployment())
    first = found.manifests
    found.forget()
    assert found.manifests is not first
