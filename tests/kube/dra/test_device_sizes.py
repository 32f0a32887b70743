"""The parts of a device are as large as the API lets them be."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.dra.device_sizes import device_size


@pytest.mark.parametrize(
    ("path", "most"),
    [
        (("device", "driver"), 63),
        (("device", "attributes"), 32),
        (("device", "attributes", "@keys"), 63),
        (("device", "attributes", "@values", "@keys"), 32),
        (("device", "attributes", "@values", "model"), 64),
        (("device", "capacity", "@values", "@values"), 0),
        (("device", "capacity", "@values", "memory"), None),
        (("device", "attributes", "@values", "model", "@items"), None),
        (("other",), None),
        ((), None),
    ],
)
def test_the_largest_size_of_a_part(path, most) -> None:
    found = device_size(path)
    assert (found.most if found is not None else None) == most
