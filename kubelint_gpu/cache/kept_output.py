"""What a run has written to standard output, and its exit code, as an entry of a store."""

from __future__ import annotations

import zlib
from binascii import Error, a2b_base64, b2a_base64
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kubelint_gpu.cache.store import Store

_LARGEST = 16 * 1024 * 1024


def recall(store: Store, key: str) -> tuple[int, str] | None:
    """The exit code and the output of a run; None where it is not known."""
    found = store.get(key)
    if found is None:
        return None
    try:
        inflating = zlib.decompressobj()
        data = inflating.decompress(a2b_base64(found), _LARGEST)
        code, _, text = data.decode().partition("\n")
        return (int(code), text) if inflating.eof else None
    except (zlib.error, Error, ValueError):
        return None


def keep(store: Store, key: str, code: int, text: str) -> None:
    """Write down what a run has said."""
    try:
        data = f"{code}\n{text}".encode()
    except UnicodeEncodeError:
        return
    if len(data) <= _LARGEST:
        store.put(key, b2a_base64(zlib.compress(data, 6), newline=False).decode("ascii"))
