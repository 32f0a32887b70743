"""Regular expressions as RE2 has them: their time is linear in the text."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from kubelint_gpu.kube.cel.cel_errors import EvaluationError

_LARGEST = 1 << 20


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
