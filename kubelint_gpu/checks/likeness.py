"""The name that was probably meant: a label key, or a value, of those that there are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches

_WORDS = re.compile(r"[^a-z0-9]+")


def nearest_key(key: str, known: Sequence[str]) -> str:
    """The label key that comes nearest to one that no node has; empty where none does.

    The same key in other letters or with other separators, then the same name under the prefix that was left out, then
    a near spelling.
    """
    bare = _only(known, lambda one: "/" not in key and one.rpartition("/")[2].lower() == key.lower())
    return _only(known, lambda one: _words(one) == _words(key)) or bare or _spelt(key, known, 0.75)


def nearest_value(values: Iterable[str], known: Sequence[str]) -> tuple[str, str]:
    """The value that comes nearest to one of those that no node has, and that one; both empty where none does.

    The same value in other letters, then the only one with all of its words (`NVIDIA-L4` for `L4`), then a close one.
    """
    wanted = tuple(values)
    for near in (_same, _containing, lambda value, there: _spelt(value, there, 0.6)):
        for value in wanted:
            found = near(value, known)
            if found:
                return found, value
    return "", ""


def _same(value: str, known: Sequence[str]) -> str:
    return _only(known, lambda one: _words(one) == _words(value))


def _containing(value: str, known: Sequence[str]) -> str:
    words = set(_words(value))
    return _only(known, lambda one: bool(words) and any(map(str.isalpha, value)) and words <= set(_words(one)))


def _spelt(text: str, known: Sequence[str], cutoff: float) -> str:
    near = get_close_matches(text, known, 1, cutoff)
    if near:
        return near[0]
    lower = {one.lower(): one for one in reversed(known)}
    near = get_close_matches(text.lower(), sorted(lower), 1, cutoff)
    return lower[near[0]] if near else ""


def _only(known: Sequence[str], suits: Callable[[str], bool]) -> str:
    found = [one for one in known if suits(one)]
    return found[0] if len(found) == 1 else ""


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for word in _WORDS.split(text.lower()) if word)
