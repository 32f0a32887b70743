"""Claims as manifests write them, and pods that name them."""

from __future__ import annotations

from claim_findings import H100, claim, codes, findings, found, gpu, objects, pod


def test_a_missing_claim_is_told_without_an_inventory_only_where_it_is_a_slip():
    assert codes(pod(), "") == []
    (one,) = found(objects(claim(f"[{gpu()}]", name="gpu-claim"), pod("resourceClaimName: gpu-claims")), "")
    assert one[:2] == ("KLG701", "warning")


def test_a_like_name_in_another_namespace_is_no_claim_of_the_pod():
    other = claim(f"[{gpu()}]").replace("namespace: ns", "namespace: other")
    (one,) = found(objects(other, pod()))
    assert one[0] == "KLG701"
    assert "it is in other" in one[3]


def test_of_an_entry_with_both_names_only_its_refusal_is_told():
    both = pod("resourceClaimName: c, resourceClaimTemplateName: c")
    template = claim(f"[{gpu()}]", kind="ResourceClaimTemplate")
    assert [one.code for one in findings(objects(template, both))] == ["KLG003"]


def test_a_claim_of_v1beta1_is_read_in_its_own_shape():
    text = claim("[{name: gpu, deviceClassName: gpu.nvidia.com, count: 5}]", version="v1beta1")
    (one,) = found(text)
    assert one[0] == "KLG703"


def test_a_claim_that_cannot_be_read_is_there():
    assert codes(objects(claim("[{name: gpu, exactly: {deviceClassName: gpu.nvidia.com, count: two}}]"), pod())) == []


def test_a_capture_has_all_templates():
    generated = """\
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: x-gpu-abc, namespace: ns, ownerReferences: [{apiVersion: v1, kind: Pod, name: x, uid: u}]}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}]}}
"""
    text = pod("resourceClaimTemplateName: t")
    assert [one[:2] for one in found(text)] == [("KLG701", "warning")]
    assert [one[:2] for one in found(text, H100 + generated)] == [("KLG701", "error")]


def test_findings_at_a_claim_name_the_workloads_that_use_it():
    (told,) = [one for one in findings(objects(claim(f"[{gpu(count=9)}]"), pod())) if one.code == "KLG703"]
    assert (told.object, told.others) == ("ResourceClaim/ns/c", ("Pod/ns/p",))


def allocated(expression, more=""):
    """Claim `c` of the inventory, which has a device of `h-1`."""
    exactly = f'deviceClassName: gpu.nvidia.com, selectors: [{{cel: {{expression: "{expression}"}}}}]'
    device = "{request: gpu, driver: gpu.nvidia.com, pool: h-1, device: gpu-0}"
    return (
        "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\n"
        f"metadata: {{name: c, namespace: ns, uid: u{more}}}\n"
        f"spec: {{devices: {{requests: [{{name: gpu, exactly: {{{exactly}}}}}]}}}}\n"
        f"status: {{allocation: {{devices: {{results: [{device}]}}}}}}\n"
    )


def test_what_a_claim_has_is_not_asked_for_again():
    for expression in ("device.driver == 'other'", "device.attributes['gpu.nvidia.com'].nothing == 'x'"):
        asked = claim(f"[{gpu(expression)}]")
        assert codes(objects(asked, pod())) != []
        assert codes(pod(), H100 + allocated(expression)) == []
        assert codes(objects(asked, pod()), H100 + allocated(expression)) == []


def test_no_pod_runs_with_a_claim_that_is_being_deleted():
    leaving = H100 + allocated("true", ", deletionTimestamp: '2026-01-01T00:00:00Z'")
    ((code, severity, _, message),) = found(pod(), leaving)
    assert (code, severity) == ("KLG701", "error")
    assert "is being deleted: its pods wait until it is gone" in message
    again = found(objects(claim(f"[{gpu('true')}]"), pod()), leaving)
    assert [one[:2] for one in again] == [("KLG701", "warning")]


def test_pods_that_run_keep_a_claim_that_is_being_deleted():
    text = (
        "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: p, namespace: ns}\n"
        "spec:\n  replicas: 1\n  serviceName: p\n  selector: {matchLabels: {a: p}}\n"
        "  template:\n    metadata: {labels: {a: p}}\n    spec:\n      resourceClaims: [{name: gpu, resourceClaimName: c}]\n"
        "      containers: [{name: m, image: i, resources: {claims: [{name: gpu}]}}]\n"
    )
    running = (
        "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p-0, namespace: ns, labels: {a: p}, ownerReferences: "
        "[{apiVersion: apps/v1, kind: StatefulSet, name: p, uid: s, controller: true}]}\n"
        "spec: {nodeName: h-1, resourceClaims: [{name: gpu, resourceClaimName: c}], "
        "containers: [{name: m, image: i, resources: {claims: [{name: gpu}]}}]}\nstatus: {phase: Running}\n"
    )
    leaving = H100 + allocated("true", ", deletionTimestamp: '2026-01-01T00:00:00Z'")
    assert [one[1] for one in found(text, leaving)] == ["error"]
    (told,) = [one for one in findings(text, leaving + running) if one.code == "KLG701"]
    assert (told.severity, told.certainty, told.moment) == ("warning", "possible", "next")
