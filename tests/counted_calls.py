"""How often a function is called, whoever knows it by whatever name."""

from __future__ import annotations

import sys
from contextlib import contextmanager


@contextmanager
def calls_of(function):
    """A list that has an entry for each call within."""
    found, code = [], function.__code__

    def told(frame, event, _argument):
        if event == "call" and frame.f_code is code:
            found.append(function.__name__)

    before = sys.getprofile()
    sys.setprofile(told)
    try:
        yield found
    finally:
        sys.setprofile(before)
