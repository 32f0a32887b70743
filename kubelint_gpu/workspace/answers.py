"""Answers about a set of manifests that are worked out once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Protocol, TypeVar, cast


class Answered(Protocol):
    """Something that keeps the answers about itself."""

    answers: dict[object, Any]


_Unit = TypeVar("_Unit", bound=Answered)
_Answer = TypeVar("_Answer")


def once(question: Callable[[_Unit], _Answer]) -> Callable[[_Unit], _Answer]:
    """Work out an answer the first time that it is asked for, and keep it until the unit forgets."""

    @wraps(question)
    def answer(unit: _Unit) -> _Answer:
        if question not in unit.answers:
            unit.answers[question] = question(unit)
        return cast("_Answer", unit.answers[question])

    return answer
