"""Pod templates of kinds that nobody knows."""

from __future__ import annotations

import pytest
from custom_objects import POD, custom

from kubelint_gpu.kube.kinds.by_shape import is_of_unknown_kind, templates
from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.kube.objects.rolling import JobStrategy

ASKS = {"limits": {"nvidia.com/gpu": "1"}}
SPEC = {"containers": [{"name": "main", "image": "x", "resources": ASKS}]}


@pytest.mark.parametrize(
    ("spec", "found"),
    [
        ({"components": {"podTemplate": {"spec": SPEC}}}, [(("spec", "components", "podTemplate"), "template")]),
        ({"template": {"metadata": {}, "spec": SPEC, "more": 1}}, [(("spec", "template"), "template")]),
        ({"worker": {"spec": SPEC}}, [(("spec", "worker"), "template")]),
        ({"worker": {"spec": SPEC, "replicas": 2}}, [(("spec", "worker", "spec"), "spec")]),
        ({"podSpec": SPEC}, [(("spec", "podSpec"), "spec")]),
        (
            {"trialTemplate": {"trialSpec": {"kind": "Job", "spec": {"template": {"spec": SPEC}}}}},
            [(("spec", "trialTemplate", "trialSpec", "spec", "template"), "template")],
        ),
        (
            {"pools": [{"podSpec": SPEC}, {"podSpec": SPEC}]},
            [(("spec", "pools", 0, "podSpec"), "spec"), (("spec", "pools", 1, "podSpec"), "spec")],
        ),
        ({"queryNode": {"resources": ASKS, "replicas": 2}}, [(("spec", "queryNode"), "inline")]),
        ({"resources": {"requests": {"nvidia.com/gpu": 1}}}, [(("spec",), "inline")]),
        ({"resources": {"limits": {"cpu": 1}}}, []),
        ({"resources": [ASKS]}, []),
        ({"containers": ["main"]}, []),
        ({"x": {"containers": []}}, []),
        ({"x": {"containers": [{"name": "main"}]}}, []),
        ({"x": {"containers": [{"image": "x"}]}}, []),
    ],
)
def test_templates_are_found_wherever_they_stand(spec, found):
    assert list(templates({"spec": spec})) == found


@pytest.mark.parametrize(
    ("api", "kind", "unknown"),
    [
        ("milvus.io/v1beta1", "Milvus", True),
        ("apps/v1", "Deployment", False),
        ("v1", "ConfigMap", False),
        ("kyverno.io/v1", "ClusterPolicy", False),
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition", False),
    ],
)
def test_objects_of_kubernetes_and_policies_have_no_unknown_kind(api, kind, unknown):
    assert is_of_unknown_kind({"apiVersion": api, "kind": kind}) is unknown


def test_a_workload_of_an_unknown_kind_promises_no_pods():
    (found,) = custom("milvus.io/v1beta1", "Milvus", {"template": {"spec": SPEC}, "replicas": 3})
    assert (found.replicas, found.strategy, found.approximate, found.by_shape) == (0, None, True, True)


def test_what_describes_pods_for_others_is_left_to_them():
    value = {"kind": "ClusterServingRuntime", "spec": SPEC}
    assert list(templates(value)) == []
    assert list(templates({**value, "kind": "Engine"})) == [(("spec",), "spec")]


def test_values_of_git_ops_objects_are_no_pods():
    value = {"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", "spec": {"values": {"resources": ASKS}}}
    assert list(templates(value)) == []
    assert list(templates({**value, "apiVersion": "example.com/v1"})) == [(("spec", "values"), "inline")]


def test_a_kind_of_the_table_in_another_group_is_not_known():
    (found,) = custom("example.com/v1", "RayCluster", {"headGroupSpec": {"template": {"spec": SPEC}}})
    assert found.by_shape


def test_the_kinds_of_the_table_are_read_by_the_table():
    (found, *_) = custom("ray.io/v1", "RayCluster", {"headGroupSpec": {"template": {"spec": SPEC}}})
    assert not found.by_shape


def test_the_model_of_a_predictor_is_its_container():
    model = {"modelFormat": {"name": "huggingface"}, "resources": {"limits": {"nvidia.com/gpu": "2"}}}
    tolerations = [{"key": "nvidia.com/gpu", "operator": "Exists"}]
    predictor = {"minReplicas": 3, "model": model, "tolerations": tolerations}
    partial, found = custom("serving.kserve.io/v1beta1", "InferenceService", {"predictor": predictor})
    assert partial.partial
    assert (found.partial, found.replicas, found.spec_pointer) == (False, 3, ("spec", "predictor"))
    assert pod_requests(found.spec)["nvidia.com/gpu"] == 2
    assert found.spec.tolerations[0].key == "nvidia.com/gpu"
    assert found.asks == (("spec", "predictor", "model", "resources"),)


def test_a_predictor_with_containers_is_not_counted_twice():
    (found,) = custom("serving.kserve.io/v1beta1", "InferenceService", {"predictor": {**POD, "model": {}}})
    assert not found.partial


def test_a_service_of_a_dynamo_graph_asks_in_words_of_its_own():
    service = {
        "replicas": 2,
        "multinode": {"nodeCount": 2},
        "resources": {"limits": {"gpu": "4"}},
        "extraPodSpec": {"nodeSelector": {"pool": "a"}, "mainContainer": {"image": "b"}},
    }
    (found,) = custom("nvidia.com/v1alpha1", "DynamoGraphDeployment", {"services": {"decode": service}})
    assert (found.replicas, found.spec_pointer) == (4, ("spec", "services", "decode", "extraPodSpec"))
    assert pod_requests(found.spec)["nvidia.com/gpu"] == 4
    assert found.spec.node_selector == {"pool": "a"}


def test_what_a_service_of_dynamo_asks_for_goes_over_what_its_main_container_asks_for():
    main = {"image": "b", "resources": {"limits": {"nvidia.com/gpu": 2, "rdma/ib": 1}, "requests": {"cpu": 3}}}
    service = {"resources": {"limits": {"gpu": "4", "custom": {"example.com/nic": "1"}}}}
    (found,) = custom(
        "nvidia.com/v1alpha1",
        "DynamoGraphDeployment",
        {"services": {"decode": {**service, "extraPodSpec": {"mainContainer": main}}}},
    )
    assert pod_requests(found.spec) == {"nvidia.com/gpu": 4, "rdma/ib": 1, "example.com/nic": 1, "cpu": 3000}
    assert len(found.spec.containers) == 1
    service, main_container = ("spec", "services", "decode"), ("extraPodSpec", "mainContainer", "resources")
    assert found.asks == ((*service, "resources"), (*service, *main_container))


def test_a_nim_service_is_a_pod_without_a_template():
    spec = {"replicas": 2, "resources": {"limits": {"nvidia.com/gpu": 1}}, "nodeSelector": {"pool": "a"}}
    (found,) = custom("apps.nvidia.com/v1alpha1", "NIMService", spec)
    assert (found.replicas, pod_requests(found.spec)["nvidia.com/gpu"]) == (2, 1)


def test_templates_of_a_workflow_have_the_scheduling_of_the_workflow_unless_they_have_their_own():
    spec = {
        "nodeSelector": {"pool": "a"},
        "templates": [
            {"name": "steps", "steps": []},
            {"name": "train", "container": {"image": "b", "resources": {"limits": {"nvidia.com/gpu": 1}}}},
            {"name": "check", "nodeSelector": {"pool": "b"}, "script": {"image": "b"}},
        ],
    }
    train, check = custom("argoproj.io/v1alpha1", "Workflow", spec)
    assert (train.spec.node_selector, pod_requests(train.spec)["nvidia.com/gpu"]) == ({"pool": "a"}, 1)
    assert check.spec.node_selector == {"pool": "b"}
    assert isinstance(train.strategy, JobStrategy)


def test_an_executor_of_spark_names_its_gpu():
    gpu = {"name": "nvidia.com/gpu", "quantity": 1}
    spec = {"driver": {"cores": 1}, "executor": {"instances": 4, "cores": 2, "gpu": gpu}}
    driver, executor = custom("sparkoperator.k8s.io/v1beta2", "SparkApplication", spec)
    assert "nvidia.com/gpu" not in pod_requests(driver.spec)
    assert (executor.replicas, pod_requests(executor.spec)["nvidia.com/gpu"]) == (4, 1)


def test_a_train_job_asks_for_what_its_trainer_says():
    trainer = {"image": "a", "numNodes": 2, "resourcesPerNode": {"limits": {"nvidia.com/gpu": 8}}}
    (found,) = custom("trainer.kubeflow.org/v1alpha1", "TrainJob", {"runtimeRef": {"name": "r"}, "trainer": trainer})
    assert found.replicas == 2
    assert pod_requests(found.spec)["nvidia.com/gpu"] == 8
    assert found.asks == (("spec", "trainer", "resourcesPerNode"),)
    # where its pods go is said by its runtime
    assert [one.operator for one in found.spec.tolerations] == ["Exists"]


@pytest.mark.parametrize("nested", [True, False])
def test_a_vllm_runtime_writes_amounts_without_limits(nested):
    config = {"replicas": 2, "resources": {"cpu": "5", "memory": "32Gi", "gpu": "1", "gpuType": "amd.com/gpu"}}
    spec = {"deploymentConfig": config} if nested else config
    (found,) = custom("production-stack.vllm.ai/v1alpha1", "VLLMRuntime", spec)
    assert found.replicas == 2
    assert pod_requests(found.spec) == {"cpu": 5000, "memory": 32 * 2**30, "amd.com/gpu": 1}
