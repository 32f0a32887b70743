"""Nodes."""

from __future__ import annotations

from plugin_objects import node

from kubelint_gpu.kube.objects.node import read_node


def test_a_node_without_allocatable_gives_its_capacity():
    found = node("n")
    found["status"] = {"capacity": {"cpu": "2", "pods": "3"}}
    assert read_node(found).allocatable == {"cpu": 2000, "pods": 3}
