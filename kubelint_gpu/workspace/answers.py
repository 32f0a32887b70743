"""Answers about a set of manifests, each computed once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, Protocol, TypeVar


class Answered(Protocol):
    """Something that stores the answers about itself."""

    answers: dict[object, Any]


_Unit = TypeVar("_Unit", bound=Answered)
_Answer = TypeVar("_Answer")
_Other = TypeVar("_Other")
_Item = TypeVar("_Item")


def once(question: Callable[[_Unit], _Answer]) -> Callable[[_Unit], _Answer]:
    """Decorate a question: its answer is computed once for each unit, until the unit forgets."""

    @wraps(question)
    def answer(unit: _Unit) -> _Answer:
        answers = unit.answers
        if question not in answers:
            answers[question] = question(unit)
        found: _Answer = answers[question]
        return found

    return answer


def once_each(question: Callable[[_Unit], Iterator[_Item]]) -> Callable[[_Unit], tuple[_Item, ...]]:
    """Decorate a generator: its items are computed once for each unit, as with `once`."""
    return once(wraps(question)(lambda unit: tuple(question(unit))))


def known(question: Callable[[_Unit], _Answer], unit: _Unit, otherwise: _Other) -> _Answer | _Other:
    """Return the answer to a `once` question if it was already computed, else `otherwise`."""
    found: _Answer | _Other = unit.answers.get(getattr(question, "__wrapped__", question), otherwise)
    return found
