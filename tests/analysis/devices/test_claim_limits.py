"""Claims that ask for more than a claim may have, or for what a release drops."""

from __future__ import annotations

from claim_findings import claim, codes, found, gpu, objects, pod


def test_one_claim_for_more_pods_than_can_reserve_it():
    assert "KLG706" in codes(objects(claim(f"[{gpu()}]"), pod(replicas=257)))
    assert "KLG706" not in codes(objects(claim(f"[{gpu()}]"), pod(replicas=256)))


def test_a_claim_that_is_refused_for_its_requests_is_not_told_to_be_accepted():
    requests = ", ".join(f"{{name: r{number}, exactly: {{deviceClassName: gpu.nvidia.com}}}}" for number in range(34))
    assert [one[3] for one in found(claim(f"[{requests}]"))] == [
        "the API server refuses it: requests must have at most 32 items, and has 34"
    ]


def test_fields_of_later_gates_are_dropped():
    text = claim(f"[{gpu(more=', capacity: {requests: {memory: 1Gi}}')}]")
    assert [one[:2] for one in found(text, version="1.34")] == [("KLG706", "warning")]
    assert "KLG706" not in codes(text)


def test_administration_in_a_namespace_that_nobody_declares_is_a_note():
    (one,) = [one for one in found(claim(f"[{gpu(more=', adminAccess: true')}]")) if one[0] == "KLG706"]
    assert one[:2] == ("KLG706", "note")
