"""What a pod may change."""

from __future__ import annotations

import pytest
from update_objects import JOB, POD, changed

from kubelint_gpu.documents import read
from kubelint_gpu.kube.updates.object_updates import refused_changes
from kubelint_gpu.kube.values.errors import field_path


def refused(old, new, minor=34):
    return [(field_path(change.at[0]), change.answer) for change in refused_changes(old, new, minor)]


@pytest.mark.parametrize(
    ("path", "to", "part"),
    [
        (("spec", "containers", 0, "image"), "b:2", None),
        (("spec", "activeDeadlineSeconds"), 50, None),
        (("spec", "activeDeadlineSeconds"), 200, "must be less than or equal to previous value"),
        (("spec", "activeDeadlineSeconds"), None, "must not update from a positive integer to nil value"),
        (("spec", "tolerations", 0, "tolerationSeconds"), 9, None),
        (("spec", "tolerations", 0, "key"), "b", "existing toleration can not be modified"),
        (("spec", "nodeSelector"), {"a": "b"}, "pod updates may not change fields other than"),
        (("spec", "priorityClassName"), "high", "pod updates may not change fields other than"),
        (("spec", "schedulingGates"), [{"name": "a/b"}], "found new scheduling gate 'a/b'"),
        (("spec", "initContainers"), [{"name": "b", "image": "c"}], "pod updates may not add or remove containers"),
    ],
)
def test_what_a_pod_may_change(path, to, part):
    found = refused(POD, changed(POD, path, to))
    assert len(found) == (part is not None)
    assert part is None or part in found[0][1]


def test_a_gated_pod_may_get_a_node_selector_and_lose_its_gates():
    old = changed(POD, ("spec", "schedulingGates"), [{"name": "a/b"}])
    new = changed(changed(old, ("spec", "nodeSelector"), {"a": "b"}), ("spec", "schedulingGates"), [])
    assert refused(old, new) == []


@pytest.mark.parametrize(
    ("path", "to", "answer"),
    [
        (("spec", "completions"), 3, "spec.completions: Invalid value: field is immutable"),
        (("spec", "completionMode"), "Indexed", "spec.completionMode: Invalid value: field is immutable"),
        (("spec", "backoffLimitPerIndex"), 2, "spec.backoffLimitPerIndex: Invalid value: field is immutable"),
        (
            ("spec", "template", "spec", "containers", 0, "image"),
            "b:2",
            "spec.template: Invalid value: field is immutable",
        ),
        (
            ("spec", "template", "metadata"),
            {"labels": {"a": "b"}},
            "spec.template: Invalid value: field is immutable",
        ),
        (("spec", "parallelism"), 1, None),
        (("spec", "suspend"), True, None),
        (("spec", "backoffLimit"), 1, None),
        (("spec", "ttlSecondsAfterFinished"), 1, None),
        (("spec", "template", "spec", "dnsPolicy"), "ClusterFirst", None),
        (("spec", "template", "spec", "containers", 0, "imagePullPolicy"), "IfNotPresent", None),
        (
            ("spec", "template", "spec", "containers", 0, "resources", "requests"),
            {"nvidia.com/gpu": "1"},
            "spec.template: Invalid value: field is immutable",
        ),
        (("spec", "template", "spec", "containers", 0, "image"), "${IMAGE}", None),
    ],
)
def test_what_a_job_may_change(path, to, answer):
    found = [text for _, text in refused(JOB, changed(JOB, path, to))]
    assert found == ([answer] if answer else [])


@pytest.mark.parametrize(("completions", "parallelism", "count"), [(4, 4, 0), (4, 2, 1), (2, 1, 0)])
def test_an_indexed_job_changes_completions_and_parallelism_together(completions, parallelism, count):
    old = changed(JOB, ("spec", "completionMode"), "Indexed")
    new = changed(changed(old, ("spec", "completions"), completions), ("spec", "parallelism"), parallelism)
    assert len(refused(old, new)) == count


def test_a_suspended_job_may_change_where_it_runs():
    old = changed(JOB, ("spec", "suspend"), True)
    new = changed(old, ("spec", "template", "spec", "nodeSelector"), {"pool": "a"})
    new = changed(new, ("spec", "template", "spec", "tolerations"), [{"operator": "Exists"}])
    new = changed(new, ("spec", "template", "metadata"), {"labels": {"a": "b"}})
    assert refused(old, new) == []
    assert len(refused(JOB, new)) == 1
    anti = changed(old, ("spec", "template", "spec", "affinity"), {"podAntiAffinity": {"a": 1}})
    assert len(refused(old, anti)) == 1


def test_a_suspended_job_may_change_its_resources_from_1_36_on():
    old = changed(JOB, ("spec", "suspend"), True)
    new = changed(old, ("spec", "template", "spec", "containers", 0, "resources", "limits", "nvidia.com/gpu"), 2)
    assert len(refused(old, new, 35)) == 1
    assert refused(old, new, 36) == []


def test_labels_that_the_job_controller_adds_are_no_change():
    old = changed(JOB, ("spec", "template", "metadata"), {"labels": {"controller-uid": "1", "job-name": "finetune"}})
    assert refused(old, JOB) == []


def parsed(text):
    return read("a.yaml", text.encode()).documents[0].value


CLAIM = parsed("""
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], storageClassName: fast, resources: {requests: {storage: 10Gi}}}
""")


@pytest.mark.parametrize(
    ("path", "to", "part"),
    [
        (("spec", "resources", "requests", "storage"), "20Gi", None),
        (("spec", "resources", "requests", "storage"), "5Gi", "field can not be less than status.capacity"),
        (("spec", "storageClassName"), "slow", "spec is immutable after creation except"),
        (("spec", "storageClassName"), "", "spec is immutable after creation except"),
        (("spec", "accessModes"), ["ReadWriteMany"], "spec is immutable after creation except"),
        (("spec", "volumeMode"), "Filesystem", None),
        (("spec", "volumeName"), "pv-1", None),
        (("spec", "volumeAttributesClassName"), "gold", None),
    ],
)
def test_what_a_claim_may_change(path, to, part):
    found = refused(CLAIM, changed(CLAIM, path, to))
    assert len(found) == (part is not None)
    assert part is None or part in found[0][1]


def test_the_words_about_claims_are_those_of_the_release():
    smaller = changed(CLAIM, ("spec", "resources", "requests", "storage"), "5Gi")
    other = changed(CLAIM, ("spec", "accessModes"), ["ReadWriteMany"])
    assert refused(CLAIM, smaller, 31)[0][1].endswith("less than previous value")
    assert refused(CLAIM, other, 28)[0][1].endswith("except resources.requests for bound claims")
