"""The claims of a pod."""

from __future__ import annotations

from kubelint_gpu.kube.dra.pod_claims import PodClaim, pod_claims
from kubelint_gpu.kube.objects.pod import read_pod


def pod(**more):
    return read_pod({"metadata": {"name": "p", "namespace": "ns", "uid": "u"}, **more})


def test_the_claims_of_a_pod_and_those_that_were_made_for_it():
    entries = [{"name": "a", "resourceClaimName": "x"}, {"name": "b", "resourceClaimTemplateName": "t"}]
    statuses = [{"name": "b", "resourceClaimName": "p-b-1"}, {"name": "c"}]
    resources = {"claims": [{"name": "a"}, {"name": "b", "request": "r"}]}
    found = pod(
        spec={"containers": [{"name": "c", "resources": resources}], "resourceClaims": entries},
        status={"resourceClaimStatuses": statuses},
    )
    assert pod_claims(found) == (PodClaim("a", "x", None), PodClaim("b", None, "t"))
    assert found.claim_statuses == {"b": "p-b-1", "c": None}
    assert len(found.spec.containers[0].claims) == 2
