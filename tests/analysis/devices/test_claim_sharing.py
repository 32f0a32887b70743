"""Claims that pods share."""

from __future__ import annotations

from claim_findings import claim, codes, gpu, objects, pod


def test_two_pods_that_share_one_claim_are_silent():
    assert codes(objects(claim(f"[{gpu()}]"), pod(), pod().replace("name: p,", "name: q,"))) == []
