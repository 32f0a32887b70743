"""Pages of rules in a terminal."""

from __future__ import annotations

import pytest

from kubelint_gpu.findings.catalogue import folders
from kubelint_gpu.findings.catalogue import page as markdown
from kubelint_gpu.messages.display import cells
from kubelint_gpu.report.content import Options
from kubelint_gpu.report.rule_page import page


def shown(text, width=40, **options):
    return "".join(page(text, Options(width=width, **options)))


def test_headings_lose_their_marks_and_stand_out():
    assert shown("## Why it matters\n") == "Why it matters\n"
    assert shown("# A\n", color=True) == "\x1b[1mA\x1b[0m\n"


def test_prose_is_filled_anew_and_code_is_not():
    text = "one two three four five six seven\neight nine ten\n\n```yaml\nkey: a very long line that is never ever wrapped\n```\n"
    assert shown(text) == (
        "one two three four five six seven eight\nnine ten\n\n    key: a very long line that is never ever wrapped\n"
    )


def test_list_items_hang():
    assert shown("- one two three four five six seven eight nine\n- `b`\n1. c\n", unicode=True) == (
        "• one two three four five six seven\n  eight nine\n• `b`\n1. c\n"
    )


def test_columns_are_aligned_and_the_last_one_wraps():
    text = "| key | meaning |\n| --- | --- |\n| a | one two three four five six seven eight nine |\n| long key | b |\n"
    assert shown(text) == (
        "key       meaning\na         one two three four five six\n          seven eight nine\nlong key  b\n"
    )


def test_a_table_without_room_becomes_paragraphs():
    text = "| key | meaning |\n| --- | --- |\n| a key that takes nearly the whole line | b |\n"
    assert shown(text) == "- a key that takes nearly the whole\n  line: b\n"


def test_links_into_the_repository_lose_their_target_and_others_keep_it():
    assert (
        shown("see [KLG402](../a.md) and [it](https://example.com)", 80) == "see KLG402 and it (https://example.com)\n"
    )


def test_marks_of_browsers_go_and_control_characters_are_written_out():
    assert shown("**bold** a\\*b \x1b[31mred", 80) == "bold a*b \\x1b[31mred\n"


@pytest.mark.parametrize("code", folders())
def test_every_page_fits_its_width_but_for_code_and_long_words(code):
    in_code = {line.strip() for block in markdown(code).split("```")[1::2] for line in block.splitlines()}
    for line in shown(markdown(code), 80, unicode=True).splitlines():
        wide = cells(line) > 80 and line.strip() not in in_code
        assert not wide or max(map(len, line.split())) > 40, line
        assert not line.startswith(("#", "|", "```"))
