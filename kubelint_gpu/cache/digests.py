"""Digests of everything that decides a result: equal only if all parts are equal."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

_SIZE = 20


def digest_of(parts: Iterable[str | bytes]) -> str:
    """A digest of some parts in order; each is hashed with its length, so that their boundaries matter."""
    made = blake2b(digest_size=_SIZE)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        made.update(b"%d:%b" % (len(data), data))
    return made.hexdigest()
