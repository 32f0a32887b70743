"""What the API server would refuse is a typed error that names object and field, never a verdict."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.objects.pod import read_pod
from kubelint_gpu.kube.values.errors import InvalidObject


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
