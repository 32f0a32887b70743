"""Claims as manifests write them, and pods that name them."""

from __future__ import annotations

from claim_findings import claim, codes, found, gpu, objects, pod


def test_a_missing_claim_is_told_without_an_inventory_only_where_it_is_a_slip():
    assert codes(pod(), "") == []
    (one,) = found(objects(claim(f"[{gpu()}]", name="gpu-claim"), pod("resourceClaimName: gpu-claims")), "")
    assert one[:2] == ("KLG701", "warning")


def test_a_like_name_in_another_namespace_is_no_claim_of_the_pod():
    other = claim(f"[{gpu()}]").replace("namespace: ns", "namespace: other")
    (one,) = found(objects(other, pod()))
    assert one[0] == "KLG701"
    assert "it is in other" in one[3]


def test_a_claim_of_v1beta1_is_read_in_its_own_shape():
    text = claim("[{name: gpu, deviceClassName: gpu.nvidia.com, count: 5}]", version="v1beta1")
    (one,) = found(text)
    assert one[0] == "KLG703"
