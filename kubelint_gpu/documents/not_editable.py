"""Why a text cannot be changed."""

from __future__ import annotations


class NotEditable(Exception):  # noqa: N818 - it says what the place is
    """The text cannot be changed so that the value changes there and nowhere else; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
