"""Who is asked, and who sees the answers."""

from __future__ import annotations

from kubelint_gpu.simulation.asked import answered, arranged, asked, watched


def test_all_are_asked_unless_some_are_left_out():
    assert asked((1, 2)) == (1, 2)
    with arranged(lambda ones: ones[1:]):
        assert asked((1, 2)) == (2,)
    assert asked((1, 2)) == (1, 2)


def test_an_answer_is_seen_by_who_watches_and_by_nobody_else():
    seen = []
    answered("before")
    with watched(lambda *answer: seen.append(answer)):
        answered("question", "answer")
        with watched(None):
            answered("within")
    answered("after")
    assert seen == [("question", "answer")]
