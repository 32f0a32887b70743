"""Guesses the word that a user meant."""

from __future__ import annotations

from collections.abc import Iterable

# The cost of a comparison grows with the product of the lengths.
_LONGEST = 100
_MOST = 5000
# Where every line is wrong in the same way, the first so many have a hint.
MOST_HINTS = 50


def nearest(word: str, words: Iterable[str], alike: float = 0.6) -> str | None:
    """Return the known word closest to `word`, ignoring case; None if none is at least as similar as `alike`."""
    if len(word) > _LONGEST:
        return None
    import difflib

    known = {candidate.casefold(): candidate for candidate in sorted(words)[:_MOST]}
    found = difflib.get_close_matches(word.casefold(), known, n=1, cutoff=alike)
    return known[found[0]] if found else None


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """Return `did you mean "x"?` for a hint, or an empty text."""
    found = nearest(word, words)
    return f'did you mean "{found}"?' if found else ""
