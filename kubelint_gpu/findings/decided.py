"""The verdict on a rollout, and the table of answers behind it."""

from __future__ import annotations

from kubelint_gpu.values import Value


class Reason(Value):
    """The answer of one hypothesis.

    Attributes:
        hypothesis: its name.
        clause: the same in English, as in "if pools have grown".
        answer: stuck, may-stick, completes or undecided; or how many pods lack room.
        argument: the name of what decided it.
        steps: how many states were looked at.
    """

    hypothesis: str
    clause: str
    answer: str
    argument: str
    steps: int


class Decided(Value):
    """The verdict on one rollout, and its reasons, the worst first."""

    object: str
    path: str
    line: int
    verdict: str
    reasons: tuple[Reason, ...]


_RANKS = ("stuck", "lacks", "undecided", "may-stick", "may", "completes")


def rank(answer: str) -> int:
    """The position of an answer between the worst and the best."""
    return _RANKS.index(answer.partition(" ")[0])


def in_order(found: Decided) -> tuple[int, str, str, int]:
    """A sort key of verdicts: the worst first, then by name and place."""
    return rank(found.verdict), found.object, found.path, found.line
