"""The label key or value that was probably meant, among the existing ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from kubelint_gpu.patterns import pattern

_GIGABYTES = pattern(r"^(\d+)gi?b?$")
_FEW = 8
_WORDS = pattern(r"[^a-z0-9]+")


def nearest_key(key: str, known: Sequence[str]) -> str:
    """The label key that is most similar to one that no node has; empty if none is similar.

    First the same key with other case or separators, then the same name with the omitted prefix, then a similar
    spelling.
    """
    bare = _only(known, lambda one: "/" not in key and one.rpartition("/")[2].lower() == key.lower())
    return _only(known, lambda one: _words(one) == _words(key)) or bare or _spelt(key, known, 0.75)


def nearest_value(values: Iterable[str], known: Sequence[str]) -> tuple[str, str]:
    """The value most similar to one of `values`, which no node has, and that one; both empty if none is similar.

    First the same value with other case or separators, then the only one with all of its words (`NVIDIA-L4` for `L4`)
    or without a prefix of it, then a likely misspelling: words with digits, as in names of machines and zones, must be
    equal, and one of four characters may be wrong.
    """
    wanted = tuple(values)
    for near in (_same, _containing, _misspelt):
        for value in wanted:
            found = near(value, known)
            if found:
                return found, value
    return "", ""


def _same(value: str, known: Sequence[str]) -> str:
    return _only(known, lambda one: _words(one) == _words(value)) or _only(
        known, lambda one: "".join(_words(one)) == "".join(_words(value)) != ""
    )


def _containing(value: str, known: Sequence[str]) -> str:
    words = _words(value)
    within = set(words)
    return _only(
        known, lambda one: bool(words) and any(map(str.isalpha, value)) and within <= set(_words(one))
    ) or _only(known, lambda one: bool(_numbered(one)) and _prefixed(words, _words(one)))


def _prefixed(words: tuple[str, ...], bare: tuple[str, ...]) -> bool:
    """Whether `words` are `bare` after a prefix without digits."""
    prefix = words[: len(words) - len(bare)]
    return words[len(prefix) :] == bare and not any(map(str.isdigit, "".join(prefix)))


def _misspelt(value: str, known: Sequence[str]) -> str:
    """The only value that is a likely spelling of this one, nearest first; empty if there are none or several."""
    import difflib

    alike = {one.lower() for one in known if _numbered(one) == _numbered(value)}
    near = difflib.get_close_matches(value.lower(), sorted(alike), _FEW, 0.6)
    apart = {one: _distance(value.lower(), one.lower()) for one in known if one.lower() in near}
    least = min(apart.values(), default=0)
    found = [one for one, distance in apart.items() if distance == least and 4 * least <= max(len(one), len(value))]
    return found[0] if len(found) == 1 else ""


def _numbered(text: str) -> list[str]:
    """The words with digits, with their units normalized."""
    return [_GIGABYTES().sub(r"\1gb", word) for word in _words(text) if any(map(str.isdigit, word))]


def _distance(one: str, other: str) -> int:
    """The edit distance: characters that are missing, added, wrong, or swapped with the next one."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, left in enumerate(one, 1):
        line = [row]
        for column, right in enumerate(other, 1):
            cost = min(last[column] + 1, line[-1] + 1, last[column - 1] + (left != right))
            if row > 1 and column > 1 and left == other[column - 2] and right == one[row - 2]:
                cost = min(cost, before[column - 2] + 1)
            line.append(cost)
        before, last = last, line
    return last[-1]


def _spelt(text: str, known: Sequence[str], cutoff: float) -> str:
    import difflib

    near = difflib.get_close_matches(text, known, 1, cutoff)
    if near:
        return near[0]
    lower = {one.lower(): one for one in reversed(known)}
    near = difflib.get_close_matches(text.lower(), sorted(lower), 1, cutoff)
    return lower[near[0]] if near else ""


def _only(known: Sequence[str], suits: Callable[[str], bool]) -> str:
    found = [one for one in known if suits(one)]
    return found[0] if len(found) == 1 else ""


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for word in _WORDS().split(text.lower()) if word)
