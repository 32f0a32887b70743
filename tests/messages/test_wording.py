from __future__ import annotations

import pytest

from kubelint_gpu.messages.wording import (
    amount,
    bare,
    can_run,
    counted,
    foremost,
    listed,
    owner_name,
    owner_names,
    some,
)


@pytest.mark.parametrize(
    ("placed", "wanted", "more", "text"),
    [
        (2, 3, {}, "only 2 of 3 replicas can run"),
        (0, 3, {}, "none of its 3 replicas can run"),
        (0, 1, {}, "its 1 replica cannot run"),
        (2, 3, {"sets": "an autoscaler sets"}, "only 2 of the 3 replicas that an autoscaler sets can run"),
        (4, 6, {"group": 3}, "only 1 of 2 groups of 3 pods (4 of 6 pods) can run"),
        (2, 6, {"group": 3}, "none of its 2 groups of 3 pods (2 of 6 pods) can run"),
        (0, 3, {"group": 3}, "its 1 group of 3 pods cannot run"),
    ],
)
def test_how_many_run_is_told_in_replicas_or_groups(placed, wanted, more, text):
    assert can_run(placed, wanted, **more) == text


def test_one_is_singular_and_everything_else_plural():
    assert [counted(number, "pod") for number in (0, 1, 2)] == ["0 pods", "1 pod", "2 pods"]


@pytest.mark.parametrize(
    ("resource", "number", "text"),
    [
        ("nvidia.com/gpu", 2, "2 nvidia.com/gpu"),
        ("cpu", 6000, "6 cpu"),
        ("cpu", 1500, "1500m cpu"),
        ("memory", 40 * 2**30, "40Gi of memory"),
        ("memory", 512 * 2**20, "512Mi of memory"),
        ("ephemeral-storage", 2**30, "1Gi of ephemeral-storage"),
        ("pods", 1, "1 pod slot"),
        ("pods", 2, "2 pod slots"),
    ],
)
def test_amounts_read_as_people_say_them(resource, number, text):
    assert amount(resource, number) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (65806288 * 1024, "62.75Gi"),
        (131072000 * 1024, "125Gi"),
        (1000, "1000"),
        (15 * 10**9, "13.96Gi"),
        (123456 * 1024, "120.56Mi"),
        (1234567, "1.17Mi"),
    ],
)
def test_bytes_without_a_short_exact_form_are_cut(number, text):
    assert bare("memory", number) == text


def test_what_is_cut_is_never_more_than_there_is():
    assert bare("memory", 64 * 2**30 - 1) == "63.99Gi"


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([], ""),
        (["a"], "a"),
        (["a", "b"], "a and b"),
        (["a", "b", "c"], "a, b and c"),
        (["a", "b", "c", "d"], "a, b, c and d"),
        (["a", "b", "c", "d", "e"], "5 nodes (a, b, ...)"),
    ],
)
def test_a_few_names_are_listed_and_many_are_counted(names, text):
    assert some(names) == text


def test_alternatives_are_joined_by_or():
    assert listed(["a", "b", "c"], "or") == "a, b or c"
    assert some(["a", "b"], "class", "or") == "a or b"


def test_an_owner_is_called_by_kind_and_name():
    assert owner_name("Deployment/serving/chat") == "Deployment serving/chat"


def test_of_many_names_the_first_two_are_named_and_the_others_counted():
    assert foremost(["a"]) == "a"
    assert foremost(["a", "b", "c"]) == "a, b and c"
    assert foremost(["a", "b", "c", "d"]) == "a, b and 2 others"


def test_long_names_of_owners_are_counted_from_three_on():
    short, long = ["Deployment/ml/a", "Deployment/ml/b", "Deployment/ml/c"], [f"Deployment/ml/{x * 20}" for x in "abc"]
    assert owner_names(short) == "Deployments ml/a, ml/b and ml/c"
    assert owner_names(long) == f"3 Deployments (ml/{'a' * 20}, ml/{'b' * 20}, ...)"
    assert owner_names(long[:2]) == f"Deployments ml/{'a' * 20} and ml/{'b' * 20}"
