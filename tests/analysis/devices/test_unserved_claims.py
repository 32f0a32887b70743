"""Claims that no node's devices can serve: which part of them fails."""

from __future__ import annotations

from textwrap import dedent

import pytest
from claim_findings import GPUS, H100, HEAD, claim, codes, findings, found, gpu, objects, pod

from kubelint_gpu.documents import read
from kubelint_gpu.engine.run import check
from kubelint_gpu.inventory import load
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext

MODEL = "device.attributes['gpu.nvidia.com'].productName"


def test_the_nearest_value_is_told_on_the_line_of_a_block():
    text = """
    apiVersion: resource.k8s.io/v1
    kind: ResourceClaim
    metadata: {name: c, namespace: ns}
    spec:
      devices:
        requests:
          - name: gpu
            exactly:
              deviceClassName: gpu.nvidia.com
              selectors:
                - cel:
                    expression: >-
                      device.driver == 'gpu.nvidia.com' &&
                      device.attributes['gpu.nvidia.com'].productName == 'H100 80GB HBM3'
    """
    (one,) = found(text)
    assert one[:3] == ("KLG703", "error", 15)
    assert (
        one[3] == "no device of class gpu.nvidia.com has productName 'H100 80GB HBM3'; 4 have 'NVIDIA H100 80GB HBM3'"
    )


@pytest.mark.parametrize(
    ("requests", "constraints", "told"),
    [
        (gpu(count=5), "", "the largest node, h-1, has 4"),
        (gpu(f"{MODEL}.startsWith('NVIDIA A')"), "", "has productName starting with 'NVIDIA A'; 4 have 'NVIDIA H"),
        (gpu(f"{MODEL}.startsWith('NVIDIA')", f"{MODEL} == 'x'"), "", "that the selectors before it leave has"),
        (gpu(count=2), "[{matchAttribute: gpu.nvidia.com/uuid}]", "the most are 1"),
        (gpu(count=2), "[{matchAttribute: gpu.nvidia.com/numa}]", "has the attribute gpu.nvidia.com/numa"),
        (gpu(of="mig.nvidia.com"), "", "no device of the cluster is of class mig.nvidia.com"),
        ("{name: r, firstAvailable: [{name: a, deviceClassName: gpu.nvidia.com, count: 5}]}", "", "any of its"),
    ],
)
def test_the_part_that_fails_is_named(requests, constraints, told):
    (one,) = found(claim(f"[{requests}]", constraints=constraints))
    assert one[:2] == ("KLG703", "error")
    assert told in one[3]


@pytest.mark.parametrize(
    ("requests", "constraints"),
    [(gpu(), "[{requests: [gpu]}]"), ("{name: gpu, exactly: {count: 5}}", "")],
)
def test_what_the_api_server_refuses_is_not_told_of_the_attempt_too(requests, constraints):
    told = findings(objects(claim(f"[{requests}]", constraints=constraints), pod()))
    assert [one.code for one in told] == ["KLG003"]


def test_requests_that_only_fail_together_are_told_at_the_last():
    first, second = gpu(count=3), gpu(count=2).replace("name: gpu,", "name: more,")
    (one,) = found(claim(f"[{first}, {second}]"))
    assert (
        one[3]
        == "no node has devices for more beside those for gpu; those for gpu are on h-1, those for more are on h-1"
    )


def test_claims_that_only_fail_together_are_told_at_the_pod():
    text = objects(
        claim(f"[{gpu(count=3)}]", kind="ResourceClaimTemplate", name="three"),
        claim(f"[{gpu(count=2)}]", kind="ResourceClaimTemplate", name="two"),
        pod("resourceClaimTemplateName: three}, {name: more, resourceClaimTemplateName: two").replace(
            "{name: gpu}]", "{name: gpu}, {name: more}]"
        ),
    )
    (one,) = found(text)
    assert one[0] == "KLG703"
    assert "all of its claims gpu and more" in one[3]


def test_slices_of_manifests_are_devices_of_the_cluster():
    published = """\
    apiVersion: resource.k8s.io/v1
    kind: ResourceSlice
    metadata: {name: nics}
    spec:
      driver: nic.example.com
      nodeName: h-1
      pool: {name: h-1, generation: 1, resourceSliceCount: 1}
      devices: [{name: nic-0}, {name: nic-1}]
    ---
    apiVersion: resource.k8s.io/v1
    kind: DeviceClass
    metadata: {name: nic}
    spec: {selectors: [{cel: {expression: "device.driver == 'nic.example.com'"}}]}
    """
    assert codes(objects(dedent(published), claim(f"[{gpu(count=2, of='nic')}]"))) == []
    ((*_, told),) = found(objects(dedent(published), claim(f"[{gpu(count=3, of='nic')}]")))
    assert told == "it asks for 3 devices of class nic at once, and the largest node, h-1, has 2"


SHARED = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: gpus}
spec:
  driver: gpu.example.com
  nodeName: h-1
  pool: {name: h-1, generation: 1, resourceSliceCount: 1}
  devices:
    - name: gpu-0
      allowMultipleAllocations: true
      attributes: {index: {int: 0}, family: {string: "0"}}
      capacity:
        memory: {value: 40Gi, requestPolicy: {default: 5Gi, validRange: {min: 5Gi, max: 30Gi}}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: shared}
spec: {selectors: [{cel: {expression: "device.driver == 'gpu.example.com'"}}]}
"""


@pytest.mark.parametrize(
    ("asked", "more", "told"),
    [
        (["device.attributes['gpu.example.com'].index == '1'"], "", "has index '1'; 1 has 0"),
        (["device.attributes['gpu.example.com'].family == '1'"], "", "has family '1'; 1 has '0'"),
        ([], ", capacity: {requests: {memory: 35Gi}}", "gives 35Gi of memory (the most is 30Gi)"),
    ],
)
def test_what_devices_have_is_written_as_it_is_and_as_it_may_be_had(asked, more, told):
    ((*_, text),) = found(objects(SHARED, claim(f"[{gpu(*asked, of='shared', more=more)}]")))
    assert text == f"no device of class shared {told}"


def test_an_error_of_every_attempt_names_no_claim_that_is_not_there():
    many = "\n".join(f"    - name: more-{number}" for number in range(33))
    every = gpu(of="shared", more=", allocationMode: All").replace("count: 1, ", "")
    ((*_, text),) = found(objects(SHARED.replace("  devices:\n", f"  devices:\n{many}\n"), claim(f"[{every}]")))
    told = "number of requested devices 34 exceeds the claim limit of 32"
    assert text == f"every scheduling attempt fails: {told}"


def test_more_nodes_may_have_what_is_missing():
    open_ended = "complete: false\n" + H100
    assert [one[:2] for one in found(claim(f"[{gpu(count=5)}]"), open_ended)] == [("KLG703", "warning")]


@pytest.mark.parametrize(("nodes", "told"), [("", []), (GPUS, ["KLG702", "KLG708"])])
def test_without_devices_of_the_cluster_nothing_is_unsatisfiable(nodes, told):
    assert codes(objects(claim(f"[{gpu(count=30)}]"), pod()), nodes) == told


def test_the_published_example_with_four_partitions_and_one_parent_is_silent():
    profiles = ["1g.10gb", "1g.10gb", "2g.20gb", "3g.40gb"]
    requests = ", ".join(
        gpu(f"device.attributes['gpu.nvidia.com'].profile == '{profile}'", of="mig.nvidia.com").replace(
            "name: gpu,", f"name: mig-{number},"
        )
        for number, profile in enumerate(profiles)
    )
    text = claim(f"[{requests}]", constraints="[{matchAttribute: gpu.nvidia.com/parentUUID}]")
    mig = "{model: H100-80GB-HBM3, count: 1, mig: {1g.10gb: 2, 2g.20gb: 1, 3g.40gb: 1}}"
    nodes = H100.replace("{model: H100-80GB-HBM3, count: 4}", mig)
    assert codes(text, nodes) == []
    (one,) = found(text, nodes.replace("2g.20gb: 1, ", "").replace("1g.10gb: 2", "1g.10gb: 3"))
    assert "profile '2g.20gb'" in one[3]


def test_a_worst_case_ends():
    names = [f"r{number}" for number in range(8)]
    requests = ", ".join(gpu(count=4).replace("name: gpu,", f"name: {name},") for name in names)
    same = "[{matchAttribute: example.com/a}, {matchAttribute: example.com/b}]"
    a, b = ([number % most for number in range(64)] for most in (31, 13))
    attributes = f"{{type: gpu, example.com/a: {a}, example.com/b: {b}}}"
    devices = f"{{driver: gpu.nvidia.com, count: 64, attributes: {attributes}}}"
    nodes = H100.replace("{model: H100-80GB-HBM3, count: 4}", devices)
    assert set(codes(claim(f"[{requests}]", constraints=same), nodes)) <= {"KLG703"}


def test_a_constraint_that_fails_only_beside_others_says_so():
    devices = "{driver: gpu.nvidia.com, count: 4, attributes: {type: gpu, example.com/a: [0, 0, 1, 1], example.com/b: [0, 0, 1, 1]}}"
    nodes = H100.replace("{model: H100-80GB-HBM3, count: 4}", devices)
    both = "[{matchAttribute: example.com/a}, {distinctAttribute: example.com/b}]"
    requests = f"[{gpu()}, {gpu().replace('name: gpu,', 'name: more,')}]"
    (one,) = found(claim(requests, constraints=both), nodes)
    assert one[3] == (
        "no node has devices for gpu and more that all have different values of example.com/b, where the constraints before it hold"
    )


CLASS = """
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: served}
spec: {extendedResourceName: example.com/gpu}
"""


ASKING = """
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: ns}
spec:
  containers:
    - {name: m, image: i, resources: {limits: {example.com/gpu: 5}}}
"""


@pytest.mark.parametrize(
    ("count", "told"), [(4, []), (5, ["no node has 5 devices of DeviceClass served: the largest has 4"])]
)
def test_a_resource_that_a_class_serves_lacks_devices(count, told):
    readings = (read("inventory.yaml", (HEAD.format(version="1.36") + H100).encode()),)
    inventory, errors = load(readings)
    world = ClusterContext(inventory, readings, errors)
    text = objects(CLASS, ASKING.replace("gpu: 5", f"gpu: {count}")).encode()
    unit = ApplySet((read("a.yaml", text),), world)
    found = [one.message for one in check((unit,), world, fixes=False).findings if one.severity == "error"]
    assert [one.partition(";")[0] for one in found] == told


RULE = """
apiVersion: resource.k8s.io/v1beta2
kind: DeviceTaintRule
metadata: {name: %s}
spec: {deviceSelector: {driver: %s}, taint: {key: broken, effect: NoSchedule}}
"""


@pytest.mark.parametrize(
    ("driver", "there", "told"),
    [("gpu.nvidia.com", True, ["KLG703"]), ("nic.example.com", True, []), ("gpu.nvidia.com", False, [])],
)
def test_a_rule_of_the_manifests_taints_devices_where_the_cluster_heeds_rules(driver, there, told):
    served = f"---{RULE % ('other', 'nic.example.com')}" * there
    readings = (read("inventory.yaml", f"{HEAD.format(version='1.36')}{H100}{served}".encode()),)
    inventory, errors = load(readings)
    world = ClusterContext(inventory, readings, errors)
    unit = ApplySet((read("a.yaml", objects(RULE % ("broken", driver), claim(f"[{gpu()}]")).encode()),), world)
    assert [one.code for one in check((unit,), world, fixes=False).findings if one.severity == "error"] == told


@pytest.mark.parametrize(
    "toleration", ["{key: a, operator: In}", "{key: a, operator: Exists, effect: PreferNoSchedule}"]
)
def test_what_else_fails_is_told_of_a_claim_whose_toleration_is_refused(toleration):
    wrong = "[{cel: {expression: \"device.attributes['gpu.nvidia.com'].productName == 'H100'\"}}]"
    asked = (
        f"[{{name: r, exactly: {{deviceClassName: gpu.nvidia.com, selectors: {wrong}, tolerations: [{toleration}]}}}}]"
    )
    every = [(one.code, one.severity) for one in findings(claim(asked))]
    assert ("KLG703", "error") in every
    assert ("KLG003", "error") in every
    lawful = asked.replace("In", "Exists").replace("PreferNoSchedule", "NoSchedule")
    assert "KLG003" not in [one.code for one in findings(claim(lawful))]


@pytest.mark.parametrize(
    ("large", "told"),
    [("", ["KLG703"]), ("unschedulable: true", []), ("taints: ['a=b:NoSchedule']", []), ("allocatable: {cpu: 1m}", [])],
)
def test_a_node_that_the_filters_before_refuse_fails_no_attempt(large, told):
    small = "{name: small, allocatable: {cpu: 96}, devices: [{model: H100-80GB-HBM3, count: 2}]}"
    more = "" if large.startswith("allocatable") else "allocatable: {cpu: 96}, "
    nodes = f"nodes:\n  - {small}\n  - {{name: large, {more}{large}{large and ', '}"
    every = "{name: gpu, exactly: {deviceClassName: gpu.nvidia.com, allocationMode: All}}"
    text = objects(claim(f"[{every}]"), pod(resources="claims: [{name: gpu}], requests: {cpu: 1}"))
    devices = "devices: [{model: H100-80GB-HBM3, count: 40}]}\n"
    assert codes(text, f"{nodes}{devices}") == told


@pytest.mark.parametrize(
    ("claimed", "cpu", "served", "told"),
    [
        (1, 1, 1, []),
        (5, 1, 1, ["KLG703"]),
        (3, 1, 2, ["KLG703"]),
        (1, 1, 5, ["KLG502"]),
        (0, 100, 1, ["KLG201"]),
        (0, 1, 5, ["KLG502"]),
    ],
)
def test_the_resource_is_told_that_lacks(claimed, cpu, served, told):
    text = pod(resources=f"claims: [{{name: gpu}}], requests: {{cpu: {cpu}}}, limits: {{nvidia.com/gpu: {served}}}")
    text = text if claimed else text.replace("claims: [{name: gpu}], ", "").replace(GPU_ENTRY, "")
    every = findings(objects(claim(f"[{gpu(count=claimed or 1)}]"), text))
    assert [one.code for one in every if one.severity == "error"] == told


GPU_ENTRY = "resourceClaims: [{name: gpu, resourceClaimName: c}], "
