"""Two writings of one object are no change."""

from __future__ import annotations

from copy import deepcopy

import pytest
from update_objects import JOB, POD, STATEFUL_SET, changed

from kubelint_gpu.kube.updates.normal_form import normal_pod_spec
from kubelint_gpu.kube.updates.object_updates import refused_changes
from kubelint_gpu.kube.values.errors import field_path


def refused(old, new, minor=34):
    return [(field_path(change.at[0]), change.answer) for change in refused_changes(old, new, minor)]


def test_fields_that_the_cluster_added_to_a_live_object_are_no_change():
    live = changed(POD, ("metadata",), {"name": "notebook", "uid": "1"})
    live = changed(live, ("spec", "nodeName"), "node-1")
    live = changed(live, ("spec", "priority"), 0)
    assert refused(live, POD) == []
    assert len(refused(live, changed(POD, ("spec", "nodeSelector"), {"a": "b"}))) == 1


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("spec", "revisionHistoryLimit"), 10),
        (("spec", "podManagementPolicy"), "OrderedReady"),
        (("spec", "volumeClaimTemplates", 0, "spec", "volumeMode"), "Filesystem"),
    ],
)
def test_a_default_that_is_written_down_is_no_change_of_a_stateful_set(path, value):
    assert refused(STATEFUL_SET, changed(STATEFUL_SET, path, value), minor=30) == []
    assert refused(changed(STATEFUL_SET, path, value), STATEFUL_SET, minor=30) == []


@pytest.mark.parametrize(
    "written",
    [
        {"readinessProbe": {"httpGet": {"port": 1, "path": "/", "scheme": "HTTP"}, "periodSeconds": 10}},
        {"env": [{"name": "A", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}}]},
        {"securityContext": {"procMount": "Default"}},
    ],
)
def test_a_default_that_is_written_down_is_no_change_of_a_job(written):
    def bare(value):
        defaults = ("path", "scheme", "periodSeconds", "apiVersion", "procMount")
        if isinstance(value, dict):
            return {key: bare(one) for key, one in value.items() if key not in defaults}
        return [bare(one) for one in value] if isinstance(value, list) else value

    full, short = deepcopy(JOB), deepcopy(JOB)
    full["spec"]["template"]["spec"]["containers"][0].update(written)
    short["spec"]["template"]["spec"]["containers"][0].update(bare(written))
    assert refused(full, short) == refused(short, full) == []


@pytest.mark.parametrize(
    ("written", "changes"),
    [
        ({"affinity": {}}, True),
        ({"affinity": {"nodeAffinity": {}}}, True),
        ({"dnsConfig": {}}, True),
        ({"containers": [{"name": "c", "securityContext": {}}]}, True),
        ({"containers": [{"name": "c", "lifecycle": {}}]}, True),
        ({"preemptionPolicy": "PreemptLowerPriority"}, True),
        ({"securityContext": {}}, False),
        ({"nodeSelector": {}}, False),
        ({"tolerations": []}, False),
        ({"containers": [{"name": "c", "resources": {}, "env": []}]}, False),
    ],
)
def test_an_empty_struct_is_another_template_where_the_api_has_a_pointer(written, changes):
    """Seen on a control plane 1.34."""
    plain = {"containers": [{"name": "c"}]}
    assert (normal_pod_spec({**plain, **written}) != normal_pod_spec(plain)) is changes
