"""Types of expressions: how they are written, and which fits where, as cel-go has it."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.cel.types import DYN, ERROR, INT, NULL, STRING, Substitution, most_general, shown, unwrapped

OPEN, OTHER = ("var", 1), ("var", 2)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (INT, "int"),
        (NULL, "null"),
        (ERROR, "!error!"),
        (("list", ("map", STRING, OPEN)), "list(map(string, _var1))"),
    ],
)
def test_a_type_is_written_as_the_api_server_writes_it(kind, text):
    assert shown(kind) == text


@pytest.mark.parametrize(
    ("given", "wanted", "fits"),
    [
        (INT, INT, True),
        (INT, STRING, False),
        (INT, DYN, True),
        (("list", INT), ("list", DYN), True),
        (("list", INT), ("list", STRING), False),
        (NULL, INT, False),
        (NULL, ("list", INT), False),
        (NULL, ("optional_type", INT), True),
        (("type", INT), ("type", STRING), True),
    ],
)
def test_which_type_fits_where(given, wanted, fits):
    assert Substitution().accepts([given], [wanted]) is fits


def test_an_open_type_is_one_type_everywhere():
    known = Substitution()
    assert not known.accepts([INT, STRING], [OPEN, OPEN])
    assert known.of(OPEN) == OPEN
    assert known.accepts([("list", INT), INT], [("list", OPEN), OPEN])
    assert known.of(("map", OPEN, OTHER), dynamic=True) == ("map", INT, DYN)
    assert not known.accepts([("list", OTHER)], [OTHER])


def test_the_less_specific_of_two_types():
    assert most_general(("list", INT), ("list", DYN)) == ("list", DYN)
    assert unwrapped(("optional_type", INT)) == (INT, True)
    assert unwrapped(INT) == (INT, False)
