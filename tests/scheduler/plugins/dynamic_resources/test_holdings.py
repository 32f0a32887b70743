"""What pods hold that this program puts on nodes, and what is free again once they leave.

Who uses a claim, and where its devices keep the pods that do.
"""

from __future__ import annotations

from copy import copy

from devices import claim, device, device_class, held, node, pod, read, request, resource_slice, snapshot, template

from kubelint_gpu.scheduler import attempt, fit
from kubelint_gpu.scheduler.attempt import assume
from kubelint_gpu.scheduler.plugins.dynamic_resources.holdings import holds, users_of

SLICE = resource_slice(device("d0"), device("d1"))
CLASS = device_class()


def fits(here, incoming):
    return bool(fit(read(incoming), here).fits)


def test_each_pod_of_a_template_holds_a_device_of_its_own():
    here = snapshot(node(), SLICE, CLASS, template(request()))
    first, second, third = (pod(name=name, templates=["t"]) for name in "abc")
    here = assume(read(second), assume(read(first), here, "n"), "n")
    assert not fits(here, third)
    devices = [
        one.id.device for held_by in here.pods for _, allocation in held_by.allocations for one in allocation.devices
    ]
    assert devices == ["d0", "d1"]
    here = here.remove("ns/a")
    assert fits(here, third)
    placed = assume(read(third), here, "n").pods[-1]
    assert [one.id.device for _, allocation in placed.allocations for one in allocation.devices] == ["d0"]


def test_a_named_claim_is_shared_bound_to_its_node_and_free_after_its_last_user():
    here = snapshot(node(), node("other"), SLICE, CLASS, claim(request("r", 2)), claim(request(), name="next"))
    here = assume(read(pod("c", name="a")), here, "n")
    assert fit(read(pod("c", name="b")), here).fits == ("n",)
    (reason,) = fit(read(pod("c", name="b")), here).rejections["other"].reasons
    assert reason == "resourceclaim not available on the node"
    assert reason.told == "cannot reach claim ns/c, which is allocated to n"
    assert copy(reason).told == reason.told
    here = assume(read(pod("c", name="b")), here, "n").remove("ns/a")
    assert not fits(here, pod("next", name="z"))
    here = here.remove("ns/b")
    assert fits(here, pod("next", name="z"))


def test_devices_of_the_clusters_own_pods_are_free_once_all_their_users_are_gone():
    running = pod("held-d0", name="other", node="n")
    here = snapshot(node(), SLICE, CLASS, held("d0"), running, claim(request("r", 2)))
    assert not fits(here, pod("c"))
    assert fits(here.remove("ns/other"), pod("c"))


def test_a_claim_whose_user_nobody_declares_stays_held():
    here = snapshot(node(), SLICE, CLASS, held("d0", by="unknown"), claim(request("r", 2)))
    assert not fits(here, pod("c"))


def test_a_pod_that_fits_nowhere_holds_nothing():
    here = snapshot(node(), SLICE, CLASS, claim(request("r", 3)))
    assert assume(read(pod("c")), here, "n").pods[0].allocations == ()


def test_devices_of_the_network_bind_to_no_node():
    spread = resource_slice(device("d0"), node="", pool="net", allNodes=True)
    here = snapshot(node(), node("m"), spread, CLASS, claim(request()))
    placed = assume(read(pod("c", name="a")), here, "n")
    assert placed.pods[0].allocations[0][1].node_selector is None
    assert fit(read(pod("c", name="b")), placed).fits == ("m", "n")


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
