"""What is still known of an object that cannot be read."""

import pytest

from kubelint_gpu.inventory.declarations.declared import Unread, unread
from kubelint_gpu.kube.values.frozen import FrozenMap

WEB = FrozenMap({"app": "web"})


@pytest.mark.parametrize(
    ("kind", "value", "known"),
    [
        ("Pod", {"metadata": {"name": "p", "namespace": "n", "labels": WEB}}, Unread("Pod", "p", "n", labels=WEB)),
        ("Pod", {"name": "p", "owner": "Job/n/train"}, Unread("Pod", "p", "n", "Job/train")),
        ("Pod", {"node": "n1", "pod": {"metadata": {"name": "p"}}}, Unread("Pod", "p")),
        ("Pod", {"pod": 3}, Unread("Pod")),
        ("Pod", {"metadata": {"name": 3, "namespace": [], "labels": {"app": 3}}}, Unread("Pod")),
        ("Pod", {"metadata": 3, "owner": 3, "labels": 3}, Unread("Pod")),
        ("PriorityClass", {"name": "x", "globalDefault": "yes"}, Unread("PriorityClass", "x", default=True)),
        ("PriorityClass", {"name": "x"}, Unread("PriorityClass", "x")),
        ("PriorityClass", 3, Unread("PriorityClass", default=True)),
    ],
)
def test_what_can_be_read_is_known(kind, value, known):
    assert unread(kind, value) == known
