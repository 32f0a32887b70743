"""Who uses a claim, and where its devices keep the pods that do."""

from __future__ import annotations

from devices import claim, device, device_class, node, pod, read, request, resource_slice, snapshot, template

from kubelint_gpu.scheduler import attempt
from kubelint_gpu.scheduler.attempt import assume
from kubelint_gpu.scheduler.plugins.dynamic_resources.claim_users import holds, users_of

TWO = resource_slice(device("d0", model="A"), device("d1", model="B"))
OTHER = resource_slice(device("d0", model="A"), name="t", node="m")
BASE = (node(), TWO, device_class(), template(request()))


def names(pods):
    return [one.meta.name for one in pods]


def test_a_claim_of_a_template_is_the_pods_own():
    here = snapshot(*BASE, node("m"), OTHER)
    after = assume(read(pod(templates=("t",))), here, "n")
    placed = next(one for one in after.nodes if one.name == "n").claimants[0]
    (found,) = holds(placed, after)
    assert [str(one.id) for one in placed.allocations[0][1].devices] == ["gpu.example.com/n/d0"]
    assert (found.nodes, names(found.users)) == (("n",), ["p"])


def test_a_named_claim_is_not_and_binds_all_of_its_pods_to_its_nodes():
    here = snapshot(*BASE, node("m"), OTHER, claim(request()))
    after = assume(read(pod("c", name="q")), assume(read(pod("c", name="p")), here, "n"), "n")
    (found,) = holds(read(pod("c", name="new")), after)
    assert (found.nodes, names(found.users)) == (("n",), ["p", "q"])
    assert attempt(read(pod("c", name="new")), after).fit.fits == ("n",)
    assert names(users_of("ns/c", after)) == ["p", "q"]


def test_a_pod_without_claims_holds_nothing():
    assert holds(read(pod()), snapshot(*BASE)) == ()
