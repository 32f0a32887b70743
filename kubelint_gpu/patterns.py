"""Regular expressions that are compiled at first use, because a run uses few of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache


def pattern(text: str, flags: int = 0) -> Callable[[], re.Pattern[str]]:
    """Return a function that returns the compiled expression."""
    return cache(lambda: re.compile(text, flags))
