"""A class that does not exist hides nothing else; a default class of another cluster counts for nothing."""

from __future__ import annotations

import pytest
from checks_units import NODES, deployment, unit, world

from kubelint_gpu.documents import read
from kubelint_gpu.engine.run import check
from kubelint_gpu.kube.objects.pod import read_pod
from kubelint_gpu.kube.objects.priority import (
    PriorityClass,
    UnknownPriorityClass,
    read_priority_class,
    resolve_priority,
)
from kubelint_gpu.kube.values.errors import InvalidObject
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.manifest import manifests

RECREATE = "strategy: {type: Recreate}"
UNKNOWN = "priorityClassName: servin"
DEFAULT = """\
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: everything}
value: 10
globalDefault: true
"""


def codes(found):
    return sorted(one.code for one in check((found,), found.world).findings if one.severity != "note")


def written(text, pod):
    """A manifest whose class is another one, or none."""
    return text.replace("priorityClassName: serving", pod)


@pytest.mark.parametrize(
    ("spec", "pod", "limits", "more"),
    [
        (RECREATE, "nodeSelector: {pool: cpu}", "{cpu: 1}", "KLG402"),
        (RECREATE, "", "{nvidia.com/gpu: 2}", "KLG503"),
        (RECREATE, "", "{amd.com/gpu: 1}", "KLG502"),
        (RECREATE, "", "{cpu: 100}", "KLG201"),
        ("replicas: 1", "", "{nvidia.com/gpu: 1}", "KLG101"),
    ],
)
def test_a_class_that_does_not_exist_hides_no_finding_about_nodes(spec, pod, limits, more):
    text = written(deployment(spec=spec, pod=pod, limits=limits), UNKNOWN)
    assert codes(unit(text)) == sorted(["KLG302", more])


def test_a_rollout_that_another_class_could_free_is_not_called_stuck():
    """The GPU is held by a pod without priority: with the class that is missing, it could be evicted."""
    running = "running: [{name: batch, node: gpu-1, namespace: batch, requests: {nvidia.com/gpu: 1}}]\n"
    text = written(deployment(spec="replicas: 1"), UNKNOWN)
    two = NODES.replace("count: 1", "count: 2")
    assert codes(unit(text, two + running)) == ["KLG302"]


def test_a_class_that_does_not_exist_evicts_nobody():
    """The other Deployment's pods have no priority; only the one that names no class of the cluster could evict them."""
    two = NODES.replace("count: 1", "count: 2")
    text = written(deployment(spec="replicas: 2"), UNKNOWN) + "---\n" + written(deployment(name="b", spec=RECREATE), "")
    found = unit(text, two)
    assert "KLG108" not in codes(found)
    told = [one.message for one in check((found,), found.world).findings if one.code == "KLG301"]
    assert told
    assert "chat" not in told[0]


def beside(text, *, mine="", neighbours=""):
    made = [manifests([read(f"{name}.yaml", one.encode())]) for name, one in (("x", text), ("n", neighbours))]
    both = f"{mine}---\n" if mine else ""
    workload = written(deployment(spec=RECREATE), "")
    return ApplySet((read("a.yaml", (both + workload).encode()),), world(), beside=made[0], neighbours=made[1])


def lacks_a_class(found):
    return "KLG301" in [one.code for one in check((found,), found.world).findings]


def test_a_default_class_of_an_unrelated_file_protects_nothing():
    assert lacks_a_class(beside(DEFAULT))


def test_a_default_class_of_the_unit_or_beside_it_does():
    assert not lacks_a_class(beside("", mine=DEFAULT))
    assert not lacks_a_class(beside("", neighbours=DEFAULT))
    assert not lacks_a_class(beside(DEFAULT.replace("10", "20"), neighbours=DEFAULT))


def test_an_unrelated_file_does_not_change_a_class_of_the_cluster():
    other = DEFAULT.replace("everything", "serving")
    found = beside(other)
    assert {(one.name, one.value) for one in found.cluster.priority_classes} == {("serving", 1000)}


def test_a_class_of_an_unrelated_file_may_be_named():
    found = beside(DEFAULT)
    text = written(deployment(spec=RECREATE), "priorityClassName: everything")
    assert codes(ApplySet((read("a.yaml", text.encode()),), world(), beside=found.beside)) == []


def spec_of(**more):
    return read_pod({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}], **more}}).spec


def test_priorities_of_admission():
    classes = (
        PriorityClass("a", 5, global_default=True),
        PriorityClass("b", 3, global_default=True, preemption_policy="Never"),
    )
    assert resolve_priority(spec_of(), classes).name == "b"
    assert resolve_priority(spec_of(priorityClassName="a"), classes).value == 5
    assert resolve_priority(spec_of(priority=-7, preemptionPolicy="Never"), classes).value == -7
    assert resolve_priority(spec_of(preemptionPolicy="Never"), ()).preemption_policy == "Never"
    with pytest.raises(UnknownPriorityClass) as caught:
        resolve_priority(spec_of(priorityClassName="c"), classes)
    assert caught.value.name == "c"
    with pytest.raises(InvalidObject, match="PriorityClass p: value: must be an integer"):
        read_priority_class({"kind": "PriorityClass", "metadata": {"name": "p"}, "value": "high"})
