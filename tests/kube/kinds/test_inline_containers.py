"""Containers that a custom resource writes without a pod template."""

from __future__ import annotations

import pytest
from custom_objects import POD, custom

from kubelint_gpu.kube.objects.requests import pod_requests
from kubelint_gpu.kube.objects.rolling import JobStrategy


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
