"""Custom resources that make each revision beside the one before it: each has its own number of pods."""

from __future__ import annotations

import pytest
from change_cases import findings_of, inventory

NONE = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: none}\n"


def served(replicas, mode="Serverless"):
    """An InferenceService of so many pods with four GPUs each."""
    return (
        "apiVersion: serving.kserve.io/v1beta1\nkind: InferenceService\n"
        f"metadata: {{name: chat, namespace: serving, annotations: {{serving.kserve.io/deploymentMode: {mode}}}}}\n"
        f"spec:\n  predictor:\n    minReplicas: {replicas}\n    priorityClassName: serving\n    model:\n"
        "      modelFormat: {name: huggingface}\n      resources: {limits: {nvidia.com/gpu: 4}}\n"
    )


def knative(replicas, name="min-scale"):
    return (
        "apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: chat, namespace: serving}\n"
        f'spec:\n  template:\n    metadata: {{annotations: {{autoscaling.knative.dev/{name}: "{replicas}"}}}}\n'
        "    spec:\n      priorityClassName: serving\n"
        "      containers: [{image: x, resources: {limits: {nvidia.com/gpu: 4}}}]\n"
    )


def stuck(before, after, gpus):
    found = findings_of(before, after, inventory(gpus))
    return [one for one in found if one.code == "KLG101" and one.moment == "now"]


@pytest.mark.parametrize("made", [served, knative])
@pytest.mark.parametrize(
    ("old", "new", "gpus", "held"),
    [
        (1, 2, 8, "held by the old pod and another new pod"),
        (2, 1, 8, "held by 2 old pods"),
        (1, 2, 12, ""),
        (2, 1, 12, ""),
    ],
)
def test_a_new_revision_comes_whole_beside_the_old_one_as_it_is(made, old, new, gpus, held):
    messages = [one.message for one in stuck(made(old), made(new), gpus)]
    assert len(messages) == bool(held)
    assert all(held in message for message in messages)


def test_a_deployment_of_kserve_is_scaled_and_rolls_nothing_out():
    assert stuck(served(1, "RawDeployment"), served(2, "RawDeployment"), 8) == []


def test_what_helps_a_deployment_of_kserve_is_no_fix_of_a_revision():
    (found,) = stuck(served(1), served(1).replace("huggingface", "vllm"), 4)
    assert not found.fixes
    assert "in RawDeployment mode only" in found.help[0]


def test_the_former_name_of_the_annotation_still_counts():
    (found,) = stuck(knative(1, "minScale"), knative(1, "minScale").replace("image: x", "image: z"), 4)
    assert "held by the old pod" in found.message
