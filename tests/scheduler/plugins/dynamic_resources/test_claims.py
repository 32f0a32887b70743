"""Extended resources that devices of a class serve."""

from __future__ import annotations

import pytest
from devices import device, device_class, node, pod, read, resource_slice, snapshot

from kubelint_gpu.kube.dra.device_class import classes_by_resource, read_device_class
from kubelint_gpu.kube.objects.pod import read_pod
from kubelint_gpu.scheduler import fit
from kubelint_gpu.scheduler.attempt import assume
from kubelint_gpu.scheduler.plugins.dynamic_resources.claims import special_claim

NAME = "example.com/gpu"
CLASS = device_class("gpu", extendedResourceName=NAME)
SLICE = resource_slice(device("d0"), device("d1"))


def plugin_node(amount):
    found = node("plugin")
    found["status"]["allocatable"][NAME] = str(amount)
    return found


def rejections(amount, *objects, name=NAME, **more):
    incoming = read(pod(requests={name: str(amount)}))
    return {key: status.reasons for key, status in fit(incoming, snapshot(*objects, **more)).rejections.items()}


def test_a_node_without_the_resource_serves_it_by_devices_and_one_with_it_as_ever():
    assert rejections(2, node(), plugin_node(2), SLICE, CLASS) == {}
    assert rejections(3, node(), plugin_node(2), SLICE, CLASS) == {
        "n": ("cannot allocate all claims",),
        "plugin": (f"Insufficient {NAME}",),
    }


def test_each_class_has_a_resource_of_its_own():
    assert rejections(2, node(), SLICE, CLASS, name="deviceclass.resource.kubernetes.io/gpu") == {}


def test_before_1_36_no_class_stands_behind_a_resource():
    assert rejections(1, node(), SLICE, CLASS, version="1.35") == {"n": (f"Insufficient {NAME}",)}


def test_pods_hold_what_they_were_given():
    here = snapshot(node(), SLICE, CLASS)
    one = read(pod(requests={NAME: "1"}, name="a"))
    here = assume(one, here, "n")
    assert fit(read(pod(requests={NAME: "2"}, name="b")), here).fits == ()
    assert fit(read(pod(requests={NAME: "1"}, name="b")), here).fits == ("n",)
    assert fit(read(pod(requests={NAME: "2"}, name="b")), here.remove("ns/a")).fits == ("n",)


def test_of_classes_with_one_resource_the_newest_serves_it_then_the_first_by_name():
    def of(name, created):
        value = device_class(name, extendedResourceName=NAME)
        value["metadata"]["creationTimestamp"] = created
        return read_device_class(value)

    early, late = "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"
    assert classes_by_resource([of("a", early), of("b", late)])[NAME].name == "b"
    assert classes_by_resource([of("b", early), of("a", early)])[NAME].name == "a"


@pytest.mark.parametrize(
    ("initial", "main", "expected"),
    [
        ([], [1, 2], [("container-0-request-0", 1), ("container-1-request-0", 2)]),
        ([3], [1], [("container-0-request-0", 2), ("container-1-request-0", 1)]),
        ([1], [2], [("container-1-request-0", 2)]),
        ([4, 6], [1], [("container-1-request-0", 5), ("container-2-request-0", 1)]),
    ],
)
def test_containers_that_end_use_the_devices_of_those_that_last(initial, main, expected):
    def containers(amounts):
        return [{"name": f"c{place}", "resources": {"requests": {NAME: str(one)}}} for place, one in enumerate(amounts)]

    incoming = read_pod({"spec": {"initContainers": containers(initial), "containers": containers(main)}})
    by_resource = classes_by_resource([read_device_class(CLASS)])
    found = special_claim(incoming, frozenset((NAME,)), by_resource)
    assert [(one.name, one.exactly.count) for one in found.spec.requests] == expected
