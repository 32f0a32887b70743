"""What several workloads ask for beyond what there is."""

from __future__ import annotations

import pytest
from change_cases import GIVES, inventory, made, on
from checks_units import findings, unit
from claim_findings import claim, gpu, objects
from claim_findings import findings as findings_of_claims
from hypothesis import given, settings
from hypothesis import strategies as st

from kubelint_gpu.analysis.room.overcommitment import overcommitments
from kubelint_gpu.engine.causes import told_once


def asked(text, nodes):
    """Per overcommitted part: what, how much there is, how much is asked for, and by how many."""
    found = overcommitments(unit(text, nodes)).values()
    return sorted({(one.label, one.total, sum(one.amounts.values()), len(one.amounts)) for one in found})


def of(*counts):
    """A workload of one pod for each, with so many GPUs; on the node where a pair says which."""
    every = []
    for number, one in enumerate(counts):
        gpus, node = one if isinstance(one, tuple) else (one, "")
        every.append(made(f"w{number}", GIVES, gpus=gpus, pod=on(node) if node else ""))
    return "".join(every).removeprefix("---\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (of(2, 2), []),
        (of(2, 1, 2), [("nvidia.com/gpu", 4, 5, 3)]),
        (of((2, "n1"), (1, "n1"), 1), [("nvidia.com/gpu", 2, 3, 2)]),
        (of((2, "n1"), (2, "n2")), []),
        (of((2, "n1"), (1, "n2"), 2), [("nvidia.com/gpu", 4, 5, 3)]),
        (of(8, 1), []),
    ],
)
def test_the_smallest_part_that_is_too_small_is_found(text, expected):
    assert asked(text, inventory(2, 2)) == expected


@pytest.mark.parametrize(("cpu", "short"), [(6, ("nvidia.com/gpu", 2, 3, 3)), (15, ("cpu", 16000, 45000, 3))])
def test_of_several_resources_that_with_the_smallest_share_is_named(cpu, short):
    limits = f"limits: {{cpu: {cpu}, nvidia.com/gpu: "
    assert asked(of(1, 1, 1).replace("limits: {nvidia.com/gpu: ", limits), inventory(2)) == [short]


def test_what_more_is_asked_for_than_there_is_is_one_error():
    every = [one for one in told_once(findings(of(2, 1, 2), inventory(2, 2))) if one.code == "KLG109"]
    assert [one.severity for one in every] == ["error"]
    assert every[0].message.startswith(
        "Deployments serving/w0, serving/w1 and serving/w2 cannot all run: they ask for 5 nvidia.com/gpu of n1 and n2, which have 4; "
    )


def test_devices_of_several_selections_are_counted_together():
    nodes = (
        "nodes:\n  - {name: a, allocatable: {cpu: 9}, devices: [{model: H100-80GB-HBM3, count: 2}]}\n"
        "  - {name: b, allocatable: {cpu: 9}, devices: [{model: A100-SXM4-80GB, count: 2}]}\n"
    )
    product = "device.attributes['gpu.nvidia.com'].architecture == '{}'"

    def pods(*chosen):
        every = []
        for number, one in enumerate(chosen):
            asks = gpu(*([product.format(one)] if one else []))
            every.append(claim(f"[{asks}]", kind="ResourceClaimTemplate", name=f"t{number}"))
            every.append(
                f"apiVersion: v1\nkind: Pod\nmetadata: {{name: p{number}, namespace: ns}}\nspec:\n"
                f"  resourceClaims: [{{name: gpu, resourceClaimTemplateName: t{number}}}]\n"
                "  containers: [{name: m, image: i, resources: {claims: [{name: gpu}]}}]\n"
            )
        found = told_once(findings_of_claims(objects(*every), nodes))
        return [one.message for one in found if one.severity == "error"]

    assert pods("Hopper", "Hopper", "Ampere", "") == []
    (told,) = pods("Hopper", "Hopper", "Ampere", "", "")
    assert "ask for 5 devices of class gpu.nvidia.com of a and b, which have 4; this is missing capacity" in told
    (told,) = pods("Hopper", "Hopper", "Hopper", "")
    assert "ask for 3 devices of class gpu.nvidia.com that device.attributes" in told


_one = st.tuples(st.integers(1, 2), st.sampled_from(["", "n1", "n2"]))


@settings(max_examples=60, deadline=None)
@given(st.lists(_one, min_size=2, max_size=4))
def test_no_placement_has_all_pods_of_an_overcommitted_part(counts):
    """Against every placement of one GPU after the other."""
    free = {"n1": 2, "n2": 2}

    def fits(rest):
        if not rest:
            return True
        (gpus, node), *more = rest
        for name in [node] if node else list(free):
            if free[name] >= gpus:
                free[name] -= gpus
                done = fits(more)
                free[name] += gpus
                if done:
                    return True
        return False

    if asked(of(*counts), inventory(2, 2)):
        assert not fits(counts)


def test_devices_of_nodes_that_may_join_are_not_counted():
    pool = (
        "pools:\n  - name: g\n    count: 1\n    autoscaling: {min: 0, max: 3}\n"
        "    template: {allocatable: {cpu: 9}, devices: [{model: H100-80GB-HBM3, count: 1}]}\n"
    )
    template = claim(f"[{gpu()}]", kind="ResourceClaimTemplate", name="t")
    pods = [
        f"apiVersion: v1\nkind: Pod\nmetadata: {{name: p{number}, namespace: ns}}\nspec:\n"
        "  resourceClaims: [{name: gpu, resourceClaimTemplateName: t}]\n"
        "  containers: [{name: m, image: i, resources: {claims: [{name: gpu}]}}]\n"
        for number in range(2)
    ]
    for nodes, errors in ((pool, 0), (pool.replace("max: 3", "max: 1"), 1)):
        found = told_once(findings_of_claims(objects(template, *pods), nodes))
        assert sum(one.severity == "error" for one in found) == errors


@pytest.mark.parametrize("asked_for", [(3, 3), (2, 2, 3)])
def test_what_devices_serve_beside_a_device_plugin_is_not_what_nodes_have_allocatable(asked_for):
    nodes = (
        "nodes:\n  - {name: p, allocatable: {cpu: 9}, gpus: {model: H100-80GB-HBM3, count: 4}}\n"
        "  - {name: d, allocatable: {cpu: 9}, devices: [{model: H100-80GB-HBM3, count: 4}]}\n"
    )
    pods = [
        f"apiVersion: v1\nkind: Pod\nmetadata: {{name: p{number}, namespace: ns}}\n"
        f"spec: {{containers: [{{name: m, image: i, resources: {{limits: {{nvidia.com/gpu: {gpus}}}}}}}]}}\n"
        for number, gpus in enumerate(asked_for)
    ]
    found = told_once(findings_of_claims(objects(*pods), nodes))
    assert [one.code for one in found if one.severity == "error"] == []
