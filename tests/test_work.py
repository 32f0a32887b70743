"""Work that is counted in steps: allowances, and parts of them."""

from __future__ import annotations

from contextlib import nullcontext, suppress

import pytest

from kubelint_gpu.work import UsedUp, charge, common, left, limited, part, parts, shared_out


def test_nothing_is_limited_without_an_allowance():
    charge(10**12)
    assert left() is None


def test_an_allowance_ends():
    with limited(3) as allowance:
        charge(3)
        with pytest.raises(UsedUp):
            charge(1)
    assert allowance.left < 0
    assert left() is None


def test_what_a_part_leaves_goes_back_and_what_it_spends_is_gone():
    with limited(100) as allowance:
        with part(1, 4):
            assert left() == 25
            charge(5)
        assert (allowance.left, allowance.cut) == (95, 0)


def test_a_part_that_is_used_up_leaves_the_rest():
    with limited(100) as allowance:
        with pytest.raises(UsedUp), part(1, 4):
            charge(26)
        assert (allowance.left, allowance.cut) == (75, 1)
        charge(75)


def test_that_a_part_was_used_up_is_known_outside():
    with limited(100) as allowance:
        with part(1, 2), pytest.raises(UsedUp), part(1, 2):
            charge(100)
        assert allowance.cut == 1


@pytest.mark.parametrize("charges", [[0, 0], [5, 0, 7], [90, 3, 60, 0], [1, 200, 2], [100, 100, 100, 1]])
def test_parts_one_after_the_other_are_what_each_would_be_by_itself(charges):
    def left_after(begins):
        with limited(100) as allowance:
            for steps, begun in begins():
                with suppress(UsedUp), begun:
                    charge(steps)
        return allowance.left, allowance.cut

    def by_themselves():
        return ((steps, part(1, 2)) for steps in charges)

    def in_turn():
        with parts(1, 2) as begin:
            for steps in charges:
                begin()
                yield steps, nullcontext()

    assert left_after(in_turn) == left_after(by_themselves)


def needs(number):
    charge(number)
    return -number


def test_shared_out_work_without_an_allowance_is_all_done():
    assert shared_out(needs, [1, 10**9]) == {1: -1, 10**9: -(10**9)}


def test_a_hard_question_takes_nothing_from_easy_ones():
    with limited(1_000) as allowance:
        assert shared_out(needs, [5_000, 1, 2, 3]) == {5_000: None, 1: -1, 2: -2, 3: -3}
    assert allowance.cut


def test_what_easy_questions_leave_goes_to_the_hard_ones():
    with limited(1_000):
        # at first it may take 50; later half of what is left
        found = shared_out(needs, [400, *range(1, 10)])
    assert found[400] == -400


def test_a_question_whose_answer_is_not_decided_gets_more_and_keeps_that_answer_else():
    def told(thing):
        return left() >= thing

    with limited(1000):
        found = shared_out(told, [1, 2, 3, 150, 100_000], decided=bool)
    assert found == {1: True, 2: True, 3: True, 150: True, 100_000: False}


def test_what_is_left_is_shared_out_anew_among_those_that_need_more():
    hard, easy = range(140, 148), range(8)
    with limited(1_600):
        # at first each may take 50; halves of what is left would do for seven of the hard ones
        found = shared_out(needs, [*hard, *easy])
    assert found == {number: -number for number in (*hard, *easy)}


@pytest.mark.parametrize(("questions", "answered"), [(40, False), (80, True)])
def test_a_group_of_many_questions_has_more_work(questions, answered):
    with limited(10**6, group=1_000):
        # the hard one has half of what the easy ones leave, who take a step each
        found = shared_out(lambda thing: charge(1 if thing else 900) or "told", range(questions))
    assert (found[0] == "told") is answered


def test_what_is_left_goes_to_one_after_the_other_if_equal_shares_help_nobody():
    with limited(1_000) as allowance:
        assert shared_out(needs, [5_000, 6_000]) == {5_000: None, 6_000: None}
    assert allowance.cut


def test_what_all_need_is_taken_off_what_they_have_together():
    known = []

    def work(number):
        with common():
            if not known:
                charge(400)
                known.append(number)
        charge(number)
        return number

    with limited(1_000) as allowance:
        assert shared_out(work, list(range(1, 11))) == {number: number for number in range(1, 11)}
    assert (allowance.left, allowance.cut) == (1_000 - 400 - 55, 0)
