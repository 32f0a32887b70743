"""A StatefulSet that is numbered anew: a pod that comes is made, and ready, before one goes."""

from __future__ import annotations

import pytest
from change_cases import found, inventory, made


def stateful(start, release="", more=""):
    text = made("s", f"ordinals: {{start: {start}}}\n{more}", replicas=2, kind="StatefulSet")
    return text.replace("main:1", f"main:{release}") if release else text


@pytest.mark.parametrize(
    ("start", "gpus", "release", "codes"),
    [
        (1, 2, "", ["KLG111"]),
        (1, 3, "", []),
        (1, 2, "2", ["KLG111"]),
        (5, 3, "", ["KLG111"]),
        (5, 4, "", []),
    ],
)
def test_it_needs_room_for_each_ordinal_that_comes(start, gpus, release, codes):
    assert [code for code, *_ in found(stateful(0), stateful(start, release), inventory(gpus))] == codes


def test_back_to_lower_ordinals_needs_room_as_well():
    assert [code for code, *_ in found(stateful(2), stateful(0), inventory(2))] == ["KLG111"]


def test_with_parallel_those_that_go_wait_for_nobody():
    parallel = "podManagementPolicy: Parallel\n"
    assert found(stateful(0, more=parallel), stateful(1, more=parallel), inventory(2)) == []
