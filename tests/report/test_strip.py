"""Text that a terminal shows as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_samples import Text, odd, place, report

from kubelint_gpu.findings.finding import Related, Step
from kubelint_gpu.messages.display import cells, visible
from kubelint_gpu.report.content import Options
from kubelint_gpu.report.formats.text import render
from kubelint_gpu.report.theme import Theme

WILD = st.text(st.characters(), max_size=80) | st.text("a\t\u0301検\x1b\u202e\r \ud800", max_size=400)


def text(found, **options):
    return "".join(render(found, Options(**options)))


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
