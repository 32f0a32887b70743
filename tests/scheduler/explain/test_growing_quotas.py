"""By how much quotas would have to grow, and where that would not help."""

from __future__ import annotations

from gpu_objects import GPU, explained, gpu_node, gpu_pod
from plugin_objects import node, pod

from kubelint_gpu.scheduler.explain.cluster_changes import (
    QuotaGrows,
)


def test_a_quota_that_is_used_up_tells_by_how_much_it_would_have_to_grow():
    quota = {
        "kind": "ResourceQuota",
        "metadata": {"name": "gpus", "namespace": "default"},
        "spec": {"hard": {f"requests.{GPU}": "1", "pods": "10"}},
    }
    found = explained(gpu_pod(gpus=2), gpu_node("a", 4), gpu_pod("old", on="a"), quota)
    assert "exceeded quota: gpus" in found.refusal
    assert found.quotas == (QuotaGrows("default/gpus", f"requests.{GPU}", 3000, 1000),)
    assert found.fits


def test_a_quota_that_wants_requests_written_is_not_mended_by_growing():
    quota = {
        "kind": "ResourceQuota",
        "metadata": {"name": "q", "namespace": "default"},
        "spec": {"hard": {"limits.cpu": "1"}},
    }
    found = explained(pod(), node("a"), quota)
    assert "must specify limits.cpu" in found.refusal
    assert found.quotas == ()
