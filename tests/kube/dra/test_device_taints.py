"""Taints of devices."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.dra.device_taints import read_device_toleration
from kubelint_gpu.kube.dra.resource_slice import read_device_taint_rule
from kubelint_gpu.kube.objects.taints import Taint, Toleration
from kubelint_gpu.kube.values.fields import Fields


@pytest.mark.parametrize(
    ("toleration", "tolerated"),
    [
        (Toleration("k", "Equal", "v"), True),
        (Toleration("k", "Equal", "w"), False),
        (Toleration("k", "Exists"), True),
        (Toleration("other", "Exists"), False),
        (Toleration("", "Exists"), True),
        (Toleration("", "Equal", "v"), True),
        (Toleration("k", "Exists", "", "NoSchedule"), True),
        (Toleration("k", "Exists", "", "NoExecute"), False),
    ],
)
def test_tolerations(toleration, tolerated):
    assert toleration.tolerates(Taint("k", "v", "NoSchedule")) is tolerated


def test_a_toleration_may_have_any_effect_of_a_taint():
    for effect in ("NoSchedule", "NoExecute", "None"):
        read = read_device_toleration(Fields({"operator": "Exists", "effect": effect}, (), []))
        assert read.tolerates(Taint("k", "", effect))


def test_only_two_effects_keep_away():
    effects = ("NoSchedule", "NoExecute", "None", "")
    assert [Taint("k", "", effect).blocks for effect in effects] == [True, True, False, False]


def test_a_rule_covers_what_its_selector_names():
    def rule(**selector):
        taint = {"key": "k", "effect": "NoSchedule"}
        spec = {"taint": taint, "deviceSelector": selector}
        return read_device_taint_rule({"kind": "DeviceTaintRule", "metadata": {"name": "r"}, "spec": spec})

    assert rule(driver="d").covers("d", "p", "0")
    assert not rule(driver="e").covers("d", "p", "0")
    assert not rule(driver="d", pool="q").covers("d", "p", "0")
    assert rule(driver="d", pool="p", device="0").covers("d", "p", "0")
    assert not rule(driver="d", pool="p", device="1").covers("d", "p", "0")


@pytest.mark.parametrize("field", ["operator", "effect"])
def test_a_toleration_that_is_refused_tolerates_most(field):
    problems = []
    read = read_device_toleration(
        Fields({"key": "k", field: "Some"} | ({"operator": "Exists"} if field == "effect" else {}), (), problems)
    )
    assert [one.pointer for one in problems] == [(field,)]
    assert read.tolerates(Taint("k", "v", "NoExecute"))
    assert not read.tolerates(Taint("other", "v", "NoExecute"))
