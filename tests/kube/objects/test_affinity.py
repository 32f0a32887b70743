"""Affinity as it is read: what is absent, what is empty, and where an error stands."""

from __future__ import annotations

from kubelint_gpu.kube.objects.affinity import NO_AFFINITY, read_affinity, read_spread_constraints
from kubelint_gpu.kube.values.errors import field_path
from kubelint_gpu.kube.values.fields import Fields

REQUIRED, PREFERRED = (f"{word}DuringSchedulingIgnoredDuringExecution" for word in ("required", "preferred"))


def read(reader, value):
    """What is read, and the fields that are wrong."""
    problems = []
    found = reader(Fields(value, problems=problems))
    return found, [field_path(one.pointer) for one in problems]


def test_a_selector_that_is_absent_matches_nothing_and_an_empty_one_everything():
    term = {"topologyKey": "zone"}
    found, problems = read(
        read_affinity, {"podAffinity": {REQUIRED: [term, {**term, "labelSelector": {}, "namespaceSelector": {}}]}}
    )
    first, second = found.pods
    assert problems == []
    assert (first.selector, first.namespace_selector) == (None, None)
    assert second.selector.matches({"any": "label"})
    assert second.namespace_selector.matches({})
    assert read_affinity(None) is NO_AFFINITY


def test_preferred_terms_say_on_which_side_they_stand():
    term = {"weight": 5, "podAffinityTerm": {"topologyKey": "zone"}}
    found, problems = read(read_affinity, {"podAffinity": {PREFERRED: [term]}, "podAntiAffinity": {PREFERRED: [term]}})
    assert problems == []
    assert [(one.weight, one.anti) for one in found.preferred_pods] == [(5, False), (5, True)]
    assert (found.pods, found.anti_pods) == ((), ())


def test_errors_stand_at_their_fields():
    anti = {"podAntiAffinity": {REQUIRED: [{"topologyKey": "zone"}, {}]}}
    assert read(read_affinity, anti)[1] == [f"podAntiAffinity.{REQUIRED}[1].topologyKey"]
    constraints = [{"topologyKey": "zone", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}, {"maxSkew": 0}]
    found, problems = read(read_spread_constraints, {"topologySpreadConstraints": constraints})
    first = found[0]
    assert (first.do_not_schedule, first.honor_affinity, first.honor_taints) == (True, True, False)
    assert {one.rpartition(".")[2] for one in problems} == {"topologyKey", "maxSkew", "whenUnsatisfiable"}
    assert all(one.startswith("topologySpreadConstraints[1]") for one in problems)
