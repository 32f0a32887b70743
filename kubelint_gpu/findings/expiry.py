"""The last day of a suppression: `until=2027-01-31` before its reason, and texts that only look like it."""

from __future__ import annotations

import re
import time
from datetime import date

from kubelint_gpu.patterns import pattern
from kubelint_gpu.values import Value

_WRITE = "write until=2027-01-31 in front of the reason"
_UNTIL = pattern(r"until=(?P<day>\S*)\s*")
_DAY = pattern(r"\d{4}-\d{2}-\d{2}")
_KEYED = pattern(r"(?P<key>[A-Za-z_-]+)\s*(?P<sign>[=:]|\s(?=\d))\s*(?P<day>\S*)")
_LOOKS_LIKE_A_DAY = pattern(r"\d{1,4}[-/.]\d{1,2}([-/.]\d{1,4})?\b")
_LATER = pattern(r"(?<!\S)until\s*=\s*\S*", re.IGNORECASE)
_OTHER_WORDS = ("expire", "expires", "expiry", "till", "til", "through", "valid-until", "valid_until")
_CLOSE = 0.7


class Expiry(Value):
    """When a suppression ends.

    Attributes:
        until: the last day on which it is valid, for example 2027-01-31; empty for ever.
        reason: the text besides the day.
        wrong: what is wrong with how the day is written; empty if nothing is.
    """

    until: str
    reason: str
    wrong: str = ""


def expiry(text: str) -> Expiry:
    """The day and the reason in the text after the codes of a suppression."""
    text = text.strip()
    limit = _UNTIL().match(text)
    if limit is None:
        return Expiry("", text, _misspelt(text))
    day, reason = limit["day"], text[limit.end() :]
    wrong = day_problem(day) or _misspelt(reason)
    return Expiry("" if wrong else day, reason, wrong)


def day_problem(day: str) -> str:
    """Return the error in a last day; empty if it is a valid date."""
    if not day:
        return f"the suppression names no last day; {_WRITE}"
    if _DAY().fullmatch(day) is None:
        return f'"{day}" is no day; write until=2027-01-31'
    try:
        date.fromisoformat(day)
    except ValueError:
        return f'"{day}" is no day of the calendar'
    return ""


def over(until: str, today: str) -> bool:
    """Whether a last day has passed; never without a last day."""
    return bool(until) and until < today


def today() -> str:
    """The current local date."""
    return time.strftime("%Y-%m-%d")


def _misspelt(reason: str) -> str:
    """Return the error in a reason that seems to say when the suppression ends; empty if there is none."""
    found = _KEYED().match(reason)
    if found is not None and _means_an_end(found["key"].lower(), found["sign"], found["day"]):
        return f'"{found[0].strip()}" is not understood as the last day of a suppression; {_WRITE}'
    later = _LATER().search(reason)
    return f'"{later[0].strip()}" is read as a part of the reason; {_WRITE}' if later is not None else ""


def _means_an_end(key: str, sign: str, day: str) -> bool:
    import difflib

    exact, dated = key == "until", _LOOKS_LIKE_A_DAY().match(day) is not None
    if exact:
        return sign in "=:" or dated
    close = difflib.SequenceMatcher(None, key, "until").ratio() >= _CLOSE
    return (close and (dated or sign == "=")) or (key in _OTHER_WORDS and sign in "=:" and dated)
