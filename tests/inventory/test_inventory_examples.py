"""The inventories that come with the program can be used as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubelint_gpu.documents import read
from kubelint_gpu.inventory import contradictions, load
from kubelint_gpu.inventory.gpus.gpu_models import near_resource

FOLDER = Path(__file__).resolve().parent.parent.parent / "examples" / "inventories"
EXAMPLES = sorted(FOLDER.glob("*.yaml"))


def test_there_is_one_on_premises_one_of_a_cloud_and_a_mixed_one():
    assert [path.stem for path in EXAMPLES] == ["cloud-pools", "mixed", "on-prem"]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_inventory_is_valid_and_free_of_contradictions(path):
    inventory, errors = load([read(path.name, path.read_bytes())])
    assert errors == ()
    assert contradictions(inventory) == ()
    assert inventory.objects


def test_the_nearest_mig_device_has_as_many_slices():
    others = ["nvidia.com/mig-1g.10gb", "nvidia.com/mig-2g.20gb", "nvidia.com/mig-3g.40gb", "nvidia.com/gpu"]
    assert near_resource("nvidia.com/mig-2g.10gb", others) == "nvidia.com/mig-2g.20gb"
    assert near_resource("nvidia.com/mig-7g.80gb", others) is None
