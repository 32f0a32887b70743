"""What the API server refuses of workloads beyond types: each rule with a value that it refuses and one that it takes.

Volumes and claims that the API server refuses.
"""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.validation.policy_validation import quota_problems
from kubelint_gpu.kube.validation.template_validation import (
    claim_problems,
    name_problems,
    pod_problems,
    volume_problems,
    workload_problems,
)
from kubelint_gpu.kube.values.errors import field_path

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def pod(container=None, **spec):
    return {"containers": [{"name": "main", "image": "image", **(container or {})}], **spec}


def found(spec, *, bare=False):
    return {field_path(one.pointer): one.detail for one in pod_problems(spec, (), bare=bare)}


def term(**more):
    return {"affinity": {"podAffinity": {REQUIRED: [{"topologyKey": "zone", **more}]}}}


SPREAD = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {}}


@pytest.mark.parametrize(
    ("spec", "path", "says"),
    [
        (pod(name="Main"), "containers[0].name", "is not a container name"),
        (pod(initContainers=[{"name": "main"}]), "initContainers[0].name", "two containers"),
        ({"containers": [{"image": "x"}]}, "containers[0]", "name is required"),
        (
            pod({"resources": {"requests": {"cpu": 2}, "limits": {"cpu": "1500m"}}}),
            "containers[0].resources.requests.cpu",
            "limit of 1500m",
        ),
        (pod({"resources": {"limits": {"gpu": 1}}}), "containers[0].resources.limits.gpu", "standard resource"),
        (
            pod({"resources": {"limits": {"-bad-/gpu": 1}}}),
            "containers[0].resources.limits[-bad-/gpu]",
            "doesn't follow",
        ),
        (
            pod({"volumeMounts": [{"name": "data", "mountPath": "/d"}]}),
            "containers[0].volumeMounts[0].name",
            'no volume "data"',
        ),
        (pod(volumes=[{"name": "a"}, {"name": "a"}]), "volumes[1].name", "two volumes"),
        (pod({"ports": [{"containerPort": 0}]}), "containers[0].ports[0].containerPort", "between 1 and 65535"),
        (
            pod({"ports": [{"containerPort": 1, "hostPort": 9}, {"containerPort": 2, "hostPort": 9}]}),
            "containers[0].ports[1].hostPort",
            "duplicate",
        ),
        (
            pod({"ports": [{"containerPort": 1, "hostPort": 9}]}, hostNetwork=True),
            "containers[0].ports[0].hostPort",
            "must match",
        ),
        (pod(nodeSelector={"a b": "x"}), "nodeSelector.a b", "not a label key"),
        (pod(nodeSelector={"a": "x y"}), "nodeSelector.a", "not a label value"),
        (pod(affinity={"nodeAffinity": {REQUIRED: {}}}), f"affinity.nodeAffinity.{REQUIRED}", "at least one"),
        (
            pod(**term(matchLabelKeys=["a"])),
            f"affinity.podAffinity.{REQUIRED}[0].matchLabelKeys",
            "labelSelector is not set",
        ),
        (
            pod(**term(labelSelector={"matchLabels": {"a": "b"}}, matchLabelKeys=["a"])),
            f"affinity.podAffinity.{REQUIRED}[0].matchLabelKeys[0]",
            "both matchLabelKeys and labelSelector",
        ),
        (
            pod(**term(labelSelector={}, matchLabelKeys=["a"], mismatchLabelKeys=["a"])),
            f"affinity.podAffinity.{REQUIRED}[0].matchLabelKeys[0]",
            "mismatchLabelKeys",
        ),
        (
            pod(topologySpreadConstraints=[SPREAD, {**SPREAD, "maxSkew": 2}]),
            "topologySpreadConstraints[1].topologyKey",
            "unique",
        ),
        (
            pod(topologySpreadConstraints=[{**SPREAD, "whenUnsatisfiable": "ScheduleAnyway", "minDomains": 2}]),
            "topologySpreadConstraints[0].minDomains",
            "can only use",
        ),
        (pod(schedulingGates=[{"name": "a"}, {"name": "a"}]), "schedulingGates[1].name", "duplicate"),
    ],
)
def test_what_is_refused_is_told_at_its_field(spec, path, says):
    if "name" in spec:
        spec = pod({"name": spec["name"]})
    problems = found(spec)
    assert list(problems) == [path]
    assert says in problems[path]


def test_a_gated_pod_may_name_no_node_and_a_gated_template_may():
    spec = pod(schedulingGates=[{"name": "a"}], nodeName="n1")
    assert list(found(spec, bare=True)) == ["nodeName"]
    assert found(spec) == {}


@pytest.mark.parametrize(
    "spec",
    [
        pod({"resources": {"requests": {"cpu": 1}, "limits": {"cpu": "1000m"}}}),
        pod({"resources": {"limits": {"cpu": 1, "nvidia.com/gpu": 1, "hugepages-2Mi": "4Mi"}}}),
        pod({"volumeMounts": [{"name": "data", "mountPath": "/d"}]}, volumes=[{"name": "data"}]),
        pod({"volumeMounts": [{"name": "${VOLUME}", "mountPath": "/d"}]}),
        pod({"ports": [{"containerPort": 1, "hostPort": 9}, {"containerPort": 2, "hostPort": 9, "protocol": "UDP"}]}),
        pod(topologySpreadConstraints=[SPREAD, {**SPREAD, "topologyKey": "host"}]),
        pod(**term(labelSelector={}, matchLabelKeys=["a"])),
        {},
        {"containers": "nonsense", "volumes": 1, "affinity": []},
    ],
)
def test_what_is_taken_has_no_problem(spec):
    assert found(spec) == {}


def workload(kind, spec, template=("spec", "template"), **more):
    value: dict = {"metadata": {}, "spec": {**more}}
    here = value
    for part in template:
        here = here.setdefault(part, {})
    here["spec"] = pod(**spec)
    return {field_path(one.pointer): one.detail for one in workload_problems(kind, value, template)}


@pytest.mark.parametrize("kind", ["Deployment", "DaemonSet", "StatefulSet", "ReplicaSet"])
def test_what_runs_for_ever_restarts_always_and_has_no_deadline(kind):
    assert list(workload(kind, {"restartPolicy": "Never", "activeDeadlineSeconds": 5})) == [
        "spec.template.spec.restartPolicy",
        "spec.template.spec.activeDeadlineSeconds",
    ]
    assert workload(kind, {"restartPolicy": "Always"}) == {}
    assert list(workload(kind, {}, selector={})) == ["spec.selector"]


def test_a_stateful_set_mounts_the_volumes_of_its_claims():
    spec = {"containers": [{"name": "main", "volumeMounts": [{"name": "data", "mountPath": "/d"}]}]}
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    claims = [{"metadata": {"name": "data"}, "spec": claim}]
    value = {"spec": {"template": {"spec": spec}, "volumeClaimTemplates": claims}}
    assert list(workload_problems("StatefulSet", value, ("spec", "template"))) == []
    assert len(list(workload_problems("Deployment", value, ("spec", "template")))) == 1


def test_volumes_that_a_controller_may_add_are_not_missed():
    spec = {"containers": [{"name": "main", "volumeMounts": [{"name": "data", "mountPath": "/d"}]}]}
    assert list(pod_problems(spec, (), volumes=None)) == []


def test_a_job_does_not_restart_always():
    assert list(workload("Job", {})) == ["spec.template.spec"]
    assert list(workload("Job", {"restartPolicy": "Always"})) == ["spec.template.spec.restartPolicy"]
    assert workload("Job", {"restartPolicy": "OnFailure"}) == {}


def test_a_cron_job_has_its_time_zone_in_a_field_of_its_own():
    template = ("spec", "jobTemplate", "spec", "template")
    spec = {"restartPolicy": "Never"}
    assert list(workload("CronJob", spec, template, schedule="TZ=UTC 0 * * * *")) == ["spec.schedule"]
    assert workload("CronJob", spec, template, schedule="0 * * * *") == {}


@pytest.mark.parametrize(
    ("kind", "name", "refused"),
    [
        ("Deployment", "Chat", True),
        ("Deployment", "chat.v1", False),
        ("CronJob", "a" * 53, True),
        ("CronJob", "a" * 52, False),
        ("Deployment", "${NAME}", False),
    ],
)
def test_names_are_dns_subdomains(kind, name, refused):
    assert bool(list(name_problems(kind, {"metadata": {"name": name}}))) is refused


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"hard": {"nvidia.com/gpu": "1.5"}}, "spec.hard[nvidia.com/gpu]"),
        ({"hard": {"pods": "500m"}}, "spec.hard.pods"),
        ({"hard": {"cpu": -1}}, "spec.hard.cpu"),
        ({"scopes": ["Terminating", "NotTerminating"]}, "spec.scopes"),
    ],
)
def test_quotas_count_whole_devices(spec, path):
    assert [field_path(one.pointer) for one in quota_problems({"spec": spec})] == [path]


def test_a_request_quota_may_be_a_fraction_as_the_api_server_accepts_it():
    assert list(quota_problems({"spec": {"hard": {"requests.nvidia.com/gpu": "500m"}}})) == []


def test_a_lawful_quota_has_no_problem():
    spec = {"hard": {"cpu": "1500m", "requests.nvidia.com/gpu": 8, "count/jobs.batch": "5"}, "scopes": ["Terminating"]}
    assert list(quota_problems({"spec": spec})) == []


def told(problems):
    return {field_path(problem.pointer): problem.detail for problem in problems if not problem.placeholder}


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
