"""What a pod may change."""

from __future__ import annotations

import pytest
from update_objects import POD, changed

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
