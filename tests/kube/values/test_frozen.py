"""Maps that do not change."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.values.frozen import FrozenMap, freeze


def test_frozen_maps_do_not_change_and_can_be_keys():
    found = freeze({"a": [1, {"b": 2}]})
    assert {found: 1}[FrozenMap(a=(1, FrozenMap(b=2)))] == 1
    for change in (lambda: found.update(a=1), lambda: found.pop("a"), lambda: found.__setitem__("a", 1), found.clear):
        with pytest.raises(TypeError, match="does not change"):
            change()
    assert FrozenMap.__reduce__(found)[0] is FrozenMap
