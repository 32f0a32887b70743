"""Regular expressions that are compiled when they are first used: most runs need few of those that the program has."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

_METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")

if TYPE_CHECKING:
    from re import compile as pattern
else:

    class pattern:  # noqa: N801 - it stands for re.compile
        """What `re.compile` gives, compiled with the first call of a method."""

        __slots__ = ("_flags", "_text", *_METHODS)

        def __init__(self, text: str, flags: int = 0) -> None:
            self._text = text
            self._flags = flags

        def __getattr__(self, name: str) -> Any:
            if name not in _METHODS:
                raise AttributeError(name)
            made = re.compile(self._text, self._flags)
            for method in _METHODS:
                setattr(self, method, getattr(made, method))
            return getattr(self, name)


__all__ = ["pattern"]
