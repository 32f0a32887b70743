"""What a pod may change."""

from __future__ import annotations

from copy import deepcopy

import pytest

from kubelint_gpu.documents import read
from kubelint_gpu.kube.updates.object_updates import refused_changes
from kubelint_gpu.kube.values.errors import field_path


def parsed(text):
    return read("a.yaml", text.encode()).documents[0].value


def refused(old, new, minor=34):
    return [(field_path(change.at[0]), change.answer) for change in refused_changes(old, new, minor)]


def changed(value, path, to):
    copy = deepcopy(value)
    at = copy
    for step in path[:-1]:
        at = at[step]
    if to is None:
        del at[path[-1]]
    else:
        at[path[-1]] = to
    return copy


POD = parsed("""
apiVersion: v1
kind: Pod
metadata: {name: notebook}
spec:
  activeDeadlineSeconds: 100
  tolerations: [{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 5}]
  containers: [{name: a, image: "b:1", resources: {limits: {nvidia.com/gpu: 1}}}]
""")


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
