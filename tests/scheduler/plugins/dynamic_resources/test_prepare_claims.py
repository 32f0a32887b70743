"""What the plugin says, point by point."""

from __future__ import annotations

import subprocess
import sys

import pytest
from devices import (
    claim,
    device,
    device_class,
    first_available,
    held,
    node,
    pod,
    query,
    read,
    request,
    resource_slice,
    snapshot,
    template,
)

from kubelint_gpu.scheduler import Code, attempt, fit, message, preempt

ONE = resource_slice(device("d0", model="A", numa=0), device("d1", model="B", numa=1))
CLASS = device_class("gpu", "device.driver == 'gpu.example.com'")
ERROR = 'running "DynamicResources" filter plugin: '


def rejections(incoming, *objects, **more):
    return {name: status.reasons for name, status in fit(read(incoming), snapshot(*objects, **more)).rejections.items()}


def test_a_claim_that_can_be_allocated_lets_the_node_pass():
    assert rejections(pod("c"), node(), ONE, CLASS, claim(request("r", 2))) == {}


def test_a_claim_that_cannot_is_beyond_what_preemption_could_help():
    found = attempt(read(pod("c")), snapshot(node(), ONE, CLASS, claim(request("r", 3))))
    assert found.fit.rejections["n"].code is Code.UNRESOLVABLE
    assert found.message == (
        "0/1 nodes are available: 1 cannot allocate all claims. still not schedulable, "
        "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
    )


@pytest.mark.parametrize(
    ("incoming", "objects", "reason"),
    [
        (pod("missing"), [], 'could not find ResourceClaim "ns/missing"'),
        (pod(templates=["t"]), [], 'pod "ns/p": ResourceClaim not created yet'),
        (pod("c"), [claim(request(of="none"))], "request r: device class none does not exist"),
        (
            pod("c"),
            [claim(first_available("r", query(), query(of="none")))],
            "request r/a1: device class none does not exist",
        ),
        (pod("c"), [claim({"name": "r"})], "resource claim ns/c, request r: unknown request type"),
    ],
)
def test_a_claim_without_what_it_needs_keeps_the_pod_from_every_node(incoming, objects, reason):
    here = snapshot(node(), ONE, CLASS, *objects)
    found = fit(read(incoming), here)
    assert found.prefilter.reasons == (reason,)
    text = message(read(incoming), here, found, preempt(read(incoming), here, found))
    assert text.startswith(f"0/1 nodes are available: {reason}. no new claims to deallocate, preemption: 0/1 nodes")


def test_a_pod_whose_claim_is_missing_is_not_looked_at():
    found = attempt(read(pod("missing")), snapshot(node(), ONE, CLASS))
    assert (found.held, found.fit, found.message) == ('could not find ResourceClaim "ns/missing"', None, None)


def test_a_claim_that_is_being_deleted_or_belongs_to_another_pod_is_refused():
    going = claim(request())
    going["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert fit(read(pod("c")), snapshot(node(), ONE, CLASS, going)).prefilter.reasons == (
        'resourceclaim "c" is being deleted',
    )
    made = pod(templates=["t"], resourceClaimStatuses=[{"name": "t", "resourceClaimName": "c"}])
    assert fit(read(made), snapshot(node(), ONE, CLASS, claim(request()))).prefilter.reasons == (
        "ResourceClaim ns/c was not created for Pod ns/p (Pod is not owner)",
    )
    assert fit(read(made), snapshot(node(), ONE, CLASS, claim(request()), version="1.34")).prefilter.reasons == (
        "ResourceClaim ns/c was not created for pod ns/p (pod is not owner)",
    )


def test_a_claim_that_is_allocated_elsewhere_is_not_available():
    elsewhere = held("d0", name="c", by="p", pool="other")
    assert rejections(pod("c"), node(), node("other"), ONE, CLASS, elsewhere) == {
        "n": ("resourceclaim not available on the node",)
    }


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (
            {"count": 2},
            f"{ERROR}claim ns/c, request r: asks for all devices, but resource pool gpu.example.com/n is currently being updated",
        ),
        ({"count": 1}, None),
    ],
)
def test_all_devices_of_a_pool_that_is_not_complete_are_an_error(changes, reason):
    found = attempt(
        read(pod("c")),
        snapshot(node(), resource_slice(device("d0"), **changes), CLASS, claim(request("r", allocationMode="All"))),
    )
    assert found.message == reason


def test_an_incomplete_pool_gives_nothing_out_since_1_35():
    objects = node(), resource_slice(device("d0"), count=2), CLASS, claim(request())
    assert rejections(pod("c"), *objects) == {"n": ("cannot allocate all claims",)}
    assert rejections(pod("c"), *objects, version="1.35") == {"n": ("cannot allocate all claims",)}
    assert rejections(pod("c"), *objects, version="1.34") == {}


def test_a_pool_that_contradicts_itself_is_invalid():
    twice = resource_slice(device("d0"), device("d0"))
    assert rejections(pod("c"), node(), twice, CLASS, claim(request())) == {
        "n": ("invalid resource pools were encountered",)
    }
    found = attempt(read(pod("c")), snapshot(node(), twice, CLASS, claim(request()), version="1.34"))
    assert found.message == f"{ERROR}pool n is invalid: duplicate device name d0"


def test_a_claim_from_a_template_is_the_one_that_the_controller_makes():
    assert rejections(pod(templates=["t"]), node(), ONE, CLASS, template(request("r", 2))) == {}
    assert rejections(pod(templates=["t"]), node(), ONE, CLASS, template(request("r", 3))) == {
        "n": ("cannot allocate all claims",)
    }


def test_before_1_34_claims_keep_no_pod_from_a_node():
    assert rejections(pod("c"), node(), ONE, CLASS, claim(request("r", 3)), version="1.33") == {}


def test_admin_access_takes_devices_that_are_held():
    objects = node(), ONE, CLASS, held("d0"), held("d1")
    assert rejections(pod("c"), *objects, claim(request("r", allocationMode="All"))) == {
        "n": ("cannot allocate all claims",)
    }
    assert rejections(pod("c"), *objects, claim(request("r", allocationMode="All", adminAccess=True))) == {}


def test_a_taint_keeps_requests_away_that_do_not_tolerate_it_where_the_release_knows_taints():
    tainted = resource_slice({**device("d0"), "taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}]})
    tolerant = request("r", tolerations=[{"key": "k", "operator": "Exists"}])
    assert rejections(pod("c"), node(), tainted, CLASS, claim(request())) == {"n": ("cannot allocate all claims",)}
    assert rejections(pod("c"), node(), tainted, CLASS, claim(tolerant)) == {}
    assert rejections(pod("c"), node(), tainted, CLASS, claim(request()), version="1.34") == {}


def test_a_run_without_claims_loads_no_library_of_expressions():
    program = (
        "import sys\n"
        "from kubelint_gpu.scheduler import Snapshot, attempt, read_cluster, read_pod\n"
        "node = {'kind': 'Node', 'metadata': {'name': 'n'}, 'status': {'allocatable': {'pods': '1'}}}\n"
        "pod = read_pod({'metadata': {'name': 'p'}, 'spec': {'containers': [{'name': 'c'}]}})\n"
        "assert attempt(pod, Snapshot.of(read_cluster([node]))).fit.fits == ('n',)\n"
        "heavy = ('lark', 're2', 'celpy', 'kubelint_gpu.kube.cel', 'kubelint_gpu.kube.dra', "
        "'kubelint_gpu.scheduler.plugins.dynamic_resources.prepare_claims')\n"
        "print([name for name in heavy if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
