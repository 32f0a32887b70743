"""Pods that run show of which template they are: a stuck rollout that is taken back, or that gets a third template."""

from __future__ import annotations

import json

import pytest

from kubelint_gpu.documents import read
from kubelint_gpu.engine.run import check
from kubelint_gpu.inventory import load
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.manifest import manifests

GPU = "nvidia.com/gpu"
STUCK = ("KLG101", "KLG105", "KLG110")


def spec(image):
    return {"containers": [{"name": "main", "image": image, "resources": {"limits": {GPU: "1"}}}]}


def workload(release="", kind="Deployment", image="app:1", **more):
    annotations = {"release": release} if release else {}
    metadata = {"labels": {"app": "web"}, "annotations": annotations}
    selector = {"matchLabels": {"app": "web"}}
    replicas = {} if kind == "DaemonSet" else {"replicas": 2}
    body = {**replicas, **more, "selector": selector, "template": {"metadata": metadata, "spec": spec(image)}}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "web", "namespace": "default"}, "spec": body}


def node(name, gpus):
    amounts = {"cpu": "16", "memory": "64Gi", "pods": "110", GPU: str(gpus)}
    metadata = {"name": name, "labels": {"kubernetes.io/hostname": name}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": {"allocatable": amounts}}


def pod(number, where, release="", kind="ReplicaSet", image="app:1", revision="1"):
    owner = {"apiVersion": "apps/v1", "kind": kind, "name": f"web-{revision}", "uid": revision, "controller": True}
    if kind == "DaemonSet":
        owner["name"] = "web"
    labels = {"app": "web", "pod-template-hash": revision}
    metadata = {"name": f"web-{number}", "namespace": "default", "labels": labels, "ownerReferences": [owner]}
    metadata["annotations"] = {"release": release} if release else {}
    metadata["creationTimestamp"] = f"2026-01-0{revision}T00:00:00Z"
    bound = {"nodeName": where} if where else {}
    status = {"phase": "Running" if where else "Pending"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {**spec(image), **bound}, "status": status}


def told(new, old, *inventory, codes=STUCK, moment="now"):
    def listed(name, items):
        return (read(name, json.dumps({"apiVersion": "v1", "kind": "List", "items": items}).encode()),)

    readings = listed("inventory.json", list(inventory))
    cluster, problems, *_ = load(readings)
    before = {one.object: one for one in manifests(listed("old.json", [old] if old else []))}
    unit = ApplySet(listed("new.json", [new]), ClusterContext(cluster, readings, problems), before=before)
    found = check((unit,), unit.world, fixes=False).findings
    maybe = {"certain": "", "possible": "?"}
    return [one.code + maybe[one.certainty] for one in found if one.code in codes and one.moment == moment]


RUNNING = (node("n1", 2), pod(1, "n1"), pod(2, "n1"))


def test_a_stuck_rollout_that_is_taken_back_is_complete_at_once():
    waiting = pod(3, "", "second", revision="2")
    assert told(workload(), workload("second"), *RUNNING, waiting) == []


@pytest.mark.parametrize("image", ["app:1", "app:2"])
def test_which_template_was_applied_last_is_what_the_pods_show_where_nothing_else_tells(image):
    waiting, reverts = pod(3, "", image="app:2", revision="2"), image == "app:1"
    assert told(workload(image=image), None, *RUNNING, waiting) == ([] if reverts else ["KLG101"])
    assert told(workload(image=image), None, *RUNNING, waiting, moment="next") == (["KLG101"] if reverts else [])
    # all of one revision: what is judged is the next rollout of what runs
    assert told(workload(image=image), None, *RUNNING) == ["KLG101"]


def test_a_third_template_gets_stuck_as_the_second_did():
    waiting = pod(3, "", "second", revision="2")
    assert told(workload("third"), workload("second"), *RUNNING, waiting) == ["KLG101"]
    assert told(workload(image="app:3"), workload("second"), *RUNNING, waiting) == ["KLG101"]


def test_a_rollout_that_a_quota_refuses_is_taken_back():
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q", "namespace": "default"}}
    quota["spec"] = {"hard": {f"requests.{GPU}": "2"}}
    room = (node("n1", 4), *RUNNING[1:], quota)
    assert told(workload(), workload("second"), *room) == []
    assert told(workload("third"), workload("second"), *room) == ["KLG105"]


def test_a_template_that_was_changed_while_paused_is_rolled_out_when_it_is_resumed():
    assert told(workload("second"), workload("second", paused=True), *RUNNING) == ["KLG101"]
    assert told(workload(), workload(paused=True), *RUNNING) == []


@pytest.mark.parametrize(
    ("before", "image", "code"),
    [({"type": "OnDelete"}, "app:1", "KLG110"), ({"type": "OnDelete"}, "", "KLG110?"), ({}, "app:1", "")],
)
def test_a_template_that_was_kept_from_daemon_pods_comes_to_them_when_nothing_keeps_it(before, image, code):
    """Seen on a control plane 1.34: OnDelete is taken away, and the pods surge."""
    surge = {"updateStrategy": {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}}
    old = workload(kind="DaemonSet", image="app:2", updateStrategy=before or surge["updateStrategy"])
    new = workload(kind="DaemonSet", image="app:2", **surge)
    there = (node("n1", 1), pod(1, "n1", kind="DaemonSet", image=image))
    assert told(new, old, *there) == ([code] if code else [])


@pytest.mark.parametrize("release", ["", "third"])
def test_a_daemon_set_that_surges_is_taken_back(release):
    surge = {"updateStrategy": {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}}
    old, new = workload("second", "DaemonSet", **surge), workload(release, "DaemonSet", **surge)
    there = (node("n1", 1), pod(1, "n1", kind="DaemonSet"))
    assert told(new, old, *there) == (["KLG110"] if release else [])


@pytest.mark.parametrize(
    ("waiting", "codes"), [((), ["KLG110"]), ((pod(2, "", kind="DaemonSet", image="", revision="2"),), ["KLG110?"])]
)
def test_daemon_pods_of_two_templates_may_have_the_one_that_is_applied(waiting, codes):
    """Seen on a control plane 1.34: a surge that waits is taken back, and a capture tells no images."""
    surge = {"updateStrategy": {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}}
    old, new = (workload(kind="DaemonSet", image=image, **surge) for image in ("app:2", "app:1"))
    assert told(new, old, node("n1", 1), pod(1, "n1", kind="DaemonSet", image=""), *waiting) == codes


def test_without_images_nobody_knows_whether_a_template_comes_back():
    there = (node("n1", 2), pod(1, "n1", image=""), pod(2, "n1", image=""))
    assert told(workload(), workload("second"), *there) == ["KLG101"]


WAITING = pod(3, "", "second", revision="2")
SURGE = {"strategy": {"rollingUpdate": {"maxSurge": 2, "maxUnavailable": 0}}}


@pytest.mark.parametrize("more", [SURGE, {"progressDeadlineSeconds": 60}, {"minReadySeconds": 5}])
def test_a_rollout_that_is_under_way_goes_on_in_what_is_applied(more):
    """Seen on a control plane 1.34."""
    assert told(workload("second", **more), workload("second"), *RUNNING, WAITING) == ["KLG101"]
    room = {"strategy": {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}}
    assert told(workload("second", **room), workload("second"), *RUNNING, WAITING) == []


def test_a_rollout_that_is_under_way_is_seen_by_what_its_pods_lack():
    assert told(workload("second", **SURGE), workload("second"), *RUNNING) == ["KLG101"]
    unknown = (node("n1", 2), pod(1, "n1", image=""), pod(2, "n1", image=""))
    assert told(workload("second", **SURGE), workload("second"), *unknown) == []


def test_what_is_left_as_it_was_is_silent_however_far_its_rollout_is():
    assert told(workload("second"), workload("second"), *RUNNING, WAITING) == []


def test_pods_that_admission_has_changed_are_of_the_template_all_the_same():
    def injected(number):
        one = pod(number, "n1")
        one["spec"]["containers"].append({"name": "proxy", "image": "proxy:1"})
        return one

    there = (node("n1", 2), injected(1), injected(2))
    assert told(workload(**SURGE), workload(), *there) == []
    leaving = injected(2)
    leaving["metadata"]["labels"]["pod-template-hash"] = "0"
    assert told(workload(**SURGE), workload(), node("n1", 2), injected(1), leaving) == []


def test_a_partition_that_is_lowered_rolls_out_what_has_the_old_template_and_nothing_else():
    """Seen on a control plane 1.34."""

    def ordinals(partition, gpus="1"):
        rolling = {"rollingUpdate": {"partition": partition}}
        one = workload("second", "StatefulSet", serviceName="web", updateStrategy=rolling)
        one["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"][GPU] = gpus
        return one

    def there(*releases):
        for number, release in enumerate(releases):
            one = pod(number, "n1", release, "StatefulSet", revision="2" if release else "1")
            one["metadata"]["ownerReferences"][0]["name"] = "web"
            one["spec"]["containers"][0]["resources"]["limits"][GPU] = "2" if release else "1"
            yield one

    def waits(gpus):
        found = told(ordinals(0, "2"), ordinals(1, "2"), node("n1", gpus), *there("", "second"), codes=("KLG111",))
        return bool(found)

    assert waits(3)
    assert not waits(4)
