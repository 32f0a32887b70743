"""ResourceQuotas and LimitRanges: what pods are charged, filled in and refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubelint_gpu.kube.objects.limit_range import limit_range_refusal, read_limit_range, with_defaults
from kubelint_gpu.kube.objects.pod import read_pod
from kubelint_gpu.kube.objects.quota import pod_charge, quota_refusal, quota_usage, read_resource_quota
from kubelint_gpu.kube.values.errors import InvalidObject
from kubelint_gpu.kube.values.quantity import canonical, thousandths

GPU = "nvidia.com/gpu"


def container(name="main", limits=None, **requests):
    requests = {key.replace("gpu", GPU): value for key, value in requests.items()}
    return {"name": name, "resources": {"requests": requests, "limits": limits or {}}}


def pod(*containers, name="p", phase="Pending", namespace="n", **spec):
    spec = {"containers": list(containers) or [container()], **spec}
    return read_pod({"metadata": {"name": name, "namespace": namespace}, "spec": spec, "status": {"phase": phase}})


def quota(hard, used=None, name="q", **spec):
    status = None if used is None else {"used": used}
    return read_resource_quota(
        {"metadata": {"name": name, "namespace": "n"}, "spec": {"hard": hard, **spec}, "status": status}
    )


def test_what_a_pod_is_charged():
    found = pod(
        container(cpu="500m", gpu=1, limits={"cpu": "1", "memory": "1Gi"}),
        container(
            "other", gpu=2, limits={GPU: "2"}, **{"hugepages-2Mi": "4Mi", "example.com/odd": "1", "storage": "1Gi"}
        ),
        initContainers=[container("first", gpu=5, cpu="100m")],
        overhead={"cpu": "50m"},
    )
    gi = 1024**3 * 1000
    assert pod_charge(found.spec) == {
        "pods": 1000,
        "count/pods": 1000,
        "cpu": 550,
        "requests.cpu": 550,
        "limits.cpu": 1050,
        "memory": gi,
        "requests.memory": gi,
        "limits.memory": gi,
        f"requests.{GPU}": 5000,
        "requests.example.com/odd": 1000,
        "hugepages-2Mi": 4 * 1024**2 * 1000,
        "requests.hugepages-2Mi": 4 * 1024**2 * 1000,
    }


def test_a_finished_pod_counts_as_an_object_only():
    assert pod_charge(pod().spec, finished=True) == {"count/pods": 1000}
    counted = quota({"pods": 5, "count/pods": 5})
    assert quota_usage(counted, [pod(), pod(phase="Succeeded")]) == {"pods": 1000, "count/pods": 2000}


def test_pod_level_resources_are_charged_instead_of_the_containers():
    found = pod(container(cpu="1"), resources={"requests": {"cpu": "3"}, "limits": {"cpu": "4"}})
    assert pod_charge(found.spec)["requests.cpu"] == 3000
    assert pod_charge(found.spec)["limits.cpu"] == 4000
    assert pod_charge(found.spec, pod_level=False)["requests.cpu"] == 1000
    assert "limits.cpu" not in pod_charge(found.spec, pod_level=False)


def test_names_that_quotas_do_not_count_are_left_out():
    found = quota({GPU: 1, f"limits.{GPU}": 1, "services": 1, f"requests.{GPU}": 1})
    assert found.counted == (f"requests.{GPU}",)
    assert quota_refusal(pod(container(gpu=2)), [quota({GPU: 1})], []) is None


def test_the_text_of_a_refusal_names_only_what_is_exceeded():
    found = quota({f"requests.{GPU}": 4, "pods": 10, "requests.cpu": "3"})
    running = [pod(container(gpu=4, cpu="2500m"), name="old")]
    assert quota_refusal(pod(container(gpu=1, cpu="600m"), name="new"), [found], running).text == (
        'pods "new" is forbidden: exceeded quota: q, '
        "requested: requests.cpu=600m,requests.nvidia.com/gpu=1, "
        "used: requests.cpu=2500m,requests.nvidia.com/gpu=4, "
        "limited: requests.cpu=3,requests.nvidia.com/gpu=4"
    )


def test_the_status_says_what_is_used():
    found = quota({"pods": 2}, {"pods": "1"})
    assert quota_usage(found, [pod(), pod()]) == {"pods": 1000}
    assert quota_refusal(pod(), [found], [pod(), pod()]) is None
    assert quota_usage(quota({"pods": 2}, {}), []) == {"pods": 0}


def test_a_quota_is_about_its_namespace():
    found = quota({"pods": 0})
    assert quota_refusal(pod(namespace="m"), [found], []) is None
    assert quota_usage(found, [pod(namespace="m")]) == {"pods": 0}


def test_quotas_are_asked_by_name_and_the_first_refusal_stands():
    quotas = [quota({"pods": 0}, name="b"), quota({"count/pods": 0}, name="a")]
    found = quota_refusal(pod(), quotas, [])
    assert "exceeded quota: a, requested: count/pods=1" in found.text
    assert found.others == ("b",)


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ({}, ""),
        ({"scopes": ["BestEffort"]}, "BestEffort"),
        (
            {
                "scopeSelector": {
                    "matchExpressions": [{"scopeName": "PriorityClass", "operator": "In", "values": ["a", "b"]}]
                }
            },
            "PriorityClass a b",
        ),
        (
            {"scopeSelector": {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "DoesNotExist"}]}},
            "PriorityClass DoesNotExist",
        ),
    ],
)
def test_which_pods_a_quota_counts_is_told(spec, told):
    assert quota({"pods": 1}, **spec).scope == told


def test_a_quota_on_cpu_or_memory_asks_every_container_for_them():
    found = quota({"requests.cpu": 1, "limits.memory": "1Gi", f"requests.{GPU}": 1})
    incoming = pod(container("b"), container("a", cpu="1"), initContainers=[container("c", limits={"memory": "1Gi"})])
    assert quota_refusal(incoming, [found], []).text == (
        'pods "p" is forbidden: failed quota: q: must specify limits.memory for: a,b; requests.cpu for: b,c'
    )


def test_pod_level_resources_lift_the_demand_on_containers():
    found = quota({"requests.cpu": 1})
    assert quota_refusal(pod(resources={"requests": {"cpu": "1"}}), [found], []) is None
    assert "must specify" in quota_refusal(pod(resources={}), [found], []).text


CROSSING = {
    "podAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "z", "namespaces": ["m"]}],
    }
}


def expression(operator, *values, scope="PriorityClass"):
    return {"scopeSelector": {"matchExpressions": [{"scopeName": scope, "operator": operator, "values": values}]}}


@pytest.mark.parametrize(
    ("scope", "incoming", "covered"),
    [
        ({"scopes": ["Terminating"]}, pod(activeDeadlineSeconds=5), True),
        ({"scopes": ["Terminating"]}, pod(), False),
        ({"scopes": ["NotTerminating"]}, pod(), True),
        ({"scopes": ["BestEffort"]}, pod(container(gpu=1)), True),
        ({"scopes": ["BestEffort"]}, pod(container(cpu="1")), False),
        ({"scopes": ["NotBestEffort"]}, pod(resources={"limits": {"memory": "1Gi"}}), True),
        ({"scopes": ["NotBestEffort", "Terminating"]}, pod(container(cpu="1")), False),
        ({"scopes": ["PriorityClass"]}, pod(priorityClassName="high"), True),
        ({"scopes": ["PriorityClass"]}, pod(), False),
        (expression("In", "high"), pod(priorityClassName="high"), True),
        (expression("In", "high"), pod(priorityClassName="low"), False),
        (expression("In", "high"), pod(), False),
        (expression("NotIn", "high"), pod(priorityClassName="low"), True),
        (expression("NotIn", "high"), pod(), True),
        (expression("NotIn", "high"), pod(priorityClassName="high"), False),
        (expression("Exists"), pod(priorityClassName="high"), True),
        (expression("DoesNotExist"), pod(), True),
        ({"scopes": ["CrossNamespacePodAffinity"]}, pod(affinity=CROSSING), True),
        ({"scopes": ["CrossNamespacePodAffinity"]}, pod(), False),
        ({"scopes": ["VolumeAttributesClass"]}, pod(), False),
    ],
)
def test_scopes_choose_the_pods(scope, incoming, covered):
    found = quota({"pods": 0}, **scope)
    assert found.covers(incoming) == covered
    assert (quota_refusal(incoming, [found], []) is not None) == covered


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ({"scopes": ["Always"]}, 'spec.scopes[0]: unsupported scope "Always"'),
        (expression("In"), "matchExpressions[0].values: must be given with operator In"),
        (expression("Exists", "x"), "matchExpressions[0].values: must not be given with operator Exists"),
        ({"hard": {"pods": "-1"}}, "spec.hard.pods: must be greater"),
    ],
)
def test_a_quota_that_the_api_server_would_refuse_names_the_field(spec, text):
    with pytest.raises(InvalidObject) as caught:
        quota({"pods": 1}, **spec) if "hard" not in spec else quota(**spec)
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("0", "0"),
        ("4", "4"),
        ("4000m", "4"),
        ("1500m", "1500m"),
        ("1000", "1k"),
        ("1024", "1Ki"),
        ("16Gi", "16Gi"),
        ("4G", "4G"),
        ("129M", "129M"),
        ("1536Mi", "1536Mi"),
        ("1025", "1025"),
        ("0.5", "500m"),
        ("1E", "1E"),
    ],
)
def test_quantities_are_told_in_their_shortest_form(written, text):
    assert canonical(thousandths(written)) == text


@given(st.integers(0, 2**70))
def test_the_shortest_form_is_exact(amount):
    assert thousandths(canonical(amount)) == amount


def limit_range(*limits, name="r", namespace="n"):
    return read_limit_range({"metadata": {"name": name, "namespace": namespace}, "spec": {"limits": list(limits)}})


def limit(kind="Container", **fields):
    return {"type": kind, **fields}


def test_defaults_fill_what_containers_leave_out():
    found = limit_range(limit(default={GPU: 1, "cpu": "2"}, defaultRequest={"cpu": "500m"}))
    incoming = pod(container(cpu="1"), initContainers=[container("first")])
    spec = with_defaults(incoming.spec, [found])
    assert spec.containers[0].requests == {"cpu": 1000, GPU: 1000}
    assert spec.containers[0].limits == {"cpu": 2000, GPU: 1000}
    assert spec.init_containers[0].requests == {"cpu": 500, GPU: 1000}


def test_maximum_and_minimum_stand_in_for_absent_defaults():
    found = limit_range(limit(max={"cpu": "2"}, min={"cpu": "1", "memory": "1Gi"}))
    spec = with_defaults(pod().spec, [found])
    assert spec.containers[0].limits == {"cpu": 2000}
    assert spec.containers[0].requests == {"cpu": 2000, "memory": 1024**3 * 1000}


def test_ranges_for_whole_pods_fill_in_nothing():
    incoming = pod()
    assert with_defaults(incoming.spec, [limit_range(limit("Pod", max={"cpu": "2"}))]) is incoming.spec


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ({"min": {GPU: 1}}, "minimum nvidia.com/gpu usage per Container is 1.  No request is specified"),
        ({"min": {"cpu": "2"}}, "minimum cpu usage per Container is 2, but request is 1"),
        ({"min": {"memory": "2Gi"}}, "minimum memory usage per Container is 2Gi, but limit is 1Gi"),
        ({"max": {GPU: 1}}, "maximum nvidia.com/gpu usage per Container is 1.  No limit is specified"),
        ({"max": {"cpu": "1"}}, "maximum cpu usage per Container is 1, but limit is 1500m"),
        ({"max": {"memory": "1Gi"}}, "maximum memory usage per Container is 1Gi, but request is 3Gi"),
        (
            {"maxLimitRequestRatio": {"cpu": "1200m"}},
            "cpu max limit to request ratio per Container is 1200m, but provided ratio is 1.500000",
        ),
        (
            {"maxLimitRequestRatio": {GPU: "1"}},
            "nvidia.com/gpu max limit to request ratio per Container is 1, but no request is specified or request is 0",
        ),
        (
            {"maxLimitRequestRatio": {"ephemeral-storage": "1"}},
            "ephemeral-storage max limit to request ratio per Container is 1, but no limit is specified or limit is 0",
        ),
    ],
)
def test_the_text_of_a_broken_bound(rule, text):
    asked = {"memory": "3Gi", "ephemeral-storage": "1Gi"}
    incoming = pod(container(cpu="1", limits={"cpu": "1500m", "memory": "1Gi"}, **asked))
    refusal = limit_range_refusal(incoming, [limit_range(limit(**rule))])
    assert refusal.text == f'pods "p" is forbidden: {text}'


def test_bounds_that_hold_are_silent():
    incoming = pod(container(cpu="1", limits={"cpu": "2"}))
    rule = limit(min={"cpu": "1"}, max={"cpu": "2"}, maxLimitRequestRatio={"cpu": "2"})
    assert limit_range_refusal(incoming, [limit_range(rule)]) is None
    assert limit_range_refusal(incoming, [limit_range(limit(max={"cpu": "1"}), namespace="m")]) is None
    assert limit_range_refusal(incoming, [limit_range(limit("PersistentVolumeClaim", max={"cpu": "1"}))]) is None


def test_several_broken_bounds_are_listed_once_each():
    incoming = pod(container(), container("other"))
    found = limit_range_refusal(incoming, [limit_range(limit(min={"cpu": "1", "memory": "1Gi"}))])
    assert found.text == (
        'pods "p" is forbidden: [minimum cpu usage per Container is 1.  No request is specified, '
        "minimum memory usage per Container is 1Gi.  No request is specified]"
    )


def test_bounds_for_pods_are_about_the_sum():
    incoming = pod(container(cpu="1"), container("other", cpu="1"), initContainers=[container("first", cpu="5")])
    found = limit_range_refusal(incoming, [limit_range(limit("Pod", min={"cpu": "6"}))])
    assert found.text == 'pods "p" is forbidden: minimum cpu usage per Pod is 6, but request is 5'


def test_a_limit_range_that_the_api_server_would_refuse_names_the_field():
    with pytest.raises(InvalidObject) as caught:
        limit_range(limit(max={"cpu": "much"}))
    assert caught.value.pointer == ("spec", "limits", 0, "max", "cpu")
    assert caught.value.name == "n/r"


def test_the_claims_of_ephemeral_volumes_are_counted_with_their_pod():
    spec = {"accessModes": ["ReadWriteOnce"], "storageClassName": "fast", "resources": {"requests": {"storage": "2"}}}
    volume = {"name": "scratch", "ephemeral": {"volumeClaimTemplate": {"spec": spec}}}
    found, other = pod(volumes=[volume]), pod()
    claims = quota({"persistentvolumeclaims": 1, "fast.storageclass.storage.k8s.io/requests.storage": 3})
    assert claims.covers(found)
    assert not claims.covers(other)
    assert quota_refusal(found, [claims], [other]) is None
    refused = quota_refusal(found, [claims], [found])
    assert refused is not None
    assert refused.kind == "persistentvolumeclaims"
    assert [one.key for one in refused.exceeded] == list(claims.counted)
