"""Slices of an inventory that is given by its fields."""

from kubelint_gpu.documents import read
from kubelint_gpu.inventory import load

HEAD = "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nkubernetesVersion: '1.36'\n"


def loaded(text, head=HEAD):
    return load([read("cluster.yaml", (head + text).encode())])


def inventory_of(text):
    inventory, errors = loaded(text)
    assert errors == ()
    return inventory


def slices(text):
    return [each.value for each in inventory_of(text).of_kind("ResourceSlice")]
