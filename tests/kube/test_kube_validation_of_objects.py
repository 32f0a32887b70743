"""What the API server refuses of claims, budgets, quotas, limit ranges and Jobs; the recordings hold many more."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.objects.workload import read_workload
from kubelint_gpu.kube.validation.job_validation import job_problems
from kubelint_gpu.kube.validation.policy_validation import budget_problems, limit_range_problems, quota_problems
from kubelint_gpu.kube.validation.resource_validation import resource_problems, sum_problems
from kubelint_gpu.kube.validation.volume_validation import claim_problems, volume_problems
from kubelint_gpu.kube.values.errors import field_path


def told(problems):
    return {field_path(problem.pointer): problem.detail for problem in problems if not problem.placeholder}


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"minAvailable": 1, "maxUnavailable": 1}, "spec.maxUnavailable"),
        ({"minAvailable": "50"}, "spec.minAvailable"),
        ({"minAvailable": "101%"}, "spec.minAvailable"),
        ({"maxUnavailable": -1}, "spec.maxUnavailable"),
        ({"unhealthyPodEvictionPolicy": ""}, "spec.unhealthyPodEvictionPolicy"),
        ({"selector": {"matchLabels": {"a b": "x"}}}, "spec.selector.matchLabels.a b"),
        ({"selector": {"matchExpressions": [{"key": "a", "operator": "In"}]}}, "spec.selector.matchExpressions[0]"),
        (
            {"selector": {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]}},
            "spec.selector.matchExpressions[0].values",
        ),
    ],
)
def test_a_budget_is_refused_at_its_field(spec, path):
    assert list(told(budget_problems({"spec": spec}))) == [path]


@pytest.mark.parametrize(
    "spec",
    [
        {"minAvailable": "${MIN}"},
        {"minAvailable": "100%", "maxUnavailable": None},
        {"selector": {"matchExpressions": [{"key": "${KEY}", "operator": "${OPERATOR}", "values": ["${VALUE}"]}]}},
        {"selector": "nonsense", "minAvailable": []},
    ],
)
def test_placeholders_nulls_and_other_types_are_no_business_of_a_budget(spec):
    assert told(budget_problems({"spec": spec})) == {}


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"hard": {"gpu": 1}}, "spec.hard.gpu"),
        ({"hard": {"nvidia.com/gpu": "500m", "requests.nvidia.com/gpu": "500m"}}, "spec.hard[nvidia.com/gpu]"),
        ({"hard": {"services": 1}, "scopes": ["NotTerminating"]}, "spec.scopes[0]"),
        ({"scopes": ["Terminating", "NotTerminating"]}, "spec.scopes"),
        (
            {"scopeSelector": {"matchExpressions": [{"scopeName": "BestEffort", "operator": "In", "values": ["x"]}]}},
            "spec.scopeSelector.matchExpressions[0].operator",
        ),
        (
            {"scopeSelector": {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "In"}]}},
            "spec.scopeSelector.matchExpressions[0]",
        ),
    ],
)
def test_a_quota_is_refused_at_its_field(spec, path):
    assert list(told(quota_problems({"metadata": {"name": "q"}, "spec": spec}))) == [path]


def test_placeholders_in_a_quota_are_not_judged():
    assert told(quota_problems({"metadata": {"name": "q"}, "spec": {"hard": {"${RESOURCE}": "${AMOUNT}"}}})) == {}


@pytest.mark.parametrize(
    ("entry", "path"),
    [
        ({"type": "Container", "min": {"cpu": 2}, "max": {"cpu": 1}}, "spec.limits[0].min.cpu"),
        ({"type": "Container", "default": {"cpu": 2}, "max": {"cpu": 1}}, "spec.limits[0].default.cpu"),
        (
            {"type": "Container", "min": {"nvidia.com/gpu": 1}, "default": {"nvidia.com/gpu": 2}, "defaultRequest": {"nvidia.com/gpu": 1}},
            "spec.limits[0].defaultRequest[nvidia.com/gpu]",
        ),
        ({"type": "Pod", "default": {"cpu": 1}}, "spec.limits[0].default"),
        ({"type": "PersistentVolumeClaim"}, "spec.limits[0]"),
        ({"type": "pod", "max": {"cpu": 1}}, "spec.limits[0].type"),
        ({"type": "Container", "max": {"gpu": 1}}, "spec.limits[0].max.gpu"),
        ({"type": "Container", "maxLimitRequestRatio": {"cpu": "500m"}}, "spec.limits[0].maxLimitRequestRatio.cpu"),
    ],
)  # fmt: skip
def test_a_limit_range_is_refused_at_its_field(entry, path):
    value = {"metadata": {"name": "l"}, "spec": {"limits": [entry]}}
    assert list(told(limit_range_problems(value))) == [path]


def test_two_entries_of_one_type_are_refused_and_amounts_below_zero_are_not():
    entries = [{"type": "Container", "default": {"cpu": -1}}]
    assert told(limit_range_problems({"metadata": {"name": "l"}, "spec": {"limits": entries}})) == {}
    entries = [{"type": "Container", "default": {"cpu": -1}, "min": {"cpu": 2}, "max": {"cpu": 1}}]
    found = told(limit_range_problems({"metadata": {"name": "l"}, "spec": {"limits": entries}}))
    assert list(found) == ["spec.limits[0].min.cpu"]
    twice = [{"type": "Container"}, {"type": "Container"}]
    found = told(limit_range_problems({"metadata": {"name": "l"}, "spec": {"limits": twice}}))
    assert list(found) == ["spec.limits[1].type"]


@pytest.mark.parametrize(
    ("spec", "whole", "path"),
    [
        ({}, False, None),
        ({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}, True, None),
        ({"accessModes": ["ReadWriteOnce"]}, True, "spec"),
        ({"accessModes": []}, False, "spec.accessModes"),
        ({"accessModes": ["RWO"]}, False, "spec.accessModes[0]"),
        ({"accessModes": ["ReadWriteOncePod", "ReadWriteOnce"]}, False, "spec.accessModes"),
        ({"resources": {"requests": {"storage": 0}}}, False, "spec.resources.requests.storage"),
        ({"storageClassName": "Bad_Name"}, False, "spec.storageClassName"),
        ({"volumeMode": "raw"}, False, "spec.volumeMode"),
        ({"storageClassName": "${CLASS}", "volumeMode": "${MODE}", "accessModes": ["${MODE}"]}, False, None),
    ],
)
def test_a_claim_is_refused_at_its_field(spec, whole, path):
    assert list(told(claim_problems(spec, ("spec",), whole=whole))) == ([path] if path else [])


@pytest.mark.parametrize(
    ("volume", "path"),
    [
        ({"name": "a", "emptyDir": {}, "hostPath": {"path": "/x"}}, "volumes[0].hostPath"),
        ({"name": "a", "emptyDir": None, "hostPath": {"path": "/x"}}, None),
        ({"emptyDir": {}}, "volumes[0]"),
        ({"name": "A"}, "volumes[0].name"),
        ({"name": "a", "emptyDir": {"sizeLimit": -1}}, "volumes[0].emptyDir.sizeLimit"),
        ({"name": "a", "persistentVolumeClaim": {}}, "volumes[0].persistentVolumeClaim"),
        (
            {"name": "a", "ephemeral": {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"]}}}},
            "volumes[0].ephemeral.volumeClaimTemplate.spec",
        ),
    ],
)
def test_a_volume_is_refused_at_its_field(volume, path):
    assert list(told(volume_problems({"volumes": [volume]}, ()))) == ([path] if path else [])


def container(**resources):
    return {"containers": [{"name": "c", "resources": resources}]}


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        (container(limits={"hugepages-2Mi": "3Mi", "cpu": 1}), "containers[0].resources.limits.hugepages-2Mi"),
        (container(requests={"hugepages-2Mi": "4Mi", "cpu": 1}), "containers[0].resources.requests.hugepages-2Mi"),
        (container(limits={"hugepages-2Mi": "4Mi"}), "containers[0].resources"),
        (container(claims=[{"name": "gpu"}]), "containers[0].resources.claims[0]"),
        ({"resourceClaims": [{"name": "gpu"}]}, "resourceClaims[0]"),
        ({"resourceClaims": [{"name": "gpu", "source": {"resourceClaimName": "a"}}]}, None),
        ({"resources": {"limits": {"nvidia.com/gpu": 1}}}, "resources.limits[nvidia.com/gpu]"),
        ({"resources": {"limits": {"cpu": 1}, "requests": {"cpu": 2}}}, "resources.requests.cpu"),
    ],
)
def test_resources_are_refused_at_their_field(spec, path):
    assert list(told(resource_problems(spec, ()))) == ([path] if path else [])


def test_a_request_of_the_whole_pod_covers_those_of_its_containers():
    value = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p"},
        "spec": {"resources": {"requests": {"cpu": 1}}, "containers": [{"resources": {"requests": {"cpu": 2}}}]},
    }
    assert list(told(sum_problems(read_workload(value).spec, ("spec",)))) == ["spec.resources.requests.cpu"]
    value["spec"]["resources"]["requests"]["cpu"] = 2
    assert told(sum_problems(read_workload(value).spec, ("spec",))) == {}


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"backoffLimit": -1}, "spec.backoffLimit"),
        ({"completionMode": "indexed"}, "spec.completionMode"),
        ({"completionMode": "Indexed"}, "spec.completionMode"),
        ({"completionMode": "Indexed", "completions": 2, "maxFailedIndexes": 1}, "spec.maxFailedIndexes"),
        ({"backoffLimitPerIndex": 1}, "spec.backoffLimitPerIndex"),
        ({"podReplacementPolicy": "Never"}, "spec.podReplacementPolicy"),
        ({"podFailurePolicy": {"rules": []}, "podReplacementPolicy": "TerminatingOrFailed"}, "spec.podReplacementPolicy"),
        ({"podFailurePolicy": {"rules": [{"action": "Ignore"}]}}, "spec.podFailurePolicy.rules[0]"),
        ({"selector": {"matchLabels": {"app": "x"}}}, "spec.selector"),
        ({"selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": "x"}}}, None),
        ({"completionMode": "${MODE}", "backoffLimit": "${LIMIT}", "podReplacementPolicy": "${POLICY}"}, None),
    ],
)  # fmt: skip
def test_a_job_is_refused_at_its_field(spec, path):
    assert list(told(job_problems("Job", spec))) == ([path] if path else [])


def test_a_cron_job_is_refused_at_its_field_and_at_that_of_its_job():
    job = {"manualSelector": True, "backoffLimit": -1}
    found = told(job_problems("CronJob", {"timeZone": "", "failedJobsHistoryLimit": -1, "jobTemplate": {"spec": job}}))
    assert list(found) == [
        "spec.failedJobsHistoryLimit",
        "spec.timeZone",
        "spec.jobTemplate.spec.manualSelector",
        "spec.jobTemplate.spec.backoffLimit",
    ]
