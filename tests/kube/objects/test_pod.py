"""What the API server would refuse is a typed error that names object and field, never a verdict."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.objects.pod import read_pod
from kubelint_gpu.kube.values.errors import InvalidObject, field_path


def pod(**spec):
    return {
        "kind": "Pod",
        "metadata": {"name": "a", "namespace": "b"},
        "spec": {"containers": [{"name": "c", "image": "i"}], **spec},
    }


def anti(selector):
    term = {"topologyKey": "zone", "labelSelector": selector}
    return {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}


@pytest.mark.parametrize(
    ("value", "field"),
    [
        (None, "must be a Pod"),
        ([], "must be a mapping"),
        (pod(**anti({"matchLabels": {"a": "b c"}})), "labelSelector.matchLabels.a"),
        (pod(**anti({"matchLabels": {"a b": "c"}})), "labelSelector.matchLabels.a b"),
        (pod(**anti({"matchExpressions": [{"key": "a", "operator": "Is"}]})), "matchExpressions[0].operator"),
        (pod(containers=[{"resources": {"requests": {"cpu": "-1"}}}]), "resources.requests.cpu"),
        (pod(containers=[{"resources": {"requests": {"cpu": "a"}}}]), "resources.requests.cpu"),
        (pod(tolerations=[{"operator": "Equal"}]), "tolerations[0].operator"),
    ],
)
def test_a_broken_object_is_an_error_that_names_the_field(value, field):
    with pytest.raises(InvalidObject) as caught:
        read_pod(value)
    assert field in str(caught.value)
    if isinstance(value, dict):
        assert "Pod b/a" in str(caught.value)


def test_one_object_can_tell_all_its_errors():
    problems = []
    pod = read_pod(
        {
            "kind": "Pod",
            "metadata": {"name": 5, "labels": {"a": 1, "b": None}, "ownerReferences": ["me"]},
            "spec": {
                "priority": True,
                "hostNetwork": "yes",
                "containers": [
                    {"resources": {"requests": {"cpu": "-1", "memory": "much"}}, "ports": [{"hostPort": 70000}]}
                ],
                "tolerations": "all",
                "affinity": [],
                "restartPolicy": "Sometimes",
                "activeDeadlineSeconds": 0,
                "nodeSelector": {"a": 1.5},
            },
        },
        problems,
    )
    assert {field_path(problem.pointer) for problem in problems} == {
        "metadata.name",
        "metadata.labels.a",
        "metadata.ownerReferences[0]",
        "spec.priority",
        "spec.hostNetwork",
        "spec.containers[0].resources.requests.cpu",
        "spec.containers[0].resources.requests.memory",
        "spec.containers[0].ports[0].hostPort",
        "spec.tolerations",
        "spec.affinity",
        "spec.restartPolicy",
        "spec.activeDeadlineSeconds",
        "spec.nodeSelector.a",
    }
    assert pod.meta.labels == {"b": ""}


def test_spread_constraints_that_the_api_server_refuses():
    problems = []
    broken = {"topologyKey": "", "maxSkew": 0, "whenUnsatisfiable": "Maybe", "minDomains": 0}
    read_pod({"spec": {"topologySpreadConstraints": [broken, {}]}}, problems)
    assert [(problem.pointer[2], problem.pointer[3]) for problem in problems] == [
        (0, "topologyKey"),
        (0, "whenUnsatisfiable"),
        (0, "whenUnsatisfiable"),
        (0, "maxSkew"),
        (0, "minDomains"),
        (1, "topologyKey"),
        (1, "maxSkew"),
        (1, "whenUnsatisfiable"),
    ]
