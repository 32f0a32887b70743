"""Pins to nodes beside a deadlock."""

from __future__ import annotations

from pinned_pods import deployment, run, world

from kubelint_gpu.documents import encode, read
from kubelint_gpu.documents.editing import Edit, apply

A100 = "    allocatable: {cpu: 96, memory: 900Gi}\n    gpus: {model: A100-SXM4-80GB, count: 4}\n"
TWO = f"nodes:\n  - name: a-1\n{A100}  - name: a-2\n{A100}"


def test_a_deadlock_on_one_pinned_node_offers_the_wider_selector():
    pinned = deployment("nvidia.com/gpu: 4", pod="      nodeSelector:\n        kubernetes.io/hostname: a-1\n")
    found = run(pinned, world(TWO))
    assert [finding.code for finding in found] == ["KLG101", "KLG203"]
    titles = {fix.title: fix for fix in found[0].fixes}
    assert any(title.startswith("set maxSurge: 0") for title in titles), (
        "the pin must not stand in the way of the safe fix"
    )
    wider = titles["select nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB, which 1 more node has"]
    assert (wider.verified, wider.safety) == (True, "unsafe")
    reading = read("web.yaml", pinned.encode())
    starts = reading.source.line_starts
    edits = [
        Edit(
            "web.yaml",
            reading.source.span(
                starts[edit.place.line - 1] + edit.place.column - 1,
                starts[edit.place.end_line - 1] + edit.place.end_column - 1,
            ),
            edit.text,
        )
        for edit in wider.edits
    ]
    after = encode(reading.source, apply(reading.source, edits)).decode()
    assert after == pinned.replace("kubernetes.io/hostname: a-1", "nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB")


def test_a_pin_to_the_only_node_of_its_kind_offers_nothing_to_a_deadlock():
    one = f"nodes:\n  - name: a-1\n{A100}"
    pinned = deployment("nvidia.com/gpu: 4", pod="      nodeSelector:\n        kubernetes.io/hostname: a-1\n")
    (finding,) = run(pinned, world(one))
    assert not any("nvidia.com/gpu.product" in fix.title for fix in finding.fixes)


def test_a_node_name_on_the_last_line_gives_way_to_a_selector():
    pinned = deployment("nvidia.com/gpu: 4") + "      nodeName: a-1\n"
    (found,) = [one for one in run(pinned, world(TWO)) if one.code == "KLG207"]
    (edit,) = found.fixes[0].edits
    assert edit.text == "Selector:\n        nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB"


def test_a_pin_that_was_read_before_is_widened_alike():
    pin = (
        "      affinity:\n        nodeAffinity:\n          requiredDuringSchedulingIgnoredDuringExecution:\n"
        "            nodeSelectorTerms:\n"
        "              - matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [a-1]}]\n"
    )
    first, second = (run(deployment("nvidia.com/gpu: 1", pod=pin), world(TWO)) for _ in range(2))
    assert [one.message for one in first] == [one.message for one in second]
    assert any("would also let it run on a-2" in one.message for one in second)
