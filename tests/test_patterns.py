"""Expressions that are compiled when they are first used say what compiled ones say."""

import re

import pytest

from kubelint_gpu import modules
from kubelint_gpu.patterns import made_of_used, pattern

TEXT = "one TWO three"


def test_every_method_is_that_of_the_compiled_expression():
    late, now = pattern(r"[a-z]+", re.IGNORECASE), re.compile(r"[a-z]+", re.IGNORECASE)
    for name in ("match", "search", "fullmatch"):
        for found, expected in ((getattr(late, name)(TEXT), getattr(now, name)(TEXT)),) * 2:
            assert (found and found.span()) == (expected and expected.span())
    assert late.findall(TEXT, 4) == now.findall(TEXT, 4)
    assert [found[0] for found in late.finditer(TEXT)] == ["one", "TWO", "three"]
    assert (late.sub("x", TEXT), late.subn("x", TEXT), late.split(TEXT)) == ("x x x", ("x x x", 3), now.split(TEXT))


def test_what_is_wrong_is_told_when_it_is_used():
    late = pattern("(")
    with pytest.raises(re.error):
        late.match("x")
    with pytest.raises(AttributeError):
        late.nothing  # noqa: B018 - that it is not there


def test_what_the_interpreter_made_of_an_expression_finds_the_same_in_the_next_run(monkeypatch):
    texts = {r"(?P<a>[a-z]+)|(\d)": re.IGNORECASE, r"^x(?=y)\b": re.MULTILINE, "é|[^ -~]": 0, "(a)(?:b)?": re.ASCII}
    said = ["", "one 2", "z\nxy", "é", "ab a"]

    def found():
        return [[one.groups() for one in pattern(*some).finditer(text)] for some in texts.items() for text in said]

    first, made = found(), made_of_used()
    for text, flags in texts.items():
        modules.patterns[text, int(flags)] = made[text, int(flags)]
    monkeypatch.setattr(re, "compile", None)
    assert found() == first
