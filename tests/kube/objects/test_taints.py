"""Taints, and what tolerates them: the tables of the specification."""

from __future__ import annotations

from itertools import product

import pytest

from kubelint_gpu.kube.dra.resource_slice import read_device_taint_rule
from kubelint_gpu.kube.objects.taints import (
    Taint,
    Toleration,
    read_device_toleration,
    read_taint,
    read_toleration,
    untolerated,
)
from kubelint_gpu.kube.values.errors import InvalidObject
from kubelint_gpu.kube.values.fields import Fields


@pytest.mark.parametrize(
    ("toleration", "taint", "tolerated"),
    [
        (Toleration(operator="Exists"), Taint("any", "x", "NoExecute"), True),
        (Toleration("a", "Exists", effect="NoExecute"), Taint("a", "x"), False),
        (Toleration("a", value="x"), Taint("a", "x"), True),
        (Toleration("a", value="x"), Taint("a", "x", "NoExecute"), True),
        (Toleration("a", "Exists", effect="NoExecute", seconds=0), Taint("a", "", "NoExecute"), True),
        (Toleration("a", value=""), Taint("a"), True),
        (Toleration("sla", "Gt", "900"), Taint("sla", "950"), False),
        (Toleration("b", "Exists"), Taint("a"), False),
    ],
)
def test_tolerations_against_taints(toleration, taint, tolerated):
    assert toleration.tolerates(taint) is tolerated


def test_taints_are_covered_as_each_toleration_by_itself_says():
    taints = [Taint(*fields) for fields in product("ab", ("", "x"), ("NoSchedule", "NoExecute"))]
    for fields in product(("", "a"), ("Equal", "Exists", "Gt"), ("", "x"), ("", "NoSchedule", "NoExecute")):
        toleration = Toleration(*fields)
        assert untolerated(taints, [toleration]) == tuple(taint for taint in taints if not toleration.tolerates(taint))


def test_the_blocking_taints_that_nothing_tolerates():
    taints = (Taint("soft", "", "PreferNoSchedule"), Taint("a", "1"), Taint("b", "2", "NoExecute"))
    assert untolerated(taints, ()) == taints[1:]
    assert untolerated(taints, (Toleration("a", "Exists"),)) == taints[2:]
    assert untolerated(taints, (Toleration(operator="Exists"),)) == ()
    assert [str(taint) for taint in taints] == ["soft:PreferNoSchedule", "a=1:NoSchedule", "b=2:NoExecute"]
    assert read_taint(Fields({"key": "a", "effect": "NoExecute"})) == Taint("a", "", "NoExecute")


@pytest.mark.parametrize(
    ("toleration", "says"),
    [
        ({"key": "a b"}, "is not a taint key"),
        ({"operator": "Equal"}, "operator must be Exists when `key` is empty"),
        ({"key": "a", "operator": "Exists", "value": "x"}, "value must be empty"),
        ({"key": "a", "value": "-x"}, "is not a taint value"),
        ({"key": "a", "effect": "NoSchedule", "tolerationSeconds": 1}, "effect must be 'NoExecute'"),
        ({"key": "a", "operator": "Gt"}, "unsupported value"),
    ],
)
def test_broken_tolerations(toleration, says):
    with pytest.raises(InvalidObject, match=says):
        read_toleration(Fields(toleration))


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
