"""The lines of a file that a finding shows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_samples import Text, odd, place, report

from kubelint_gpu.findings.finding import Place, Related, Step
from kubelint_gpu.messages.display import cells, visible
from kubelint_gpu.report.content import NEAR, Mark, Options, groups
from kubelint_gpu.report.formats.text import render
from kubelint_gpu.report.snippet import LEAST_ROOM, Frame, snippet, strip
from kubelint_gpu.report.theme import Theme
from kubelint_gpu.values import replace

WILD = st.text(st.characters(), max_size=80) | st.text("a\t\u0301検\x1b\u202e\r \ud800", max_size=400)


def text(found, **options):
    return "".join(render(found, Options(**options)))


@given(WILD, st.data(), st.integers(LEAST_ROOM, 60), st.booleans())
def test_a_cropped_line_fits_and_shows_the_place(line, data, room, unicode):
    at = data.draw(st.integers(0, len(line)))
    seen = strip(line, at, room, Theme(color=False, unicode=unicode, width=80))
    assert cells(seen.text) <= room
    assert seen.holds(at)
    assert 0 <= seen.cell(at) <= room
    assert list(seen.edges) == sorted(seen.edges)


def test_a_line_of_a_megabyte_costs_what_a_short_one_costs():
    seen = strip("x" * 1_000_000, 500_000, 60, Theme(color=False, unicode=True, width=80))
    assert seen.text == "…" + "x" * 58 + "…"
    assert len(seen.edges) < 70


def test_carets_stand_under_the_value_behind_tabs_and_wide_characters():
    found = odd(1, 5, 8, message="m")
    lines = text(report(found, sources={"odd.yaml": Text("\t検: abc")}), unicode=True).splitlines()
    source, carets = lines[2], lines[3]
    assert cells(source[: source.index("abc")]) == carets.index("^^^")


def test_crlf_leaves_no_trace():
    found = odd(2, 1, 2, message="m")
    crlf, lf = (report(found, sources={"odd.yaml": Text(f"a: 1{end}b: 2{end}")}) for end in ("\r\n", "\n"))
    assert text(crlf) == text(lf)


def test_near_places_share_a_snippet_and_far_ones_get_their_own():
    near = Related(place("odd.yaml", 1 + NEAR, 1, 2), "near")
    far = Related(place("odd.yaml", 2 + 2 * NEAR, 1, 2), "far")
    other = Related(place("a.yaml", 1, 1, 2), "other file")
    found = groups(odd(1, 1, 2, related=(other, far, near)))
    assert [[mark.label for mark in group] for group in found] == [["", "near"], ["other file"], ["far"]]


def test_several_sentences_about_one_place_stand_under_one_caret():
    spot = place("odd.yaml", 1, 1, 2)
    found = groups(odd(1, 1, 2, related=(Related(spot, "one"), Related(spot, "two"))))
    assert [[mark.label for mark in group] for group in found] == [["one; two"]]


def test_places_far_apart_on_one_line_are_both_shown():
    line = "a" * 10 + " " * 300 + "b" * 10
    found = odd(1, 1, 11, related=(Related(place("odd.yaml", 1, 311, 321), "far right"),))
    shown = text(report(found, sources={"odd.yaml": Text(line)}))
    assert "^" * 10 in shown
    assert "-" * 10 in shown
    assert "far right" in shown
    assert "b" * 10 in shown


def test_a_second_range_of_lines_says_where_it_ends():
    first = place("odd.yaml", 1, 1, 3, end_line=3)
    second = Related(place("odd.yaml", 2, 1, 1, end_line=5), "also")
    found = replace(odd(1, 1, 1), place=first, related=(second,))
    shown = text(report(found, sources={"odd.yaml": Text("a: 1\nb: 2\nc: 3\nd: 4\n")}))
    assert "---- also (to line 4)" in shown


def test_a_place_behind_the_last_line_has_a_caret_of_its_own():
    shown = text(report(odd(2, 1, 1), sources={"odd.yaml": Text("a: {\n")}))
    assert "\n2 |\n  | ^\n" in shown


class Counted(list):
    """A list that counts how often somebody goes through it."""

    times = 0

    def __iter__(self):
        self.times += 1
        return super().__iter__()


def test_the_marks_are_gone_through_no_oftener_where_they_are_on_more_lines():
    times = []
    for count in (10, 300):
        marks = Counted(Mark(Place("a.yaml", line, 1, line, 2), "here", line == 1) for line in range(1, count + 1))
        rows = snippet(marks, lambda _: "text", Frame(Theme(color=False, unicode=True, width=80), 3, "error"))
        assert len(rows) == 1 + 2 * count
        times.append(marks.times)
    assert times[0] == times[1]


@given(WILD, WILD, WILD, st.booleans(), st.integers(1, 130))
def test_input_cannot_steer_the_terminal(source, message, path, unicode, width):
    found = odd(
        1,
        1 + len(source) // 2,
        2 + len(source) // 2,
        message,
        path,
        object=f"Pod/{message}/{path}",
        scheduler=message,
        related=(Related(place(path, 1, 1, 2), message), Related(place(message, 1, 1, 1), path)),
        trace=(Step(1, path, message),),
        cycle=(message,),
        help=(source,),
    )
    shown = text(report(found, sources={path: Text(source)}), unicode=unicode, width=width)
    assert all(char == "\n" or char.isprintable() for char in shown)
    assert unicode or shown.isascii()
    forged = [line for line in shown.splitlines() if line.startswith("error[")]
    assert len(forged) == 1


@given(st.text("ab 検é", max_size=200), st.integers(24, 90), st.integers(0, 20))
def test_wrapped_prose_keeps_every_token_and_fits(prose, width, first):
    lines = Theme(color=False, unicode=True, width=width).wrap(prose, first=first, hang=4)
    assert " ".join(lines).split() == prose.split()
    for index, line in enumerate(lines):
        start = 4 if index else first
        assert start + cells(line) <= width or " " not in line.strip()


@pytest.mark.parametrize(
    ("char", "size"), [("a", 1), ("é", 1), ("\u0301", 0), ("検", 2), ("ア", 2), ("ｱ", 1), ("😀", 2)]
)
def test_a_character_takes_the_cells_a_terminal_gives_it(char, size):
    assert cells(char) == size


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[2J", "\\x1b[2J"),
        ("a\r\nb\tc", "a\\r\\nb\\tc"),
        ("\u202e", "\\u202e"),
        ("\u200b", "\\u200b"),
        ("\u00a0", "\\xa0"),
        ("\x9b", "\\x9b"),
        ("\udc80", "\\udc80"),
        ("\U000e0001", "\\U000e0001"),
        ("日本", "日本"),
    ],
)
def test_what_cannot_be_seen_is_written_out(raw, shown):
    assert visible(raw) == shown
