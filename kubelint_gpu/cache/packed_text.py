"""Bytes as a short text without line ends, and back."""

from __future__ import annotations

import zlib
from binascii import Error, a2b_base64, b2a_base64

_LEVEL = 6


def packed(data: bytes) -> str:
    """The bytes as a text."""
    return b2a_base64(zlib.compress(data, _LEVEL), newline=False).decode("ascii")


def unpacked(text: bytes, most: int) -> bytes | None:
    """The bytes of a text; None where it is none that `packed` gave, or they are more than `most`."""
    try:
        inflating = zlib.decompressobj()
        data = inflating.decompress(a2b_base64(text), most)
    except (zlib.error, Error, ValueError):
        return None
    return data if inflating.eof else None
