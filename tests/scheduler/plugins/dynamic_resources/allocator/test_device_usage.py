"""How much of a shared device is used."""

from __future__ import annotations

from types import SimpleNamespace

from devices import claim, device, device_class, held, node, pod, read, request, resource_slice, snapshot

from kubelint_gpu.scheduler import fit
from kubelint_gpu.scheduler.attempt import assume
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.device_usage import Holdings, usage_of


def shared(**policy):
    found = device("d0", capacity={"memory": "80Gi"})
    found["allowMultipleAllocations"] = True
    found["capacity"]["memory"]["requestPolicy"] = policy
    return resource_slice(found)


def test_claims_share_a_device_until_it_is_used_up():
    policy = {"default": "10Gi", "validRange": {"min": "10Gi", "step": "10Gi"}}
    wanted = [claim(request("r", capacity={"requests": {"memory": "35Gi"}}), name=name) for name in "abc"]
    here = snapshot(node(), shared(**policy), device_class(), *wanted)
    for name in "ab":
        assert fit(read(pod(name, name=name)), here).fits == ("n",)
        here = assume(read(pod(name, name=name)), here, "n")
    assert fit(read(pod("c", name="c")), here).rejections["n"].reasons == ("cannot allocate all claims",)


def test_a_share_that_another_claim_has_counts():
    policy = {"default": "10Gi"}
    other = held("d0", shareID="1", consumedCapacity={"memory": "75Gi"})
    here = snapshot(node(), shared(**policy), device_class(), other, claim(request()))
    assert fit(read(pod("c")), here).fits == ()


def test_a_share_without_capacity_is_another_usage_than_none():
    """Counters see the device as taken."""
    pools = [SimpleNamespace(driver="gpu.example.com", name="n")]
    view = SimpleNamespace(slots=[SimpleNamespace(id="d0"), SimpleNamespace(id="d1")], elsewhere=(), pools=pools)
    free, one, two = (
        usage_of(view, Holdings({}, frozenset(), frozenset(shared), {}, frozenset({("gpu.example.com", "n")})))
        for shared in ((), ("d0",), ("d1",))
    )
    assert len({free.key, one.key, two.key}) == 3
    assert one.consumed == (None, None)
