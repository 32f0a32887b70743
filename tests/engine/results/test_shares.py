"""The budget of a run: shared out among its units, and spent where it is needed."""

from __future__ import annotations

from kubelint_gpu.budget import Effort
from kubelint_gpu.engine.executors.processes import ALONE
from kubelint_gpu.engine.results.shares import coarse, within_budget
from kubelint_gpu.work import UsedUp, charge, part

SMALL = Effort(run=1_000, group=1_000, least=10)


class Some:
    """A unit that needs so many steps."""

    readings = ()

    class world:  # noqa: N801
        node_count = 0

    def __init__(self, needs):
        self.needs = needs
        self.asked = 0

    def forget(self):
        pass


def asked(one):
    one.asked += 1
    try:
        with part(1, 1):
            charge(one.needs)
    except UsedUp:
        return None
    return one.needs


def test_each_unit_has_an_equal_share():
    units = [Some(100) for _ in range(10)]
    assert within_budget(asked, units, ALONE, effort=SMALL) == [100] * 10
    assert {one.asked for one in units} == {1}


def test_what_some_leave_goes_to_those_that_need_more():
    units = [Some(800), *(Some(1) for _ in range(9))]
    assert within_budget(asked, units, ALONE, effort=SMALL) == [800, *[1] * 9]
    assert units[0].asked == 2


def test_no_more_is_spent_than_the_budget():
    units = [Some(800) for _ in range(10)]
    assert within_budget(asked, units, ALONE, effort=SMALL) == [None] * 10


def test_every_unit_has_a_little_however_many_there_are():
    assert within_budget(asked, [Some(10) for _ in range(5_000)], ALONE, effort=SMALL) == [10] * 5_000


def test_shares_are_alike_in_repositories_of_nearly_the_same_size():
    shares = [coarse((200_000 + 10_000 * count) // count) for count in range(400, 600)]
    assert len(set(shares)) == 1
    assert all(steps * 15 // 16 <= coarse(steps) <= steps for steps in range(1, 5_000))
