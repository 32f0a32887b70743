"""Regular expressions as RE2 has them: their time is linear in the text, times the size of the program."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from kubelint_gpu.kube.cel.cel_errors import EvaluationError

_LARGEST = 1 << 20
_PER_STEP = 64


@lru_cache(maxsize=256)
def compiled(pattern: str) -> Any:
    """A pattern of RE2.

    Raises:
        EvaluationError: it is none.
    """
    import re2

    options = re2.Options()
    options.log_errors = False
    options.max_mem = _LARGEST
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        text = error.args[0] if error.args else ""
        detail = text.decode(errors="replace") if isinstance(text, bytes) else str(text)
        raise EvaluationError(f"error parsing regexp: {detail}") from None


def steps_of(text: str, pattern: str, *_: int, every: bool = False) -> int:
    """The steps of an evaluation that it takes to make a pattern, and to search a text for it or for `every` match.

    A repetition of few letters may be a large program, so that the length of the pattern says little.

    Raises:
        EvaluationError: the pattern is none.
    """
    letters = len(text) + 1
    size: int = compiled(pattern).programsize
    return size + size * letters * (letters if every else 1) // _PER_STEP
