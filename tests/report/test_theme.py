"""What a terminal can show."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kubelint_gpu.report.content import Options
from kubelint_gpu.report.theme import LEAST_WIDTH, Theme, theme_of


def test_without_unicode_all_signs_are_ascii():
    plain, rich = Theme(False, False, 80), Theme(False, True, 80)
    assert "".join((plain.rule, plain.ellipsis, plain.bullet, *plain.brace)).isascii()
    assert not any(one.isascii() for one in (rich.rule, rich.ellipsis, rich.bullet, *rich.brace))


def test_only_a_text_is_painted_and_only_with_colours():
    assert Theme(True, True, 80).paint("error", "x") == "\x1b[1;31mx\x1b[0m"
    assert Theme(True, True, 80).paint("error", "") == ""
    assert Theme(False, True, 80).paint("error", "x") == "x"


@given(st.text("ab "), st.integers(0, 20))
def test_wrapping_loses_no_word_and_splits_none(text, hang):
    lines = Theme(False, True, 20).wrap(text, first=0, hang=hang)
    assert " ".join(lines).split() == text.split()
    assert all(hang + len(line) <= 20 or " " not in line.strip() for line in lines[1:])


@given(st.text("ab "), st.integers(0, 30), st.integers(0, 30))
def test_other_letters_of_one_cell_wrap_as_those_of_ascii(text, first, hang):
    theme = Theme(False, True, 20)
    others = theme.wrap(text.replace("a", "é").replace("b", "ü"), first=first, hang=hang)
    assert [line.replace("é", "a").replace("ü", "b") for line in others] == theme.wrap(text, first=first, hang=hang)


def test_a_terminal_too_narrow_to_read_is_taken_wider():
    assert theme_of(Options(width=5)).width == LEAST_WIDTH
    assert theme_of(Options(width=100)).width == 100
